/// The processor seconds of a file, predicted from facts that are known before anything is decoded.
///
///     seconds = decoding[codec].pixel * fedPixels + decoding[codec].byte * fedBytes + shownPixel * shownPixels
///         + file * files + outputPixel * outputPixels + indexByte * indexBytes
///
/// Every coefficient is 0 or above, so that more work never costs less.
package struct CostModel: Hashable, Sendable {
    /// The costs of a codec's pictures.
    package struct Decoding: Hashable, Sendable {
        /// Seconds for each coded pixel fed: prediction, transforms, filters.
        package var pixel: Double
        /// Seconds for each byte fed: entropy decoding. Pictures of few bytes are mostly copied ones.
        package var byte: Double

        package init(pixel: Double, byte: Double) { (self.pixel, self.byte) = (pixel, byte) }
    }

    /// By the codec's name; ``otherCodec`` for those that are not in it.
    package var decoding: [String: Decoding]
    /// Seconds for each pixel of a picture that is shown: its conversion and scaling.
    package var shownPixel: Double
    /// Seconds for each file: opening, planning, writing and putting into place.
    package var file: Double
    /// Seconds for each pixel of a thumbnail: scaling and encoding.
    package var outputPixel: Double
    /// Seconds for each byte read for an index.
    package var indexByte: Double

    /// The codec whose coefficients stand for those that the model does not know.
    package static let otherCodec = "other"

    package init(
        decoding: [String: Decoding], shownPixel: Double, file: Double, outputPixel: Double, indexByte: Double
    ) {
        (self.decoding, self.shownPixel, self.file) = (decoding, shownPixel, file)
        (self.outputPixel, self.indexByte) = (outputPixel, indexByte)
    }

    /// Returns the predicted processor seconds.
    package func predict(_ features: CostFeatures) -> Double {
        zip(coefficients(for: features.codec), CostModel.amounts(features)).reduce(0) { $0 + $1.0 * $1.1 }
    }

    /// Returns the same model for a machine that takes `factor` times as long for everything.
    package func scaled(by factor: Double) -> CostModel {
        CostModel(
            decoding: decoding.mapValues { Decoding(pixel: $0.pixel * factor, byte: $0.byte * factor) },
            shownPixel: shownPixel * factor, file: file * factor, outputPixel: outputPixel * factor,
            indexByte: indexByte * factor)
    }

    /// Returns the part of a file's cost that it has because it is a file, from 0 to 1.
    package func overheadShare(_ features: CostFeatures) -> Double {
        let whole = predict(features)
        return whole > 0 ? file * max(0, features.files) / whole : 0
    }

    /// Returns seconds for each of a file's ``amounts(_:)``: first the codec's own two, then those that all share.
    func coefficients(for codec: String) -> [Double] {
        let own = decoding[codec] ?? decoding[CostModel.otherCodec]
        return [own?.pixel ?? 0, own?.byte ?? 0, shownPixel, file, outputPixel, indexByte]
    }

    /// Pixels on which a byte can be spent: a thousand of them have a byte in films of the lowest rates. Of pictures
    /// with fewer bytes than that the rest is copied from others.
    private static let pixelsOfByte = 1000.0
    /// The cost of copying a pixel, as a part of the cost of decoding it.
    private static let copying = 0.2

    /// Returns the amounts of everything in a file; a value that is negative or not a number counts as zero.
    static func amounts(_ features: CostFeatures) -> [Double] {
        let copied = max(0, features.fedPixels - pixelsOfByte * max(0, features.fedBytes))
        return [
            features.fedPixels - (1 - copying) * copied, features.fedBytes, features.shownPixels, features.files,
            features.outputPixels,
            features.indexBytes,
        ].map { $0.isFinite ? max(0, $0) : 0 }
    }
}
