internal import ScrubThumbnailsLogic
internal import ScrubPictures

extension RasterImage {
    /// As it is shown on a screen: tone-mapped if need be, 8 bits, RGB, opaque.
    func shown(on background: RGBColor) -> RasterImage {
        let flat = toneMapped().reducedTo8Bits().flattened(onto: background).withChannels(3)
        return RasterImage(
            width: flat.width, height: flat.height, channels: 3, bitDepth: 8, bytes: flat.bytes, color: .sRGB)
    }

    /// For scoring; 8-bit RGB.
    var scorable: PosterImage? { PosterImage(width: width, height: height, bytes: bytes) }

    /// A BlurHash with four parts across and three down.
    var blurHash: String? { scorable.map { BlurHash.encode($0, componentsX: 4, componentsY: 3) } }

    /// A ThumbHash in base64.
    var thumbHash: String? { scorable.map { PlainText.base64(ThumbHash.encode($0)) } }
}
