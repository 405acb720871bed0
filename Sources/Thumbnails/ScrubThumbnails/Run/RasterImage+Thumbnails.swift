internal import ScrubThumbnailsLogic
internal import ScrubPictures

extension RasterImage {
    /// Returns the image as displayed: tone-mapped if necessary, 8-bit opaque RGB.
    func shown(on background: RGBColor) -> RasterImage {
        let flat = toneMapped().reducedTo8Bits().flattened(onto: background).withChannels(3)
        return RasterImage(
            width: flat.width, height: flat.height, channels: 3, bitDepth: 8, bytes: flat.bytes, color: .sRGB)
    }

    /// The image for scoring, in 8-bit RGB.
    var scorable: PosterImage? { PosterImage(width: width, height: height, bytes: bytes) }

    /// A BlurHash with four components across and three down.
    var blurHash: String? { scorable.map { BlurHash.encode($0, componentsX: 4, componentsY: 3) } }

    /// A ThumbHash in base64.
    var thumbHash: String? { scorable.map { PlainText.base64(ThumbHash.encode($0)) } }
}
