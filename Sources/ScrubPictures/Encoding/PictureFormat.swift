package import ScrubBase

/// The still picture formats that can be written.
package enum PictureFormat: String, Sendable, Hashable, CaseIterable {
    case jpeg, png, webp, avif

    /// The usual file name extension, without a dot.
    package var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

    /// The media type of RFC 6838's registry.
    package var mimeType: String { "image/\(rawValue)" }

    /// The format that a file name extension (in any case, without a dot) stands for.
    package init?(fileExtension: String) {
        switch fileExtension.lowercased() {
        case "jpg", "jpeg", "jpe": self = .jpeg
        case "png": self = .png
        case "webp": self = .webp
        case "avif": self = .avif
        default: return nil
        }
    }

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
