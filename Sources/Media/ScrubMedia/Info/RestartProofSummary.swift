internal import ScrubDecoding

extension VideoAsset {
    /// The number of restarts for each kind of proof. A restart is a picture at which decoding may begin.
    public struct RestartProofSummary: Sendable, Hashable {
        /// The number of restarts proven by their own picture headers, or by a codec in which every picture is
        /// independent.
        public let provenByHeaderCount: Int
        /// The number of restarts proven by decoding from the previous restart and comparing the pictures.
        public let provenByComparisonCount: Int
        /// The number of restarts that the container or the encoder claims, but that turned out to be false. Decoding
        /// never starts at them.
        public let refutedCount: Int
        /// The number of restarts that the container or the encoder claims, but whose pictures have not been compared
        /// yet. They are compared when a frame after their restart is requested.
        public let unprovenCount: Int
        /// The number of restarts that the container claims, but whose headers have not been read yet. A header is read
        /// when a frame after its restart is requested.
        public let unreadCount: Int

        init(_ summary: RestartSummary) {
            (provenByHeaderCount, provenByComparisonCount) = (summary.byHeader, summary.byComparison)
            (refutedCount, unprovenCount, unreadCount) = (summary.refuted, summary.unproven, summary.unread)
        }
    }
}
