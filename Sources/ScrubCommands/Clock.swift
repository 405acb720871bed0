internal import Glibc
internal import ScrubBase

/// Times for people.
enum Clock {
    /// Seconds as `h:mm:ss.mmm`, without hours where there are none.
    static func text(_ seconds: Double) -> String {
        // A file's times may be any: what is beyond a million years, or no number, is cut.
        let total = seconds.isFinite ? Int((min(max(seconds, 0), 1e13) * 1000).rounded()) : 0
        let (whole, milliseconds) = (total / 1000, total % 1000)
        let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
        let tail = PlainText.padded(rest, to: 2) + "." + PlainText.padded(milliseconds, to: 3)
        return hours > 0 ? "\(hours):\(PlainText.padded(minutes, to: 2)):\(tail)" : "\(minutes):\(tail)"
    }

    /// A number with at most some places after the point.
    static func rounded(_ value: Double, _ places: Int) -> String {
        var scale = 1.0
        for _ in 0..<places { scale *= 10 }
        let rounded = (value * scale).rounded() / scale
        return rounded == rounded.rounded() && abs(rounded) < 1e15 ? String(Int(rounded)) : "\(rounded)"
    }
}

extension Clock {
    /// Waits; not at all for a time that is over.
    static func sleep(nanoseconds: Int64) {
        guard nanoseconds > 0 else { return }
        var rest = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        var left = timespec()
        while nanosleep(&rest, &left) != 0, errno == EINTR { rest = left }
    }
}
