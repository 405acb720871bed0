internal import ScrubLibAV
internal import ScrubPictures

/// A frame as displayable pixels, with the requested and the actual position.
///
/// Thread safety: a value type. The caller owns the pixels.
public struct FrameImage: Sendable {
    /// The frame in the image.
    public let frame: PresentedFrame
    /// The requested frame. It is equal to ``frame`` unless a tolerance was given.
    public let requestedFrame: PresentedFrame
    /// The requested time in seconds after the first frame, clamped to the video.
    public let requestedTime: Rational
    /// The verdict on the picture: whether it is exactly the requested frame.
    public let verdict: Verdict
    /// The frame's pixels.
    public let pixels: PixelImage
    /// The number of coded pictures given to the decoder for this answer.
    public let decodedPictureCount: Int

    /// The time at which the frame appears on screen, in seconds after the first frame.
    public var actualTime: Rational { frame.time }

    init(_ answer: FrameAnswer, _ pixels: PixelImage) {
        (frame, requestedFrame, requestedTime) = (answer.frame, answer.requestedFrame, answer.requestedTime)
        (verdict, decodedPictureCount, self.pixels) = (answer.verdict, answer.decodedPictureCount, pixels)
    }
}

extension FrameGenerator {
    /// Returns the frame at a position as pixels: 8-bit RGBA, upright and with square pixels unless the options say
    /// otherwise.
    ///
    /// ```swift
    /// let image = try await generator.image(at: .seconds(12.5), options: FramePicture.Options(size: .maximum(width: 640, height: 360)))
    /// ```
    ///
    /// Decoding and conversion run on the library's own threads.
    ///
    /// - Parameters:
    ///   - position: a position within the video.
    ///   - tolerance: the allowed distance of the returned frame from the position.
    ///   - layout: the layout of a pixel in memory.
    ///   - alpha: whether colors are multiplied by alpha.
    ///   - options: size, geometry, dynamic range, background.
    /// - Throws: the errors of ``frame(at:tolerance:)``; ``ScrubError`` with `badData` when the frame cannot be
    ///   decoded, `usage` for a side outside 1...16384.
    public func image(
        at position: FramePosition, tolerance: FrameTolerance = .exact, layout: PixelLayout = .rgba8,
        alpha: AlphaMode = .straight, options: FramePicture.Options = .init()
    ) async throws -> FrameImage {
        let answer = try await frame(at: position, tolerance: tolerance)
        let picture = try answer.shownPicture(of: asset)
        let pixels = try await BlockingThreads.shared.run { try picture.pixels(layout, alpha: alpha, options: options) }
        try Task.checkCancellation()
        return FrameImage(answer, pixels)
    }

    /// Returns the frame at a position as a file in memory.
    ///
    /// - Parameters:
    ///   - format: JPEG, PNG, WebP or AVIF.
    ///   - quality: the encoder's quality, from 1 to 100. It has no effect on PNG.
    /// - Throws: the errors of ``image(at:tolerance:layout:alpha:options:)`` and
    ///   ``FramePicture/encoded(as:options:quality:)``.
    public func encodedImage(
        at position: FramePosition, as format: ImageFormat, tolerance: FrameTolerance = .exact,
        options: FramePicture.Options = .init(), quality: Int = 90
    ) async throws -> EncodedPicture {
        let picture = try await frame(at: position, tolerance: tolerance).shownPicture(of: asset)
        let encoded = try await BlockingThreads.shared.run {
            try picture.encoded(as: format, options: options, quality: quality)
        }
        try Task.checkCancellation()
        return encoded
    }

    /// Returns encoded frames at several positions, with one result for each, just as ``frames(at:tolerance:order:)``
    /// returns pictures.
    ///
    /// ```swift
    /// for try await result in generator.encodedFrames(at: positions, as: .jpeg, order: .asDecoded) {
    ///     try result.get().file.write(to: "\(folder)/\(result.place).jpg")
    /// }
    /// ```
    ///
    /// The decoding threads encode the files. Memory use is the same as for a series of pictures. At most 32 encoded
    /// files wait to be delivered in order, or one per thread with ``Order/asDecoded``.
    ///
    /// - Parameters:
    ///   - positions: any number of positions, in any order.
    ///   - format: JPEG, PNG, WebP or AVIF.
    ///   - tolerance: the allowed distance of a returned frame from its position.
    ///   - order: the order of the results.
    ///   - options: size, geometry, dynamic range, background.
    ///   - quality: the encoder's quality, from 1 to 100. It has no effect on PNG. For any other value, the first
    ///     `next()` throws `usage`.
    public func encodedFrames(
        at positions: some Sequence<FramePosition> & Sendable, as format: ImageFormat,
        tolerance: FrameTolerance = .exact,
        order: Order = .asRequested, options: FramePicture.Options = .init(), quality: Int = 90
    ) -> FrameSeries<EncodedFrame> {
        // The decoding threads encode files in parallel.
        let output = ConvertedOutput<EncodedPicture, EncodedFrame>(
            asset, check: { () throws(ScrubError) in try ImageFormat.check(quality: quality) },
            convert: { (picture) throws(ScrubError) in
                try picture.encoded(as: format, options: options, quality: quality, threads: 1)
            },
            combine: { EncodedFrame($0, $1) })
        return FrameSeries(request(positions, tolerance, order), output)
    }

    /// Returns frames at several positions as pixels, with one result for each, just as
    /// ``frames(at:tolerance:order:)`` returns pictures.
    ///
    /// ```swift
    /// for try await result in generator.images(at: positions, options: .init(size: .width(320))) {
    ///     let image = try result.get()
    ///     print(image.frame.number, image.pixels.width, image.pixels.height)
    /// }
    /// ```
    ///
    /// The decoding threads convert the pictures. Memory use is the same as for a series of pictures. At most 32 images
    /// wait to be delivered in order, or one per thread with ``Order/asDecoded``.
    ///
    /// - Parameters:
    ///   - positions: any number of positions, in any order.
    ///   - tolerance: the allowed distance of a returned frame from its position.
    ///   - order: the order of the results.
    ///   - layout: the layout of a pixel in memory.
    ///   - alpha: whether colors are multiplied by alpha.
    ///   - options: size, geometry, dynamic range, background.
    public func images(
        at positions: some Sequence<FramePosition> & Sendable, tolerance: FrameTolerance = .exact,
        order: Order = .asRequested, layout: PixelLayout = .rgba8, alpha: AlphaMode = .straight,
        options: FramePicture.Options = .init()
    ) -> FrameSeries<FrameImage> {
        let output = ConvertedOutput<PixelImage, FrameImage>(
            asset,
            convert: { (picture) throws(ScrubError) in try picture.pixels(layout, alpha: alpha, options: options) },
            combine: { FrameImage($0, $1) })
        return FrameSeries(request(positions, tolerance, order), output)
    }
}

extension FrameAnswer {
    /// Returns the picture.
    ///
    /// - Throws: `badData` with the reason if there is no picture.
    fileprivate func shownPicture(of asset: VideoAsset) throws(ScrubError) -> FramePicture {
        guard let picture else {
            throw .undecodable(verdict, file: asset.path, place: .frame(frame.number))
        }
        return picture
    }
}
