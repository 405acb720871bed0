internal import CScrubWebP
package import ScrubBase

/// An encoder of an animated WebP, frame by frame, that loops forever.
///
/// Frames are compared with the previous ones and only changes are written. Memory: two pictures of 32 bits per pixel
/// and the encoded bytes so far.
package struct WebPAnimation: ~Copyable {
    /// The owner of libwebp's encoder.
    @safe private struct Handle: ~Copyable {
        let pointer: OpaquePointer
        deinit { unsafe WebPAnimEncoderDelete(pointer) }

        var reason: String { unsafe WebPAnimEncoderGetError(pointer).map { unsafe String(cString: $0) } ?? "" }
    }

    package let width: Int
    package let height: Int
    private let handle: Handle
    private let config: WebPConfig
    /// The beginning of the next frame, in milliseconds.
    private var end = 0
    private var frameCount = 0

    /// - Parameters: the same as for ``WebP/encode(_:quality:method:isLossless:)``.
    /// - Throws: ``ScrubError/Code/usage`` for a side over 16383.
    /// - Precondition: both sides are positive.
    package init(
        width: Int, height: Int, quality: Int, method: Int = 2, isLossless: Bool = false
    ) throws(ScrubError) {
        precondition(width > 0 && height > 0, "an empty animation")
        let config = try WebP.config(quality: quality, method: method, isLossless: isLossless)
        let handle = try Self.open(width: width, height: height)
        self.width = width
        self.height = height
        self.config = config
        self.handle = handle
    }

    private static func open(width: Int, height: Int) throws(ScrubError) -> Handle {
        guard max(width, height) <= WebP.longestSide else {
            throw ScrubError(
                .usage,
                "a picture of \(width)x\(height) pixels is too large for WebP, which allows at most \(WebP.longestSide) pixels per side",
                advice: "make the pictures smaller")
        }
        var options = WebPAnimEncoderOptions()
        guard unsafe WebPAnimEncoderOptionsInit(&options) != 0 else {
            throw WebP.failure("the library version is incompatible")
        }
        options.anim_params.loop_count = 0  // for ever
        guard let pointer = unsafe WebPAnimEncoderNew(Int32(width), Int32(height), &options) else {
            throw WebP.failure("out of memory")
        }
        return unsafe Handle(pointer: pointer)
    }

    /// Appends a frame with a duration.
    ///
    /// - Throws: ``ScrubError/Code/usage`` for a picture of another size or with 16 bits, and for an animation that is
    ///   longer than the format allows.
    /// - Precondition: the duration is positive.
    package mutating func append(_ image: RasterImage, milliseconds: Int) throws(ScrubError) {
        precondition(milliseconds > 0, "a frame must be shown for at least 1 ms")
        guard image.width == width, image.height == height else {
            throw ScrubError(
                .usage, "a frame has \(image.width)x\(image.height) pixels, but the animation has \(width)x\(height)",
                advice: "scale all frames to the same size")
        }
        // 24 bits for a frame (RFC 9649, 2.7.1.1); libwebp adds them up in 31.
        guard milliseconds < 1 << 24, end <= Int(Int32.max) - milliseconds else {
            throw ScrubError(
                .usage, "the animation is too long: a frame of \(milliseconds) ms was added after \(end) ms",
                advice: "a frame can last at most 16777215 ms, and the whole animation at most 2147483647 ms")
        }
        let start = Int32(end)
        let handle = unsafe handle.pointer
        var config = config
        let status = try unsafe WebP.withPicture(image, isARGB: true) { picture throws(ScrubError) in
            unsafe WebPAnimEncoderAdd(handle, &picture, start, &config)
        }
        guard status != 0 else { throw WebP.failure(self.handle.reason) }
        end += milliseconds
        frameCount += 1
    }

    /// Returns the file's bytes.
    ///
    /// - Throws: ``ScrubError/Code/usage`` if no frame was added.
    package consuming func finish() throws(ScrubError) -> [UInt8] {
        guard frameCount > 0 else {
            throw ScrubError(.usage, "the animation has no frames", advice: "append a frame first")
        }
        var data = unsafe WebPData()
        unsafe WebPDataInit(&data)
        defer { unsafe WebPDataClear(&data) }
        guard unsafe WebPAnimEncoderAdd(handle.pointer, nil, Int32(end), nil) != 0,
            unsafe WebPAnimEncoderAssemble(handle.pointer, &data) != 0
        else { throw WebP.failure(handle.reason) }
        return unsafe [UInt8](UnsafeBufferPointer(start: data.bytes, count: data.size))
    }
}
