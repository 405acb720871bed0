internal import ScrubDecoding

extension VideoAsset {
    /// The numbers of restarts by kind of proof. A restart is a place where decoding may begin.
    public struct RestartProofSummary: Sendable, Hashable {
        /// Restarts proven by their own picture header, or because each picture of the codec is independent.
        public let byHeader: Int
        /// Restarts proven by decoding from the previous restart and comparing the pictures.
        public let byComparison: Int
        /// Restarts that the container or the encoder claims, but that proved wrong. Decoding never starts at them.
        public let refuted: Int
        /// Restarts that the container or the encoder claims but that have not been compared yet. They are compared
        /// when a frame after them is requested.
        public let unproven: Int
        /// Restarts that the container claims but whose own headers have not been read yet. A header is read when a
        /// frame after its restart is requested.
        public let unread: Int

        init(_ summary: RestartSummary) {
            (byHeader, byComparison) = (summary.byHeader, summary.byComparison)
            (refuted, unproven, unread) = (summary.refuted, summary.unproven, summary.unread)
        }
    }
}
