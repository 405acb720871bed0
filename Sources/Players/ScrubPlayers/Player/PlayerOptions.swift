public import ScrubPlayersLogic
public import ScrubMedia

extension Player {
    /// Options for a player. Creating a player throws `usage` for invalid values; each property documents its valid
    /// range.
    public struct Options: Sendable, Hashable {
        /// What happens to frames whose time has passed. Default `.drop`. For output to files and pipes, use `.wait` or
        /// `.unpaced`.
        public var pacePolicy = PacePolicy.drop
        /// The duration to decode ahead, 0 or more. With `nil` or 0, eight pictures are decoded ahead. At least two
        /// pictures are decoded ahead; any others must fit within ``bufferByteLimit``.
        public var preferredForwardBufferDuration: Duration?
        /// The maximum number of bytes of pictures decoded ahead, for each of the two items that may be decoded at the
        /// same time. Two pictures are allowed even if they exceed the limit. 0 or more; default 64 MiB.
        public var bufferByteLimit = 64 << 20
        /// The maximum number of bytes of pictures kept for playing backward. Backward playback is smooth if a whole
        /// group of pictures fits within this limit. 0 or more; default 128 MiB.
        public var backwardByteLimit = 128 << 20
        /// The maximum size of presented pictures, in stored samples; `nil` for the video's own size. Smaller pictures
        /// take less memory.
        public var preferredMaximumSize: MaximumSize?
        /// Whether a frame's kept preview (``VideoAsset/keepPreviews(longSide:threadCount:progress:)``) is shown on
        /// time if the exact picture is late. Default true. This requires `.drop`, and applies to backward playback and
        /// to rates above 1. If ``preferredMaximumSize`` is no larger than the previews, it applies to every rate. The
        /// preview is delivered as ``PlayerFrame/Kind/nearest``, and its verdict is never `exact`. When playback
        /// pauses, the exact picture is shown. For frames without kept previews, the clock waits.
        public var showsKeptPreviews = true
        /// The maximum number of frames per second that are decoded during fast playback. This limit applies only with
        /// `.drop`. Above 0; default 60; `nil` for all frames.
        public var maximumFrameRate: Rational? = Rational(60)
        /// The number of threads that decode an item, 1 or more; `nil` for one per processor.
        public var threadCount: Int?
        /// The action at an item's end. By default, the next item plays.
        public var actionAtItemEnd = ActionAtItemEnd.advance

        /// Creates options with default values.
        public init() {}

        /// When the machine requests previews.
        var previewUse: PreviewUse {
            guard showsKeptPreviews else { return .never }
            let isSmall = preferredMaximumSize.map { max($0.width, $0.height) <= PreviewTrack.keptSide } ?? false
            return isSmall ? .always : .whenHard
        }

        /// Validates the options.
        ///
        /// - Throws: `usage` for the first invalid value.
        func check() throws(ScrubError) {
            func check(_ isRight: Bool, _ name: String, _ value: Any, _ advice: String) throws(ScrubError) {
                guard !isRight else { return }
                throw ScrubError(.usage, "Player.Options.\(name) is \(value)", advice: advice)
            }
            let most = "use 0 or more"
            try check(bufferByteLimit >= 0, "bufferByteLimit", bufferByteLimit, most)
            try check(backwardByteLimit >= 0, "backwardByteLimit", backwardByteLimit, most)
            if let duration = preferredForwardBufferDuration {
                try check(duration >= .zero, "preferredForwardBufferDuration", duration, most)
            }
            if let rate = maximumFrameRate {
                try check(rate > .zero, "maximumFrameRate", rate, "use a value above 0, or nil for all frames")
            }
            if let count = threadCount {
                try check(count >= 1, "threadCount", count, "use 1 or more, or nil for one per processor")
            }
        }

        /// A bounding box for pictures, in samples.
        public struct MaximumSize: Sendable, Hashable {
            /// The width.
            public let width: Int
            /// The height.
            public let height: Int

            /// Creates a size.
            ///
            /// - Precondition: both dimensions are above 0.
            public init(width: Int, height: Int) {
                precondition(
                    width > 0 && height > 0, "the maximum size is \(width) x \(height): use sides of 1 or more")
                (self.width, self.height) = (width, height)
            }
        }
    }
}
