public import ScrubBase

extension ProgressTracker {
    /// A player's state, captured at one moment.
    ///
    /// Thread safety: a value type.
    public struct Moment: Sendable, Hashable {
        /// Seconds after the item's first frame.
        public var time: Rational
        /// The item's duration in seconds; 0 if it is not known.
        public var duration: Rational
        /// The number of the newest seek that ``time`` reflects. Every older seek has also completed, whether it
        /// landed, was superseded or was abandoned.
        public var seek: Int
        /// Whether time advances, or would advance if pictures were available.
        public var isPlaying: Bool

        /// Creates a moment.
        public init(time: Rational, duration: Rational, seek: Int, isPlaying: Bool) {
            (self.time, self.duration, self.seek, self.isPlaying) = (time, duration, seek, isPlaying)
        }
    }
}

extension ProgressTracker {
    /// An object that a ``ProgressTracker`` can bind to: a player, or anything else with a playhead.
    ///
    /// Thread safety: the tracker calls the methods on any thread, and holds no locks during a call.
    public protocol Source: AnyObject, Sendable {
        /// The current state of the playhead.
        var progressMoment: ProgressTracker.Moment { get }

        /// Starts a seek, and returns without waiting for the seek to complete.
        ///
        /// - Parameter time: seconds after the item's first frame, within its duration.
        /// - Returns: the seek's number, greater than those of all earlier seeks. ``ProgressTracker/Moment/seek``
        ///   reaches it when the seek completes, whatever its outcome.
        @discardableResult
        func startSeek(to time: Rational) -> Int

        /// Pauses playback.
        func pause()

        /// Resumes playback.
        func play()
    }
}
