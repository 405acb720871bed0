internal import ScrubLibAV
internal import ScrubIndex
internal import ScrubPictures

extension FramePicture {
    /// Returns the size in pixels that the picture has with these options. Use it to allocate memory for
    /// ``write(_:alpha:options:into:bytesPerRow:)-(_,_,_,MutableRawSpan,_)``. The picture is not converted.
    ///
    /// - Throws: `usage` if the width or height is outside 1...16384.
    public func outputSize(options: FramePicture.Options = .init()) throws(ScrubError) -> (width: Int, height: Int) {
        let size = try pictureSize(options)
        return (size.width, size.height)
    }

    private func pictureSize(_ options: FramePicture.Options) throws(ScrubError) -> PictureSize {
        let own = naturalSize(isRaw: !options.appliesGeometry)
        let natural = PictureSize(width: own.width, height: own.height)
        switch options.size {
        case .natural: return natural
        case .exact(let width, let height):
            try PictureSize.check(width, "width")
            try PictureSize.check(height, "height")
            return PictureSize(width: width, height: height)
        case .width(let width):
            return width == own.width ? natural : try PictureSize(givenWidth: width, shape: own)
        case .height(let height):
            return height == own.height ? natural : try PictureSize(givenHeight: height, shape: own)
        case .maximum(let width, let height):
            if width != 0 { try PictureSize.check(width, "width") }
            if height != 0 { try PictureSize.check(height, "height") }
            return PictureSize(insideWidth: width, height: height, shape: own)
        }
    }

    /// Returns the size of the picture as displayed or as stored.
    private func naturalSize(isRaw: Bool) -> (width: Int, height: Int) {
        guard !isRaw else { return (width, height) }
        let facts = asset.index.facts
        var (seenWidth, seenHeight) = (width, height)
        if let area = facts.cleanAperture, area.fits(width: width, height: height) {
            (seenWidth, seenHeight) = (area.width, area.height)
        }
        return PictureRenderer.geometry(
            of: shared, codec: facts.descriptions.first, containerAspect: facts.sampleAspectRatio,
            displayMatrix: facts.displayMatrix
        )
        .outputSize(width: seenWidth, height: seenHeight)
    }

    /// Returns the picture as displayed, with a warning for each option that could not be applied.
    ///
    /// - Parameter isDeep: whether to also convert 8-bit pictures to 16 bits.
    func rendered(
        _ options: FramePicture.Options, isDeep: Bool = false
    ) throws(ScrubError) -> (image: RasterImage, warnings: [String]) {
        let facts = asset.index.facts
        let codec = facts.descriptions.first
        let (whole, alphaWarnings) = try asset.withAlpha(shared)
        let shared = options.deinterlaces ? try whole.firstField(alongEdges: true) : whole
        let size = try pictureSize(options)
        let own = naturalSize(isRaw: !options.appliesGeometry)
        let color = ColorSpec.resolve(frame: shared.frame, codec: codec).color
        let isMapped = options.dynamicRange == .forceSDR && ToneMapper.isNeeded(for: color)
        var (image, warnings): (RasterImage, [String])
        if size == PictureSize(width: own.width, height: own.height) {
            (image, warnings) = try PictureRenderer.render(
                shared, codec: codec, containerAspect: facts.sampleAspectRatio, displayMatrix: facts.displayMatrix,
                cleanAperture: facts.cleanAperture, rawGeometry: !options.appliesGeometry, isDeep: isDeep || isMapped)
        } else {
            let renderer = ThumbnailRenderer(
                sizes: [size], codec: codec, displayMatrix: facts.displayMatrix, cleanAperture: facts.cleanAperture,
                isRaw: !options.appliesGeometry, isDeep: isDeep)
            let made = try renderer.render(shared)
            guard let small = made.images.first else { throw ScrubError(.badData, "the picture cannot be shown") }
            (image, warnings) = (small, made.warnings)
        }
        if isMapped { image = image.toneMapped() }
        if let background = options.background { image = image.flattened(onto: background) }
        return (image, warnings + alphaWarnings)
    }
}
