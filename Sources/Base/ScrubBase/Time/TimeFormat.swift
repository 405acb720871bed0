extension Rational {
    /// A notation for times in seconds.
    ///
    /// Digits are truncated, not rounded, so the text is never after the time. ``FramePosition/init(_:)`` reads all
    /// notations.
    ///
    /// Thread safety: a value type.
    public struct TimeFormat: Hashable, Sendable {
        private enum Notation: Hashable, Sendable { case clock, fullClock, seconds }

        private let notation: Notation

        /// The time as players show it: `m:ss.mmm`, with leading hours if needed, such as `0:02.933`. Negative times
        /// count as 0.
        public static let clock = TimeFormat(notation: .clock)
        /// The time with hours, as WebVTT requires: `hh:mm:ss.mmm`. Negative times count as 0.
        public static let fullClock = TimeFormat(notation: .fullClock)
        /// Seconds as a decimal number, as in JSON: nine decimals, or fewer if the rest are zeros, such as
        /// `2.933333333`. To read it as a position, append an `s`.
        public static let seconds = TimeFormat(notation: .seconds)

        package func text(_ text: TimeText) -> String {
            switch notation {
            case .clock: text.clock
            case .fullClock: text.fullClock
            case .seconds: text.seconds
            }
        }
    }

    /// Returns this time in seconds as text.
    ///
    /// For the time of a frame, use ``PresentedFrame/formatted(_:)``: its text always names that frame.
    public func formatted(_ format: TimeFormat) -> String { format.text(TimeText(self)) }
}
