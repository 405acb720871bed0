internal import ScrubFileIO
internal import ScrubIndex
internal import ScrubPictures
package import ScrubMedia

extension FramePicture {
    /// Returns the picture as a poster: upright, with square pixels, tone-mapped to SDR, 8 bits, opaque.
    ///
    /// - Parameters:
    ///   - format: the file's format.
    ///   - width: the width in pixels; `nil` to keep the picture's width.
    ///   - side: the maximum length of the longer side, in pixels. A smaller picture is not enlarged.
    ///   - quality: the encoder's quality, from 1 to 100. It has no effect on PNG.
    ///   - background: the color behind transparent pixels.
    ///   - deinterlaces: whether to interpolate the missing rows of interlaced pictures along edges.
    /// - Throws: `usage` if the quality is out of range or a side would be outside 1...16384, `badData` if the picture
    ///   cannot be converted.
    package func posterFile(
        as format: ImageFormat, width: Int? = nil, fittingSide side: Int? = nil, quality: Int = 90,
        background: RGBColor = .black, deinterlaces: Bool = false
    ) throws(ScrubError) -> EncodedPicture {
        try ImageFormat.check(quality: quality)
        var (image, warnings) = (RasterImage?.none, [String]())
        if let side {
            try PictureSize.check(side, "side")
            let shape = shownSize()
            let size = PictureSize(side: min(side, max(shape.width, shape.height)), shape: shape)
            (image, warnings) = try small(size, background: background, deinterlaces: deinterlaces)
        } else {
            (image, warnings) = try small(width: width, background: background, deinterlaces: deinterlaces)
        }
        guard let image else { throw ScrubError(.badData, "the picture cannot be converted") }
        let bytes = try format.encode(image, quality: quality)
        return EncodedPicture(
            bytes: bytes, width: image.width, height: image.height, warnings: warnings.map { Wording($0) })
    }

    /// Returns the picture as displayed, at a given width.
    func small(width: Int?, background: RGBColor = .black, deinterlaces: Bool = false) throws(ScrubError) -> (
        image: RasterImage, warnings: [String]
    ) {
        let shape = shownSize()
        let size =
            try width.map { (width) throws(ScrubError) in try PictureSize(givenWidth: width, shape: shape) }
            ?? PictureSize(width: shape.width, height: shape.height)
        return try small(size, background: background, deinterlaces: deinterlaces)
    }

    func small(_ size: PictureSize, background: RGBColor = .black, deinterlaces: Bool = false) throws(ScrubError) -> (
        image: RasterImage, warnings: [String]
    ) {
        let facts = asset.index.facts
        let shape = try asset.uprightShape()
        let renderer = ThumbnailRenderer(
            sizes: [size], codec: facts.descriptions.first, displayMatrix: facts.displayMatrix,
            cleanAperture: facts.cleanAperture, shape: shape, containerAspect: facts.sampleAspectRatio,
            deinterlaces: deinterlaces)
        let (whole, alphaWarnings) = try asset.withAlpha(shared)
        let (images, warnings) = try renderer.render(whole)
        guard let image = images.first else { throw ScrubError(.badData, "the picture cannot be converted") }
        return (image.shown(on: background), warnings + alphaWarnings)
    }
}
