/// The facts of a file that decide about the time of its work: all known from its index and plan, before anything is
/// decoded.
package struct CostFeatures: Hashable, Sendable {
    /// The codec's name as libavcodec has it, such as `h264`.
    package var codec: String
    /// Coded pixels of the pictures that are fed to decoders: how many times their width times their height.
    package var fedPixels: Double
    /// Bytes of the packets that are fed.
    package var fedBytes: Double
    /// Bytes that have to be read for the index; 0 when it is saved already.
    package var indexBytes: Double
    /// Pixels of the pictures that are shown, whatever the number of sets: different frames times their width times
    /// their height.
    ///
    /// Fewer than ``fedPixels`` where others have to be decoded first. These are the ones that are converted and
    /// scaled.
    package var shownPixels: Double
    /// Pixels of all thumbnails of all sets, also of sets of the same width: each is encoded.
    package var outputPixels: Double
    /// Files: 1, or more where many are taken together.
    package var files: Double = 1

    package init(
        codec: String, fedPixels: Double, fedBytes: Double, shownPixels: Double, indexBytes: Double,
        outputPixels: Double
    ) {
        (self.codec, self.fedPixels, self.fedBytes, self.shownPixels) = (codec, fedPixels, fedBytes, shownPixels)
        (self.indexBytes, self.outputPixels) = (indexBytes, outputPixels)
    }
}

/// A file that was worked over, and its cost.
package struct CostSample: Hashable, Sendable {
    package var features: CostFeatures
    /// Processor seconds.
    package var seconds: Double

    package init(_ features: CostFeatures, seconds: Double) { (self.features, self.seconds) = (features, seconds) }
}
