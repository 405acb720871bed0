extension VideoAsset {
    /// Returns the frame at a position or, if a tolerance is given, a nearby frame that is cheaper to decode.
    ///
    /// Each call opens a decoder. For more than one frame, create a ``FrameGenerator`` and keep it: it reuses decoders
    /// and pictures.
    ///
    /// - Parameters:
    ///   - position: a position within the video.
    ///   - tolerance: how far the returned frame may be from the position.
    ///   - resources: the decoders and memory to share with other objects. By default, nothing is shared.
    /// - Returns: the frame, with its own time and the requested time. Damage in the file is reported by the answer's
    ///   verdict, not thrown as an error.
    /// - Throws: the errors of ``FrameGenerator/frame(at:tolerance:cancelsPending:)``; `unavailable` if fewer than
    ///   ``FrameReader/Options/minimumByteCount(for:isSeries:)`` bytes are free in `resources`.
    public func frame(
        at position: FramePosition, tolerance: FrameTolerance = .exact, resources: DecodingResources = .automatic
    ) async throws -> FrameAnswer {
        try await withSingleFrameGenerator(resources) { try await $0.frame(at: position, tolerance: tolerance) }
    }

    /// Returns the pixels of the frame at a position or, if a tolerance is given, of a nearby frame that is cheaper to
    /// decode.
    ///
    /// Each call opens a decoder. For more than one image, create a ``FrameGenerator`` and keep it.
    ///
    /// - Parameters:
    ///   - position: a position within the video.
    ///   - tolerance: how far the returned frame may be from the position.
    ///   - layout: the layout of the pixels.
    ///   - alpha: whether colors are premultiplied by alpha.
    ///   - options: the size, geometry, dynamic range and background of the image.
    ///   - resources: the decoders and memory to share with other objects. By default, nothing is shared.
    /// - Returns: the pixels, which the caller owns, together with the frame's properties and verdict.
    /// - Throws: the errors of ``FrameGenerator/image(at:tolerance:layout:alpha:options:)``; `unavailable` if fewer
    ///   than ``FrameReader/Options/minimumByteCount(for:isSeries:)`` bytes are free in `resources`.
    public func image(
        at position: FramePosition, tolerance: FrameTolerance = .exact, layout: PixelLayout = .rgba8,
        alpha: AlphaMode = .straight, options: FramePicture.Options = .init(),
        resources: DecodingResources = .automatic
    ) async throws -> FrameImage {
        try await withSingleFrameGenerator(resources) {
            try await $0.image(at: position, tolerance: tolerance, layout: layout, alpha: alpha, options: options)
        }
    }

    /// Calls a closure with a generator that has one decoder and keeps no picture, and gives its share of the resources
    /// back before it returns.
    private func withSingleFrameGenerator<Result: Sendable>(
        _ resources: DecodingResources, _ body: (FrameGenerator) async throws -> Result
    ) async throws -> Result {
        var options = FrameReader.Options()
        (options.decoderLimit, options.cacheByteLimit) = (1, 0)
        let generator = try FrameGenerator(self, options: options, resources: resources)
        do {
            let result = try await body(generator)
            await generator.leave()
            return result
        } catch {
            await generator.leave()
            throw error
        }
    }
}
