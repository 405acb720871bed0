internal import ScrubBase

extension VisibilityTracker {
    /// The logic for showing and hiding a player's controls, as a pure function of events and their times.
    ///
    /// Times are nanoseconds of any clock that does not run backward.
    ///
    /// Thread safety: a value type without a clock or timer.
    package struct Timer: Sendable, Hashable {
        /// The time after which controls are hidden during playback.
        package let delay: Duration
        /// Whether the controls are on screen.
        package private(set) var isVisible: Bool
        /// The time at which the controls are hidden if no event occurs, for ``advance(to:)``; `nil` if they stay.
        package private(set) var nextDeadline: Int64?
        private var isPlaying = false

        /// Creates the timer of a player that is not playing yet.
        ///
        /// - Parameters:
        ///   - delay: the time after which controls are hidden during playback; 0 or less hides them at once.
        ///   - isVisible: whether they are initially on screen.
        package init(delay: Duration = .seconds(3), isVisible: Bool = true) {
            (self.delay, self.isVisible) = (delay, isVisible)
        }

        /// Handles a change of the player's state. Playing hides visible controls after the delay, pausing shows them
        /// at once, and in all other states they stay as they are.
        package mutating func playbackChanged(to state: PlaybackState, at now: Int64) {
            advance(to: now)
            let wasPlaying = isPlaying
            isPlaying = state == .playing
            if state == .paused { isVisible = true }
            if isPlaying != wasPlaying { restart(at: now) }
        }

        /// Handles a user's interaction with the controls: the delay starts again. Hidden controls stay hidden.
        package mutating func reset(at now: Int64) {
            advance(to: now)
            restart(at: now)
        }

        /// Handles a user's tap on the picture.
        package mutating func toggle(at now: Int64) {
            advance(to: now)
            set(!isVisible, at: now)
        }

        /// Shows or hides the controls. Showing visible controls restarts the delay.
        package mutating func set(_ isVisible: Bool, at now: Int64) {
            self.isVisible = isVisible
            restart(at: now)
        }

        /// Advances the time.
        package mutating func advance(to now: Int64) {
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
