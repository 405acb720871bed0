#if compiler(>=6.3)
internal import ScrubBase
internal import ScrubMedia

/// How long a call waits that C gives milliseconds: below 0 without a limit.
struct CallLimit {
    private let clock = ContinuousClock()
    private let deadline: ContinuousClock.Instant?

    init(milliseconds: Int32) { deadline = milliseconds < 0 ? nil : clock.now + .milliseconds(Int(milliseconds)) }

    /// Nanoseconds that are left, 0 or below when the time is over; `nil` for no limit.
    var left: Int64? { deadline.map { ($0 - clock.now).wholeNanoseconds } }
}
#endif
