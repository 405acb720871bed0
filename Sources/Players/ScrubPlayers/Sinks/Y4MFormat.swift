package import ScrubLibAV
package import ScrubBase

/// A YUV4MPEG2 stream's picture format, in the terms of ffmpeg's `yuv4mpegpipe`.
package struct Y4MFormat: Hashable, Sendable {
    /// The order of a picture's two fields.
    package enum Fields: String, Sendable {
        case progressive = "p"
        case topFirst = "t"
        case bottomFirst = "b"
    }

    package var width: Int
    package var height: Int
    package var pixelFormat: PixelFormat
    /// The chroma location in 8-bit 4:2:0, as `AVChromaLocation`.
    package var chromaLocation: UInt32 = 0
    package var frameRate: Rational
    package var fields = Fields.progressive
    /// The sample aspect ratio; `nil` if unknown, which the format writes as 0:0.
    package var sampleAspectRatio: Rational?
    /// Whether samples are full range; `nil` if unknown.
    package var isFullRange: Bool?

    /// The first line. Every picture follows as a line `FRAME` and its planes without padding.
    package var header: String {
        let aspect = sampleAspectRatio.map { "\($0.numerator):\($0.denominator)" } ?? "0:0"
        let tag = Y4MFormat.tag(of: pixelFormat, chromaLocation: chromaLocation) ?? ""
        let isFull = pixelFormat.isFullRangeByName ? true : isFullRange
        let range = isFull.map { $0 ? " XCOLORRANGE=FULL" : " XCOLORRANGE=LIMITED" } ?? ""
        return "YUV4MPEG2 W\(width) H\(height) F\(frameRate.numerator):\(frameRate.denominator) I\(fields.rawValue)"
            + " A\(aspect) \(tag)\(range)\n"
    }

    /// Returns the color space's tags; `nil` for an unsupported format.
    package static func tag(of format: PixelFormat, chromaLocation: UInt32 = 0) -> String? {
        switch format.name {
        case "gray": return "Cmono"
        case "gray9le", "gray10le", "gray12le", "gray16le": return "Cmono\(format.bitDepth)"
        case "yuv411p": return "C411 XYSCSS=411"
        case "yuv420p":
            return switch chromaLocation {
            case 1: "C420mpeg2 XYSCSS=420MPEG2"
            case 3: "C420paldv XYSCSS=420PALDV"
            default: "C420jpeg XYSCSS=420JPEG"
            }
        case "yuvj420p": return "C420jpeg XYSCSS=420JPEG"
        case "yuv422p", "yuvj422p": return "C422 XYSCSS=422"
        case "yuv444p", "yuvj444p": return "C444 XYSCSS=444"
        case "yuva444p": return "C444alpha XYSCSS=444"
        default: break
        }
        guard [9, 10, 12, 14, 16].contains(format.bitDepth),
            let sampling = ["420", "422", "444"].first(where: { format.name == "yuv\($0)p\(format.bitDepth)le" })
        else { return nil }
        return "C\(sampling)p\(format.bitDepth) XYSCSS=\(sampling)P\(format.bitDepth)"
    }

    /// Returns the nearest supported format, with no smaller depth, and no coarser chroma if there is one. Alpha is
    /// dropped unless the format is already 8-bit 4:4:4; RGB is converted to luma and chroma.
    package static func nearest(to format: PixelFormat) -> PixelFormat? {
        if tag(of: format) != nil { return format }
        let depth = [8, 9, 10, 12, 14, 16].first { $0 >= format.bitDepth } ?? 16
        let suffix = depth == 8 ? "" : "\(depth)le"
        if format.isGray {
            let isFull = depth == 14 ? 16 : depth
            return PixelFormat(name: isFull == 8 ? "gray" : "gray\(isFull)le")
        }
        let shift = format.isRGB || format.isPaletted || format.isXYZ ? (0, 0) : format.chromaShift
        let sampling =
            switch shift {
            case (1, 1): "420"
            case (1, 0): "422"
            case (2, 0), (2, 2), (2, 1): depth == 8 ? "411" : "422"
            default: "444"
            }
        return PixelFormat(name: "yuv\(sampling)p\(suffix)")
    }
}
