#if CommandLine
internal import Scrub
internal import ScrubBase

/// A duration as people type it: seconds (`10`, `0.5`), or with units as in a position (`500ms`, `2m`, `1:30`).
enum TypedSeconds {
    /// - Returns: `nil` for a text that is not a time.
    static func read(_ text: String) -> Rational? {
        // A bare number is seconds; no unit follows another: 2m is minutes.
        let hasUnit = text.contains(":") || text.last.map { "hms".contains($0) } == true
        return (try? FramePosition(hasUnit ? text : text + "s"))?.writtenTime
    }
}
#endif
