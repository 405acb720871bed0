package import ScrubBase

/// The still picture formats that can be written.
package enum PictureFormat: String, Sendable, Hashable, CaseIterable {
    case jpeg, png, webp, avif

    /// The picture in this format.
    ///
    /// What a format cannot hold is brought into it: 16 bits become 8 in JPEG and WebP, and JPEG shows what is
    /// transparent in the color of `ground`. High dynamic range is not tone-mapped here.
    ///
    /// - Parameters:
    ///   - quality: 1 to 100; PNG, which loses nothing, ignores it. Each format has a scale of its own.
    ///   - ground: what is behind transparent pixels in JPEG.
    ///   - sampling: JPEG's; the other formats have one.
    package func encode(
        _ image: RasterImage, quality: Int, ground: RGBColor = .black, sampling: JPEG.Sampling = .half
    ) throws(ScrubError) -> [UInt8] {
        switch self {
        case .jpeg:
            try JPEG.encode(image.reducedTo8Bits().flattened(onto: ground), quality: quality, sampling: sampling)
        case .png: try PNG.encode(image)
        case .webp: try WebP.encode(image.reducedTo8Bits(), quality: quality)
        case .avif: try AVIF.encode(image, quality: quality)
        }
    }
}
