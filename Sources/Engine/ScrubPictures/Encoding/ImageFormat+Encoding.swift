package import ScrubBase

extension ImageFormat {
    /// The valid qualities of encoders.
    package static let qualities = 1...100

    /// Throws for an invalid quality, which the user of an application may have entered.
    ///
    /// - Throws: ``ScrubError/Code/usage``.
    package static func check(quality: Int) throws(ScrubError) {
        guard qualities.contains(quality) else {
            throw ScrubError(.usage, "a quality of \(quality) is out of range", advice: "use a quality from 1 to 100")
        }
    }

    /// Whether the format has color tags, so that it can keep high dynamic range.
    package var holdsHighDynamicRange: Bool { self == .png || self == .avif }

    /// Returns the picture in this format.
    ///
    /// Values that a format cannot hold are converted. 16 bits become 8 in JPEG and WebP, and JPEG shows transparent
    /// pixels in the color of `ground`. High dynamic range is not tone-mapped.
    ///
    /// - Parameters:
    ///   - quality: 1 to 100; ignored by PNG, which is lossless. Each format has its own scale.
    ///   - ground: the color behind transparent pixels in JPEG.
    ///   - sampling: the chroma sampling of JPEG; the other formats support only one.
    ///   - threads: the maximum number of threads for a PNG; the other formats use the calling one.
    /// - Throws: ``ScrubError/Code/usage`` for another quality, or a picture that is too large for the format.
    package func encode(
        _ image: RasterImage, quality: Int, ground: RGBColor = .black, sampling: JPEG.Sampling = .half,
        threads: Int = Processors.count
    ) throws(ScrubError) -> [UInt8] {
        try Self.check(quality: quality)
        return switch self {
        case .jpeg:
            try JPEG.encode(image.reducedTo8Bits().flattened(onto: ground), quality: quality, sampling: sampling)
        case .png: try PNG.encode(image, threads: threads)
        case .webp: try WebP.encode(image.reducedTo8Bits(), quality: quality)
        case .avif: try AVIF.encode(image, quality: quality)
        }
    }
}
