internal import ScrubBase

extension VisibilityTracker {
    /// The times at which a player's controls are on screen, as a pure function of events and their times.
    ///
    /// Times are nanoseconds of any clock that does not run backward.
    ///
    /// Thread safety: a value; no clock, no timer.
    public struct Timer: Sendable, Hashable {
        /// The time that controls stay while the medium plays.
        public let delay: Duration
        /// Whether the controls are on screen.
        public private(set) var isVisible: Bool
        /// The time at which they go away if nothing happens, for ``advance(to:)``. `nil`: not by themselves.
        public private(set) var nextDeadline: Int64?
        private var isPlaying = false

        /// Makes the timer of a player that does not play yet.
        ///
        /// - Parameters:
        ///   - delay: 0 or less: they go away at once.
        ///   - isVisible: whether they are on screen at first.
        public init(delay: Duration = .seconds(3), isVisible: Bool = true) {
            (self.delay, self.isVisible) = (delay, isVisible)
        }

        /// The player does something else now. Playing lets visible controls go away after the delay, pausing shows
        /// them at once, and in all other states they stay as they are.
        public mutating func playbackChanged(to state: PlaybackState, at now: Int64) {
            advance(to: now)
            let wasPlaying = isPlaying
            isPlaying = state == .playing
            if state == .paused { isVisible = true }
            if isPlaying != wasPlaying { restart(at: now) }
        }

        /// A person acts on the controls: the delay begins again. Hidden controls stay hidden.
        public mutating func reset(at now: Int64) {
            advance(to: now)
            restart(at: now)
        }

        /// A person taps on the picture.
        public mutating func toggle(at now: Int64) {
            advance(to: now)
            set(!isVisible, at: now)
        }

        /// Shows or hides them. Showing controls that are visible begins the delay again.
        public mutating func set(_ isVisible: Bool, at now: Int64) {
            self.isVisible = isVisible
            restart(at: now)
        }

        /// Advances the time.
        public mutating func advance(to now: Int64) {
            guard let deadline = nextDeadline, deadline <= now else { return }
            (isVisible, nextDeadline) = (false, nil)
        }

        private mutating func restart(at now: Int64) {
            guard isVisible, isPlaying else {
                nextDeadline = nil
                return
            }
            let (deadline, overflow) = now.addingReportingOverflow(max(delay.wholeNanoseconds, 0))
            nextDeadline = overflow ? .max : deadline
        }
    }
}
