internal import CScrubTurboJPEG
package import ScrubBase

extension JPEG {
    /// Returns the pixels of a JPEG file in memory, 8-bit RGB with color at full size.
    ///
    /// If the end of a file is missing, that part stays as the decoder leaves it, as in common viewers.
    ///
    /// Memory: three bytes a pixel, and libjpeg's own memory (for a progressive file two bytes for each sample).
    ///
    /// - Parameter byteLimit: the maximum number of bytes of pixels; a larger picture is rejected before memory is
    ///   allocated.
    /// - Throws: ``ScrubError/Code/badData`` if the bytes cannot be decoded as a JPEG picture, or the picture is beyond
    ///   the limit.
    package static func decode(_ bytes: [UInt8], byteLimit: Int = 1 << 30) throws(ScrubError) -> RasterImage {
        let (decoder, width, height) = unsafe try opened(bytes)
        defer { unsafe tjDestroy(decoder) }
        // Sides have 16 bits: no product overflows.
        let count = width * height * 3
        guard count <= byteLimit else {
            throw ScrubError(.badData, "\(width)x\(height) pixels need \(count) bytes, but the limit is \(byteLimit)")
        }
        var status: Int32 = 0
        let pixels = unsafe [UInt8](unsafeUninitializedCapacity: count) { pixels, filled in
            unsafe pixels.initialize(repeating: 0)
            filled = count
            status = unsafe bytes.withUnsafeBufferPointer { source in
                unsafe tjDecompress2(
                    decoder, source.baseAddress, UInt(source.count), pixels.baseAddress, Int32(width), 0,
                    Int32(height), Int32(TJPF_RGB.rawValue), TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS)
            }
        }
        guard unsafe status == 0 || tjGetErrorCode(decoder) == TJERR_WARNING.rawValue else {
            throw unsafe refusal(decoder)
        }
        return RasterImage(width: width, height: height, channels: 3, bitDepth: 8, bytes: pixels, color: .sRGB)
    }

    /// Returns the size of a JPEG picture from its frame header.
    ///
    /// - Throws: ``ScrubError/Code/badData`` if the bytes are not a JPEG picture.
    package static func size(of bytes: [UInt8]) throws(ScrubError) -> (width: Int, height: Int) {
        let (decoder, width, height) = unsafe try opened(bytes)
        unsafe tjDestroy(decoder)
        return (width, height)
    }

    /// Returns whether a file begins like a JPEG file: start of image, and a marker (Rec. ITU-T T.81, B.1.1.3).
    package static func isJPEG(_ head: some Collection<UInt8>) -> Bool { head.starts(with: [0xFF, 0xD8, 0xFF]) }

    private static func opened(_ bytes: [UInt8]) throws(ScrubError) -> (tjhandle, width: Int, height: Int) {
        guard let decoder = unsafe tjInitDecompress() else { throw unsafe refusal(nil) }
        var (width, height, sampling, colors) = (Int32(0), Int32(0), Int32(0), Int32(0))
        let status = unsafe bytes.withUnsafeBufferPointer {
            unsafe tjDecompressHeader3(decoder, $0.baseAddress, UInt($0.count), &width, &height, &sampling, &colors)
        }
        let sides = 1...Int32(JPEGLimits.longestSide)
        let isWarning = unsafe tjGetErrorCode(decoder) == TJERR_WARNING.rawValue
        guard status == 0 || isWarning, sides.contains(width), sides.contains(height) else {
            let refusal = unsafe refusal(decoder)
            unsafe tjDestroy(decoder)
            throw refusal
        }
        return unsafe (decoder, Int(width), Int(height))
    }

    private static func refusal(_ decoder: tjhandle?) -> ScrubError {
        ScrubError(.badData, "cannot be decoded as a JPEG picture: \(unsafe reason(decoder))")
    }
}
