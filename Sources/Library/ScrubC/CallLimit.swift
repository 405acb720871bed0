#if compiler(>=6.3)
internal import ScrubBase
internal import ScrubMedia

/// How long a call waits, in the milliseconds that C passes; below 0 means no limit.
struct CallLimit {
    private let clock = ContinuousClock()
    private let deadline: ContinuousClock.Instant?

    init(milliseconds: Int32) { deadline = milliseconds < 0 ? nil : clock.now + .milliseconds(Int(milliseconds)) }

    /// The remaining nanoseconds, 0 or below when the time is up; `nil` for no limit.
    var left: Int64? { deadline.map { ($0 - clock.now).wholeNanoseconds } }
}
#endif
