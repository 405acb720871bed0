internal import CScrubWebP
package import ScrubBase

extension WebPAnimation {
    /// The owner of libwebp's decoder.
    @safe private struct Reader: ~Copyable {
        let pointer: OpaquePointer
        deinit { unsafe WebPAnimDecoderDelete(pointer) }
    }

    /// A picture of an animated WebP, and its end time.
    package struct Frame {
        /// The picture, 8-bit RGB over black.
        package let image: RasterImage
        /// The end time in milliseconds from the beginning.
        package let end: Int
    }

    /// Returns all pictures of an animated WebP.
    ///
    /// - Throws: ``ScrubError/Code/badData`` if the bytes are not an animated WebP picture, cannot be decoded, or have
    ///   more than 1000 pictures or 64 million pixels in total.
    package static func frames(of bytes: [UInt8]) throws(ScrubError) -> [Frame] {
        var frames: [Frame] = []
        var reason: String?
        unsafe bytes.withUnsafeBufferPointer { buffer in
            var data = unsafe WebPData(bytes: buffer.baseAddress, size: buffer.count)
            guard let pointer = unsafe WebPAnimDecoderNew(&data, nil) else {
                reason = "is not an animated WebP"
                return
            }
            let reader = unsafe Reader(pointer: pointer)
            var info = WebPAnimInfo()
            guard unsafe WebPAnimDecoderGetInfo(reader.pointer, &info) != 0 else {
                reason = "has no header"
                return
            }
            let pixels = Int(info.canvas_width) * Int(info.canvas_height)
            guard info.frame_count <= 1000, pixels * Int(info.frame_count) <= 64_000_000 else {
                reason = "has too many pictures: \(info.frame_count) at \(info.canvas_width) x \(info.canvas_height)"
                return
            }
            while unsafe WebPAnimDecoderHasMoreFrames(reader.pointer) != 0 {
                var (rgba, end): (UnsafeMutablePointer<UInt8>?, Int32) = (nil, 0)
                guard unsafe WebPAnimDecoderGetNext(reader.pointer, &rgba, &end) != 0, let rgba = unsafe rgba else {
                    reason = "its picture \(frames.count) cannot be decoded"
                    return
                }
                var rgb: [UInt8] = []
                rgb.reserveCapacity(3 * pixels)
                for pixel in 0..<pixels { for part in 0..<3 { unsafe rgb.append(rgba[4 * pixel + part]) } }
                frames.append(
                    Frame(
                        image: RasterImage(
                            width: Int(info.canvas_width), height: Int(info.canvas_height), channels: 3, bitDepth: 8,
                            bytes: rgb, color: .sRGB), end: Int(end)))
            }
            if frames.count != Int(info.frame_count) {
                reason = "has only \(frames.count) of \(info.frame_count) pictures"
            }
        }
        if let reason { throw ScrubError(.badData, reason) }
        return frames
    }
}
