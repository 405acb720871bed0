package import ScrubLibAV
package import ScrubBase

/// Renders decoded frames as small upright pictures. They are reduced on the stored planes first, so that color
/// conversion, rotation, and everything else process only the remaining pixels.
///
/// Thread safety: safe from any thread. Memory: libswscale's tables, for as many threads as work at once.
package final class ThumbnailRenderer: Sendable {
    /// The sizes that are made of each frame, upright, in square pixels.
    package let sizes: [PictureSize]
    private let codec: CodecDescription?
    private let displayMatrix: [Int32]?
    private let cleanAperture: CleanAperture?
    private let shape: (width: Int, height: Int)?
    private let containerAspect: Rational?
    private let isRaw: Bool
    private let isDeep: Bool
    private let deinterlaces: Bool
    /// The idle reducers, by output size; they are kept because of their tables.
    private let idle: Locked<[PictureSize: [Reducer]]>
    /// The reducers by color; `nil` for colors that are reduced on their codes.
    private let lightReducers = Locked<[ColorSpec: LinearLightReducer?]>([:])

    private final class Reducer: @unchecked Sendable {
        // Passed between threads under the lock, and used by one at a time.
        var reducer = FrameReducer()
    }

    /// - Parameters:
    ///   - sizes: upright, in square pixels.
    ///   - codec: the stream's description, for tags that frames do not have.
    ///   - displayMatrix: the container's nine numbers, which take precedence over the frame's side data.
    ///   - cleanAperture: the visible part; `nil` for all.
    ///   - shape: the upright shape for which the sizes were made. A picture of another shape keeps its own, with black
    ///     borders. `nil` to scale every picture to the sizes.
    ///   - containerAspect: the container's sample aspect ratio, for the shapes of pictures.
    ///   - isRaw: whether the stored pixel grid is only scaled down, without cropping or rotation.
    ///   - isDeep: whether 8-bit pictures are converted to 16 bits too.
    ///   - deinterlaces: whether the missing rows of interlaced pictures are interpolated along edges.
    package init(
        sizes: [PictureSize], codec: CodecDescription?, displayMatrix: [Int32]?, cleanAperture: CleanAperture?,
        shape: (width: Int, height: Int)? = nil, containerAspect: Rational? = nil, isRaw: Bool = false,
        isDeep: Bool = false, deinterlaces: Bool = false
    ) {
        self.deinterlaces = deinterlaces
        (self.shape, self.containerAspect) = (shape, containerAspect)
        (self.sizes, self.codec, self.displayMatrix) = (sizes, codec, displayMatrix)
        (self.cleanAperture, self.isRaw, self.isDeep) = (isRaw ? nil : cleanAperture, isRaw, isDeep)
        idle = Locked([:])
    }

    /// Returns the pictures of a frame, one for each size: gray or RGB, with the source's alpha, in the source's
    /// primaries and transfer. They have 16 bits for deeper sources and those that will be tone-mapped. For interlaced
    /// pictures, the first field is used.
    ///
    /// Cost: a pass over the frame's planes for each size, a millisecond or two for 1080p. High dynamic range is
    /// reduced in linear light (``LinearLightReducer``), in one pass for all sizes.
    package func render(_ shared: SharedFrame) throws(ScrubError) -> (images: [RasterImage], warnings: [String]) {
        guard !shared.frame.pixelFormat.isHardware else {
            throw ScrubError(.unavailable, "the picture is in device memory (\(shared.frame.pixelFormat.name))")
        }
        // The colors of untagged pictures depend on their size, which is lost with the reduction.
        let (color, warnings) = ColorSpec.resolve(frame: shared.frame, codec: codec)
        let geometry = PictureRenderer.geometry(
            of: shared, codec: codec, containerAspect: nil, displayMatrix: displayMatrix)
        let orientation = isRaw ? .upright : geometry.orientation
        let isTurned = orientation.swapsAxes
        let inside = insideSizes(shared)
        let stored = inside.map { isTurned ? PictureSize(width: $0.height, height: $0.width) : $0 }
        let seen = try cropped(try progressive(shared))
        var images: [RasterImage] = []
        if let reducer = lightReducer(for: color),
            let made = reducer.reduce(
                seen.frame, color, to: stored, codec: codec)
        {
            images = made
        } else {
            for size in stored { images.append(try raster(seen, size, color)) }
        }
        return (zip(images, sizes).map { $0.turned(orientation).placed(in: $1) }, warnings)
    }

    /// Returns the sizes of a picture inside the output sizes.
    private func insideSizes(_ shared: SharedFrame) -> [PictureSize] {
        guard let shape else { return sizes }
        let own = PictureRenderer.size(
            of: shared, codec: codec, containerAspect: containerAspect, displayMatrix: displayMatrix,
            cleanAperture: cleanAperture, rawGeometry: isRaw)
        return sizes.map { $0.fitting(own, amongPicturesOf: shape) }
    }

    /// Returns the picture reduced on its codes.
    private func raster(
        _ seen: SharedFrame, _ size: PictureSize, _ color: ColorSpec
    ) throws(ScrubError) -> RasterImage {
        let small = try reduced(seen, to: size)
        let isConverted = small.frame.pixelFormat.isRGB && !seen.frame.pixelFormat.isRGB
        let meaning = isConverted ? color.asRGB : color
        return try Rasterizer(
            color: meaning, codec: codec, isAlwaysDeep: isDeep || ToneMapper.isNeeded(for: meaning)
        ).raster(small.frame)
    }

    /// Returns the first field of an interlaced frame as a progressive picture, since two moments in one picture still
    /// look like a comb.
    private func progressive(_ shared: SharedFrame) throws(ScrubError) -> SharedFrame {
        // Otherwise, the reducer uses only the rows of the field.
        try shared.firstField(alongEdges: deinterlaces)
    }

    private func cropped(_ whole: SharedFrame) throws(ScrubError) -> SharedFrame {
        do throws(AVError) {
            return try whole.cropped(to: cleanAperture)
        } catch {
            throw error.scrubError("the picture cannot be cropped")
        }
    }

    /// Returns the reducer for a color; its tables are created once for each color of the stream's pictures.
    private func lightReducer(for color: ColorSpec) -> LinearLightReducer? {
        var key = color
        key.peak = nil
        if let known = lightReducers.withLock({ $0[key] }) { return known }
        let made = LinearLightReducer(color)
        lightReducers.withLock { $0[key] = .some(made) }
        return made
    }

    private func reduced(_ shared: SharedFrame, to size: PictureSize) throws(ScrubError) -> SharedFrame {
        let idleOne = idle.withLock { $0[size]?.popLast() }
        let own = idleOne ?? Reducer()
        defer { idle.withLock { $0[size, default: []].append(own) } }
        do throws(AVError) {
            return SharedFrame(try own.reducer.reduce(shared.frame, width: size.width, height: size.height))
        } catch {
            throw error.scrubError("the picture cannot be scaled")
        }
    }
}

extension SharedFrame {
    /// Returns an interlaced picture's first field at full height (``Frame/wholeFirstField(alongEdges:)``); the picture
    /// itself if it is not interlaced or its format is not supported.
    package func firstField(alongEdges: Bool) throws(ScrubError) -> SharedFrame {
        guard frame.isInterlaced else { return self }
        do throws(AVError) {
            guard let whole = try frame.wholeFirstField(alongEdges: alongEdges) else { return self }
            return SharedFrame(whole)
        } catch {
            throw error.scrubError("the first field cannot be expanded to the picture's full height")
        }
    }
}
