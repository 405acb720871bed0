public import ScrubPlayersLogic
public import ScrubMedia

extension Player {
    /// The options of a player. Making a player throws `usage` for amounts that cannot be meant; each property says
    /// which.
    public struct Options: Sendable, Hashable {
        /// The treatment of frames whose time has passed. Default `.drop`; files and pipes want `.wait` or `.unpaced`.
        public var pacePolicy = PacePolicy.drop
        /// The duration decoded ahead, 0 or more; `nil` for eight pictures. Two pictures are always decoded ahead, and
        /// never more than ``bufferByteLimit`` beside them.
        public var preferredForwardBufferDuration: Duration?
        /// The most bytes of pictures that are ahead of their time, for each of the two items that may be decoded at
        /// once. Two pictures are always possible. 0 or more; default 64 MiB.
        public var bufferByteLimit = 64 << 20
        /// Bytes of pictures that are kept for playing backward: so many as a group has of them make it smooth. 0 or
        /// more; default 128 MiB.
        public var backwardByteLimit = 128 << 20
        /// The largest size of the pictures that are presented, in stored samples; `nil` for the video's own. Smaller
        /// ones take less memory.
        public var preferredMaximumSize: MaximumSize?
        /// Whether a frame's kept preview (``VideoAsset/keepPreviews(longSide:threadCount:progress:)``) is shown at its
        /// time when the exact picture is late, with `.drop`: backward and faster than 1, and at every rate where
        /// ``preferredMaximumSize`` is no larger than previews are. It comes as ``PlayerFrame/Kind/nearest`` and is
        /// never called exact. A pause shows the exact picture. Default true; without kept previews the clock waits.
        public var showsKeptPreviews = true
        /// More frames a second than this are not decoded when playing fast, with `.drop`. Above 0; default 60; `nil`
        /// for all.
        public var maximumFrameRate: Rational? = Rational(60)
        /// Threads that decode one item, 1 or more; `nil` for as many as there are processors.
        public var threadCount: Int?
        /// The action at an item's end. Default: the next one.
        public var actionAtItemEnd = ActionAtItemEnd.advance

        /// Makes options.
        public init() {}

        /// When the machine asks for previews.
        var previewUse: PreviewUse {
            guard showsKeptPreviews else { return .never }
            let isSmall = preferredMaximumSize.map { max($0.width, $0.height) <= PreviewTrack.keptSide } ?? false
            return isSmall ? .always : .whenHard
        }

        /// - Throws: `usage` for the first amount that cannot be meant.
        func check() throws(ScrubError) {
            func check(_ isRight: Bool, _ name: String, _ value: Any, _ advice: String) throws(ScrubError) {
                guard !isRight else { return }
                throw ScrubError(.usage, "Player.Options.\(name) is \(value)", advice: advice)
            }
            let most = "give 0 or more"
            try check(bufferByteLimit >= 0, "bufferByteLimit", bufferByteLimit, most)
            try check(backwardByteLimit >= 0, "backwardByteLimit", backwardByteLimit, most)
            if let duration = preferredForwardBufferDuration {
                try check(duration >= .zero, "preferredForwardBufferDuration", duration, most)
            }
            if let rate = maximumFrameRate {
                try check(rate > .zero, "maximumFrameRate", rate, "give more than 0, or nil for all frames")
            }
            if let count = threadCount {
                try check(count >= 1, "threadCount", count, "give 1 or more, or nil for one of each processor")
            }
        }

        /// A box that pictures fit into, in samples.
        public struct MaximumSize: Sendable, Hashable {
            /// Columns.
            public let width: Int
            /// Rows.
            public let height: Int

            /// - Precondition: both are above 0.
            public init(width: Int, height: Int) {
                precondition(width > 0 && height > 0, "a box of \(width) x \(height): give sides of 1 or more")
                (self.width, self.height) = (width, height)
            }
        }
    }
}
