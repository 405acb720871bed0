extension Rational {
    /// A notation for times in seconds.
    ///
    /// Times are truncated, not rounded, so the text never represents a later time. ``FramePosition/init(_:)`` can
    /// parse every notation; ``seconds`` needs a trailing `s`.
    ///
    /// Thread safety: a value type.
    public struct TimeFormat: Hashable, Sendable {
        private enum Notation: Hashable, Sendable { case clock, fullClock, seconds }

        private let notation: Notation

        /// The time as players show it: `m:ss.mmm`, with leading hours if needed, such as `0:02.933`. Negative times
        /// are written as 0.
        public static let clock = TimeFormat(notation: .clock)
        /// The time with hours, as WebVTT requires: `hh:mm:ss.mmm`. Negative times are written as 0.
        public static let fullClock = TimeFormat(notation: .fullClock)
        /// Seconds as a decimal number, as in JSON: up to nine decimals without trailing zeros, such as `2.933333333`.
        /// To parse the text as a position, append an `s`.
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
    /// For the time of a frame, use ``PresentedFrame/formatted(_:)``, whose text always names that frame.
    public func formatted(_ format: TimeFormat) -> String { format.text(TimeText(self)) }
}
