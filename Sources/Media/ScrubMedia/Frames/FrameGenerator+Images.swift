internal import ScrubLibAV
internal import ScrubPictures

/// A frame as displayable pixels, with its requested and actual positions.
///
/// Thread safety: a value type. The caller owns the pixels.
public struct FrameImage: Sendable {
    /// The frame that the image shows.
    public let frame: PresentedFrame
    /// The requested frame. It differs from ``frame`` only if a tolerance allowed another frame.
    public let requestedFrame: PresentedFrame
    /// The requested time, in seconds after the first frame, clamped to the video.
    public let requestedTime: Rational
    /// The verdict on the picture: whether it is exactly the requested frame.
    public let verdict: Verdict
    /// The frame's pixels.
    public let pixels: PixelImage
    /// The number of coded pictures that were fed to the decoder for this answer.
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
    ///   - tolerance: how far the returned frame may be from the position.
    ///   - layout: the pixel layout in memory.
    ///   - alpha: whether colors are premultiplied by alpha.
    ///   - options: the size, geometry, dynamic range and background.
    /// - Throws: the errors of ``frame(at:tolerance:cancelsPending:)``; ``ScrubError`` with `badData` if the frame
    ///   cannot be decoded,
    ///   or `usage` if the width or height is outside 1...16384.
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

    /// Returns the frame at a position, encoded as a file in memory.
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

    /// Returns encoded frames at several positions, with one result for each position. Apart from the encoding, it
    /// works like ``frames(at:tolerance:order:)``.
    ///
    /// ```swift
    /// for try await result in generator.encodedFrames(at: positions, as: .jpeg, order: .asDecoded) {
    ///     try result.get().file.write(to: "\(folder)/\(result.index).jpg")
    /// }
    /// ```
    ///
    /// The decoding threads encode the files. Memory use is the same as for a series of pictures. To deliver results in
    /// order, the series holds back at most 32 encoded files. With ``Order/asDecoded``, it holds back at most one per
    /// thread.
    ///
    /// - Parameters:
    ///   - positions: any number of positions, in any order.
    ///   - format: JPEG, PNG, WebP or AVIF.
    ///   - tolerance: how far a returned frame may be from its position.
    ///   - order: the order of the results.
    ///   - options: the size, geometry, dynamic range and background.
    ///   - quality: the encoder's quality. It has no effect on PNG. For a value outside 1...100, the first `next()`
    ///     throws `usage`.
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

    /// Returns frames at several positions as pixels, with one result for each position. Apart from the conversion, it
    /// works like ``frames(at:tolerance:order:)``.
    ///
    /// ```swift
    /// for try await result in generator.images(at: positions, options: .init(size: .width(320))) {
    ///     let image = try result.get()
    ///     print(image.frame.number, image.pixels.width, image.pixels.height)
    /// }
    /// ```
    ///
    /// The decoding threads convert the pictures. Memory use is the same as for a series of pictures. To deliver
    /// results in order, the series holds back at most 32 images. With ``Order/asDecoded``, it holds back at most one
    /// per thread.
    ///
    /// - Parameters:
    ///   - positions: any number of positions, in any order.
    ///   - tolerance: how far a returned frame may be from its position.
    ///   - order: the order of the results.
    ///   - layout: the pixel layout in memory.
    ///   - alpha: whether colors are premultiplied by alpha.
    ///   - options: the size, geometry, dynamic range and background.
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
