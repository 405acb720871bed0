internal import ScrubDecoding

extension VideoAsset {
    /// The proofs of the places from which decoding may begin.
    public struct RestartProofSummary: Sendable, Hashable {
        /// By their own picture header, or because each picture of the codec stands alone.
        public let byHeader: Int
        /// By comparing the pictures after them with those of the run from the restart before.
        public let byComparison: Int
        /// The container's or the encoder's word, and found to be wrong: nothing is decoded from there.
        public let refuted: Int
        /// The container's or the encoder's word, not compared yet: done when a frame after it is asked for.
        public let unproven: Int
        /// The container's word, and the picture's own header not read yet: done when a frame after it is asked for.
        public let unread: Int

        init(_ summary: RestartSummary) {
            (byHeader, byComparison) = (summary.byHeader, summary.byComparison)
            (refuted, unproven, unread) = (summary.refuted, summary.unproven, summary.unread)
        }
    }
}
