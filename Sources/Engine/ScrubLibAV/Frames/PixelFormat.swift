internal import CScrubFFmpeg

/// A pixel format of libav, with the properties needed to read planes and to choose a picture format.
package struct PixelFormat: Hashable, Sendable {
    package let rawValue: Int32

    init(_ format: AVPixelFormat) { rawValue = format.rawValue }
    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// The format with the same samples that does not imply full range (for `yuvj420p` and similar formats).
    package var withoutRange: PixelFormat {
        switch native {
        case AV_PIX_FMT_YUVJ420P: PixelFormat(AV_PIX_FMT_YUV420P)
        case AV_PIX_FMT_YUVJ422P: PixelFormat(AV_PIX_FMT_YUV422P)
        case AV_PIX_FMT_YUVJ444P: PixelFormat(AV_PIX_FMT_YUV444P)
        case AV_PIX_FMT_YUVJ440P: PixelFormat(AV_PIX_FMT_YUV440P)
        case AV_PIX_FMT_YUVJ411P: PixelFormat(AV_PIX_FMT_YUV411P)
        default: self
        }
    }

    package static let rgb24 = PixelFormat(AV_PIX_FMT_RGB24)
    package static let rgba = PixelFormat(AV_PIX_FMT_RGBA)
    package static let rgb48 = PixelFormat(scrub_rgb48)
    package static let rgba64 = PixelFormat(scrub_rgba64)
    package static let gray8 = PixelFormat(AV_PIX_FMT_GRAY8)
    package static let gray16 = PixelFormat(scrub_gray16)

    var native: AVPixelFormat { AVPixelFormat(rawValue) }
    private var descriptor: AVPixFmtDescriptor? { unsafe av_pix_fmt_desc_get(native)?.pointee }
    func has(_ flag: Int32) -> Bool { unsafe (descriptor?.flags ?? 0) & UInt64(flag) != 0 }

    /// libav's name, such as `yuv420p10le`; empty if the format is not known.
    package var name: String { unsafe av_get_pix_fmt_name(native).map { unsafe String(cString: $0) } ?? "" }
    package var hasAlpha: Bool { has(AV_PIX_FMT_FLAG_ALPHA) || isPaletted }
    package var isPaletted: Bool { has(AV_PIX_FMT_FLAG_PAL) }
    package var isRGB: Bool { has(AV_PIX_FMT_FLAG_RGB) }
    package var isGray: Bool { unsafe (descriptor?.nb_components ?? 0) <= 2 && !isPaletted && !isRGB }
    /// Whether the samples are binary16 or binary32 numbers. In libavutil 57, not all such formats have the flag.
    package var isFloat: Bool { has(AV_PIX_FMT_FLAG_FLOAT) || name.hasPrefix("rgbaf16") }
    /// Whether the samples are in a device's memory.
    package var isHardware: Bool { has(AV_PIX_FMT_FLAG_HWACCEL) }
    /// The number of significant bits of the deepest component.
    package var bitDepth: Int {
        guard let d = unsafe descriptor else { return 8 }
        let all = unsafe [d.comp.0, d.comp.1, d.comp.2, d.comp.3].prefix(Int(d.nb_components))
        return Int(all.map(\.depth).max() ?? 8)
    }
    /// Whether the format is full range by name (`yuvj420p` and similar formats).
    package var isFullRangeByName: Bool { name.hasPrefix("yuvj") }
    /// Base-two logarithms of the chroma subsampling.
    package var chromaShift: (x: Int, y: Int) {
        unsafe (Int(descriptor?.log2_chroma_w ?? 0), Int(descriptor?.log2_chroma_h ?? 0))
    }

    /// The number of planes with samples; a palette is the second plane of a paletted picture.
    package var planeCount: Int { isPaletted ? 2 : Int(max(0, av_pix_fmt_count_planes(native))) }

    /// Returns the number of visible bytes in a row of a plane, and the number of its rows, for a picture of a given
    /// size.
    package func planeShape(_ plane: Int, width: Int, height: Int) -> (bytesPerRow: Int, rows: Int) {
        if isPaletted, plane == 1 { return (256 * 4, 1) }
        let bytes = Int(max(0, av_image_get_linesize(native, Int32(width), Int32(plane))))
        let isChroma = (plane == 1 || plane == 2) && !isRGB
        let shift = isChroma ? chromaShift.y : 0
        return (bytes, (height + (1 << shift) - 1) >> shift)
    }

    /// Returns the number of bytes of all planes of a picture without padding.
    package func byteCount(width: Int, height: Int) -> Int {
        (0..<planeCount).reduce(0) {
            let shape = planeShape($1, width: width, height: height)
            return $0 + shape.bytesPerRow * shape.rows
        }
    }
}
