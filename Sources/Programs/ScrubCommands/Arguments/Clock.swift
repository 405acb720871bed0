#if CommandLine
internal import Glibc
internal import ScrubBase

/// Times for people.
enum Clock {
    /// Returns seconds to the nearest millisecond, as ``PlainText/shortClock(milliseconds:isWhole:)`` writes them.
    static func text(_ seconds: Double) -> String {
        // A value that does not fit Int is infinite or NaN.
        let milliseconds = Int(exactly: (seconds * 1000).rounded()) ?? (seconds > 0 ? .max : 0)
        return PlainText.shortClock(milliseconds: milliseconds)
    }

    /// Returns the remaining time in whole seconds, as a person would say it, because it is an estimate.
    static func left(_ seconds: Double) -> String {
        // A value that does not fit Int is infinite or NaN.
        guard let whole = Int(exactly: seconds.rounded(.up)), whole < 8_640_000 else { return "more than 100 days" }
        switch max(0, whole) {
        case ..<60: return "\(max(0, whole)) s"
        case ..<3600: return "\(whole / 60) min \(whole % 60) s"
        case ..<86_400: return "\(whole / 3600) h \(whole % 3600 / 60) min"
        default: return "\(whole / 86_400) d \(whole % 86_400 / 3600) h"
        }
    }

    /// Returns a number with at most the given number of decimals.
    static func rounded(_ value: Double, _ places: Int) -> String { PlainText.rounded(value, places) }
}

extension Clock {
    /// The wall clock.
    static var secondsSince1970: Int64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec)
    }

    /// Waits until a time; does not wait if it has passed.
    static func sleep(nanoseconds: Int64) {
        guard nanoseconds > 0 else { return }
        var rest = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        var left = timespec()
        while unsafe nanosleep(&rest, &left) != 0, errno == EINTR { rest = left }
    }
}
#endif
