internal import CScrubTurboJPEG
package import ScrubBase
package import ScrubLibAV

// JPEG as an encoder of a picture's own planes: no color is converted in either direction.
extension JPEG {
    /// Returns the luma and chroma planes of a picture, or its gray plane, as a baseline JPEG file.
    ///
    /// The values are encoded unchanged, whatever their matrix and range. A viewer that interprets the file as JFIF
    /// shows different colors.
    ///
    /// - Parameters:
    ///   - planes: the first planes, 1 or 3, or the one after them: alpha.
    ///   - quality: 1 to 100 in libjpeg's scale.
    /// - Precondition: the picture's format is ``ScrubLibAV/PixelFormat/planarEightBit``, and its sides are even where
    ///   chroma has half the resolution.
    package static func encode(
        planes: ClosedRange<Int>, of frame: borrowing Frame, quality: Int
    ) throws(ScrubError) -> [UInt8] {
        precondition(planes.count == 1 || planes == 0...2, "JPEG encodes one plane or the first three")
        guard let encoder = unsafe tjInitCompress() else { throw unsafe planesFailure(nil) }
        defer { unsafe tjDestroy(encoder) }
        guard let first = frame.samples(ofPlane: planes.lowerBound),
            let second = frame.samples(ofPlane: planes.count == 1 ? planes.lowerBound : 1),
            let third = frame.samples(ofPlane: planes.upperBound)
        else { throw ScrubError(.badData, "the picture is stored upside down") }
        let sampling = planes.count == 1 ? TJSAMP_GRAY : sampling(of: frame.pixelFormat)
        let strides = planes.map { Int32(frame.bytesFromRowToRow(ofPlane: $0)) }
        let (width, height) = (Int32(frame.width), Int32(frame.height))
        var out: UnsafeMutablePointer<UInt8>?
        var count: UInt = 0
        defer { unsafe tjFree(out) }
        let status = unsafe first.withUnsafeBufferPointer { first in
            unsafe second.withUnsafeBufferPointer { second in
                unsafe third.withUnsafeBufferPointer { third in
                    var bases = unsafe [first.baseAddress, second.baseAddress, third.baseAddress]
                    return unsafe tjCompressFromYUVPlanes(
                        encoder, &bases, width, strides, height, Int32(sampling.rawValue), &out, &count,
                        Int32(quality), TJFLAG_ACCURATEDCT)
                }
            }
        }
        guard status == 0, let out = unsafe out else { throw unsafe planesFailure(encoder) }
        return unsafe [UInt8](UnsafeBufferPointer(start: out, count: Int(count)))
    }

    /// Decodes a file that ``encode(planes:of:quality:)`` made into the planes of a picture of the same shape.
    ///
    /// - Throws: ``ScrubError/Code/badData`` if it is not such a file, or has another shape.
    package static func decode(
        _ bytes: Span<UInt8>, intoPlanes planes: ClosedRange<Int>, of frame: inout Frame
    ) throws(ScrubError) {
        guard let decoder = unsafe tjInitDecompress() else { throw unsafe planesFailure(nil) }
        defer { unsafe tjDestroy(decoder) }
        let wanted = planes.count == 1 ? TJSAMP_GRAY : sampling(of: frame.pixelFormat)
        var (width, height, sampling, colors) = (Int32(0), Int32(0), Int32(0), Int32(0))
        let isRead = unsafe bytes.withUnsafeBufferPointer {
            unsafe tjDecompressHeader3(decoder, $0.baseAddress, UInt($0.count), &width, &height, &sampling, &colors)
        }
        guard isRead == 0, width == frame.width, height == frame.height, sampling == Int32(wanted.rawValue) else {
            throw ScrubError(.badData, "the planes do not match the picture's shape")
        }
        // Memory for all planes, one after the other: TurboJPEG pads sides to whole blocks of color.
        let shapes = (0..<Int32(planes.count)).map {
            (width: Int(tjPlaneWidth($0, width, sampling)), rows: Int(tjPlaneHeight($0, height, sampling)))
        }
        guard shapes.allSatisfy({ $0.width > 0 && $0.rows > 0 }) else { throw unsafe planesFailure(decoder) }
        var strides = shapes.map { Int32($0.width) }
        let starts = shapes.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.width * $1.rows) }
        var status: Int32 = 0
        let samples = unsafe [UInt8](unsafeUninitializedCapacity: starts[shapes.count]) { room, filled in
            unsafe room.initialize(repeating: 0)
            filled = room.count
            var bases = unsafe starts.dropLast().map { start in unsafe room.baseAddress.map { unsafe $0 + start } }
            status = unsafe bytes.withUnsafeBufferPointer {
                unsafe tjDecompressToYUVPlanes(
                    decoder, $0.baseAddress, UInt($0.count), &bases, width, &strides, height, TJFLAG_ACCURATEDCT)
            }
        }
        guard status == 0 else { throw unsafe planesFailure(decoder) }
        for (place, plane) in planes.enumerated() {
            frame.fill(
                plane: plane, with: samples.span.extracting(starts[place]..<starts[place + 1]),
                bytesPerRow: shapes[place].width)
        }
    }

    private static func sampling(of format: PixelFormat) -> TJSAMP {
        switch format.chromaShift {
        case _ where format.isGray: TJSAMP_GRAY
        case (0, 0): TJSAMP_444
        case (1, 0): TJSAMP_422
        default: TJSAMP_420
        }
    }

    private static func planesFailure(_ coder: tjhandle?) -> ScrubError {
        ScrubError(.badData, "planes cannot be encoded or decoded as JPEG: \(unsafe reason(coder))")
    }
}
