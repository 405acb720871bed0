internal import CScrubWebP
package import ScrubBase

/// An encoder for WebP (RFC 9649).
package enum WebP {
    /// 14 bits for each side (RFC 9649, 2.5 and 3.4).
    static let longestSide = 16383

    /// Returns the picture as a WebP file with its alpha.
    ///
    /// Lossy pictures are limited-range BT.601 with color at half the resolution. The format supports nothing else. In
    /// flat areas, the nearest codes are written (``SubsampledPlanes``). The file cannot store primaries and transfer:
    /// readers interpret the values as sRGB, so tone-map first.
    ///
    /// - Parameters:
    ///   - quality: 0 to 100; for lossless files, the compression effort.
    ///   - method: 0 (fast) to 6 (small). Levels over 2 cost several times the time for a few percent.
    ///   - isLossless: whether the codes are kept exactly.
    /// - Throws: ``ScrubError/Code/usage`` for a picture with 16 bits or with a side over 16383.
    package static func encode(
        _ image: RasterImage, quality: Int, method: Int = 2, isLossless: Bool = false
    ) throws(ScrubError) -> [UInt8] {
        var config = try config(quality: quality, method: method, isLossless: isLossless)
        return try unsafe withPicture(image, isARGB: isLossless) { picture throws(ScrubError) in
            var writer = unsafe WebPMemoryWriter()
            unsafe WebPMemoryWriterInit(&writer)
            defer { unsafe WebPMemoryWriterClear(&writer) }
            unsafe picture.writer = unsafe WebPMemoryWrite
            let status = unsafe withUnsafeMutablePointer(to: &writer) { writer in
                unsafe picture.custom_ptr = UnsafeMutableRawPointer(writer)
                return unsafe WebPEncode(&config, &picture)
            }
            guard status != 0 else { throw failure(unsafe "encoding failed with code \(picture.error_code.rawValue)") }
            return unsafe [UInt8](UnsafeBufferPointer(start: writer.mem, count: writer.size))
        }
    }

    static func config(quality: Int, method: Int, isLossless: Bool) throws(ScrubError) -> WebPConfig {
        precondition((0...100).contains(quality), "WebP quality must be from 0 to 100")
        precondition((0...6).contains(method), "the WebP method must be from 0 to 6")
        var config = WebPConfig()
        guard unsafe WebPConfigInit(&config) != 0 else { throw failure("the library version is incompatible") }
        config.quality = Float(quality)
        config.method = Int32(method)
        config.lossless = isLossless ? 1 : 0
        // The colors under transparent pixels are part of a lossless picture.
        config.exact = isLossless ? 1 : 0
        return config
    }

    /// Calls `body` with the picture in libwebp's format.
    ///
    /// - Parameter isARGB: whether lossless coding or an animation follows, which require ARGB words.
    static func withPicture<Result>(
        _ image: RasterImage, isARGB: Bool, _ body: (inout WebPPicture) throws(ScrubError) -> Result
    ) throws(ScrubError) -> Result {
        try image.check8Bits(for: "WebP")
        try image.checkSize(for: "WebP", limit: longestSide)
        let colored = image.withChannels(image.hasAlpha ? 4 : 3)
        var picture = unsafe WebPPicture()
        guard unsafe WebPPictureInit(&picture) != 0 else { throw failure("the library version is incompatible") }
        defer { unsafe WebPPictureFree(&picture) }
        unsafe picture.use_argb = isARGB ? 1 : 0
        unsafe picture.width = Int32(colored.width)
        unsafe picture.height = Int32(colored.height)
        guard unsafe importPixels(colored, into: &picture) else { throw failure("out of memory") }
        return try unsafe body(&picture)
    }

    private static func importPixels(_ image: RasterImage, into picture: inout WebPPicture) -> Bool {
        let stride = Int32(image.bytesPerRow)
        if image.hasAlpha {
            return unsafe image.bytes.withUnsafeBufferPointer {
                unsafe WebPPictureImportRGBA(&picture, $0.baseAddress, stride)
            } != 0
        }
        if unsafe picture.use_argb != 0 {
            return unsafe image.bytes.withUnsafeBufferPointer {
                unsafe WebPPictureImportRGB(&picture, $0.baseAddress, stride)
            } != 0
        }
        guard unsafe WebPPictureAlloc(&picture) != 0 else { return false }
        let planes = SubsampledPlanes(image, isFullRange: false)
        unsafe copy(planes.luma, width: image.width, to: picture.y, stride: Int(picture.y_stride))
        unsafe copy(planes.blue, width: planes.chromaWidth, to: picture.u, stride: Int(picture.uv_stride))
        unsafe copy(planes.red, width: planes.chromaWidth, to: picture.v, stride: Int(picture.uv_stride))
        return true
    }

    private static func copy(_ plane: [UInt8], width: Int, to target: UnsafeMutablePointer<UInt8>, stride: Int) {
        unsafe plane.withUnsafeBufferPointer { rows in
            guard let start = rows.baseAddress else { return }
            for row in 0..<rows.count / width {
                unsafe (target + row * stride).update(from: start + row * width, count: width)
            }
        }
    }

    static func failure(_ reason: String) -> ScrubError { ScrubError(.inputOutput, "WebP: \(reason)") }
}
