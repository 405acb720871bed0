/// The facts about a file that determine how long its work takes: all are known from its index and plan, before
/// anything is decoded.
package struct CostFeatures: Hashable, Sendable {
    /// The codec's name in libavcodec, such as `h264`.
    package var codec: String
    /// The coded pixels of the pictures that are fed to decoders: count times width times height.
    package var fedPixels: Double
    /// The bytes of the packets that are fed.
    package var fedBytes: Double
    /// The bytes that have to be read for the index; 0 if it is already saved.
    package var indexBytes: Double
    /// The pixels of the pictures that are shown, whatever the number of sets: distinct frames times width times
    /// height.
    ///
    /// Fewer than ``fedPixels`` if other pictures have to be decoded first. These pixels are converted and scaled.
    package var shownPixels: Double
    /// The pixels of all thumbnails of all sets, including sets of equal width, because each thumbnail is encoded.
    package var outputPixels: Double
    /// The number of files: 1, or more if several are combined.
    package var files: Double = 1

    package init(
        codec: String, fedPixels: Double, fedBytes: Double, shownPixels: Double, indexBytes: Double,
        outputPixels: Double
    ) {
        (self.codec, self.fedPixels, self.fedBytes, self.shownPixels) = (codec, fedPixels, fedBytes, shownPixels)
        (self.indexBytes, self.outputPixels) = (indexBytes, outputPixels)
    }
}

/// A processed file and its cost.
package struct CostSample: Hashable, Sendable {
    package var features: CostFeatures
    /// The processor seconds.
    package var seconds: Double

    package init(_ features: CostFeatures, seconds: Double) { (self.features, self.seconds) = (features, seconds) }
}
