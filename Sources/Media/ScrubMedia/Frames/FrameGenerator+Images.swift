internal import ScrubLibAV

/// A frame as displayable pixels, with the requested and the actual position.
public struct FrameImage: Sendable {
    /// The frame, its times and its verdict.
    public let answer: FrameAnswer
    /// The frame's pixels.
    public let pixels: PixelImage

    /// The time at which the frame appears on screen, in seconds after the first frame.
    public var actualTime: Rational { answer.actualTime }
    /// The requested time, clamped to the video.
    public var requestedTime: Rational { answer.requestedTime }
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
    ///   - position: the position to read. A position outside the video names its first or last frame.
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
        return FrameImage(answer: answer, pixels: pixels)
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
    ///     try result.encoded.file.write(to: "\(folder)/\(result.place).jpg")
    /// }
    /// ```
    ///
    /// The decoding threads encode the files. Memory use is that of a series of pictures. At most
    /// ``FrameSeries/windowLimit`` encoded files wait for their turn, or one per thread with
    /// ``FrameSeries/Order/asDecoded``.
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
        order: FrameSeries.Order = .asRequested, options: FramePicture.Options = .init(), quality: Int = 90
    ) -> EncodedFrameSeries {
        EncodedFrameSeries(
            request: request(positions, tolerance, order),
            product: EncodedProduct(asset: asset, format: format, options: options, quality: quality))
    }
}

extension FrameAnswer {
    /// Returns the picture.
    ///
    /// - Throws: `badData` with the reason if there is no picture.
    fileprivate func shownPicture(of asset: VideoAsset) throws(ScrubError) -> FramePicture {
        guard let picture else {
            throw ScrubError(
                .badData, "the frame cannot be decoded: \(verdict.wording ?? Wording(verdict.name))", file: asset.path,
                place: .frame(frame.number))
        }
        return picture
    }
}
