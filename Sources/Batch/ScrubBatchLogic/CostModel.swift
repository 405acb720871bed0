/// The processor seconds of a file, predicted from facts that are known before anything is decoded.
///
///     seconds = decoding[codec].pixel * fedPixels + decoding[codec].byte * fedBytes + shownPixel * shownPixels
///         + file * files + outputPixel * outputPixels + indexByte * indexBytes
///
/// Every coefficient is 0 or above, so that more work never costs less.
package struct CostModel: Hashable, Sendable {
    /// The costs of a codec's pictures.
    package struct Decoding: Hashable, Sendable {
        /// The seconds per coded pixel fed: prediction, transforms, filters.
        package var pixel: Double
        /// The seconds per byte fed: entropy decoding. Pictures with few bytes are mostly copied.
        package var byte: Double

        package init(pixel: Double, byte: Double) { (self.pixel, self.byte) = (pixel, byte) }
    }

    /// Keyed by the codec's name; ``otherCodec`` for codecs that are not in it.
    package var decoding: [String: Decoding]
    /// The seconds per pixel of a shown picture: its conversion and scaling.
    package var shownPixel: Double
    /// The seconds per file: opening, planning, writing and moving into place.
    package var file: Double
    /// The seconds per pixel of a thumbnail: scaling and encoding.
    package var outputPixel: Double
    /// The seconds per byte read for an index.
    package var indexByte: Double

    /// The codec whose coefficients stand for codecs that the model does not have.
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

    /// Returns the fixed per-file part of a file's cost, from 0 to 1.
    package func overheadShare(_ features: CostFeatures) -> Double {
        let whole = predict(features)
        return whole > 0 ? file * max(0, features.files) / whole : 0
    }

    /// Returns the seconds for each of a file's ``amounts(_:)``: first the codec's own two, then those that all codecs
    /// share.
    func coefficients(for codec: String) -> [Double] {
        let own = decoding[codec] ?? decoding[CostModel.otherCodec]
        return [own?.pixel ?? 0, own?.byte ?? 0, shownPixel, file, outputPixel, indexByte]
    }

    /// The number of pixels that one byte can encode: a thousand in films with the lowest bit rates. In pictures with
    /// fewer bytes, the remaining pixels are copied from other pictures.
    private static let pixelsOfByte = 1000.0
    /// The cost of copying a pixel, as a part of the cost of decoding it.
    private static let copying = 0.2

    /// Returns the amounts of everything in a file; a value that is negative or NaN counts as zero.
    static func amounts(_ features: CostFeatures) -> [Double] {
        let copied = max(0, features.fedPixels - pixelsOfByte * max(0, features.fedBytes))
        return [
            features.fedPixels - (1 - copying) * copied, features.fedBytes, features.shownPixels, features.files,
            features.outputPixels,
            features.indexBytes,
        ].map { $0.isFinite ? max(0, $0) : 0 }
    }
}
