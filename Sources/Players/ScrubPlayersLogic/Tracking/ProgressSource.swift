public import ScrubBase

extension ProgressTracker {
    /// The state of a player, all of it at one and the same moment.
    ///
    /// Thread safety: a value.
    public struct Moment: Sendable, Hashable {
        /// Seconds after the item's first frame.
        public var time: Rational
        /// Seconds that the item lasts; 0 when that is not known.
        public var duration: Rational
        /// The number of the newest seek that ``time`` is after: every older one is over too, whether it landed, was
        /// superseded or given up.
        public var seek: Int
        /// Whether time goes on, or would if pictures came.
        public var isPlaying: Bool

        /// Makes a moment.
        public init(time: Rational, duration: Rational, seek: Int, isPlaying: Bool) {
            (self.time, self.duration, self.seek, self.isPlaying) = (time, duration, seek, isPlaying)
        }
    }
}

extension ProgressTracker {
    /// The object that a ``ProgressTracker`` is bound to: a player, or anything else that has a playhead.
    ///
    /// Thread safety: called from any thread, outside of the tracker's locks.
    public protocol Source: AnyObject, Sendable {
        /// The present state of the playhead.
        var progressMoment: ProgressTracker.Moment { get }

        /// Begins to seek, and does not wait for its end.
        ///
        /// - Parameter time: seconds after the item's first frame, within its duration.
        /// - Returns: the seek's number, greater than those of all seeks before: ``ProgressTracker/Moment/seek``
        ///   reaches it when
        ///   the seek is over, however it ends.
        func beginSeek(to time: Rational) -> Int

        /// Stops where it is.
        func pause()

        /// Goes on.
        func play()
    }
}
