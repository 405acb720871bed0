package import ScrubBase

/// The content of the line below the picture.
package struct TerminalStatus: Sendable, Hashable {
    /// The position in the medium in seconds; `nil` if nothing is playing.
    package var time: Rational?
    /// The duration of the medium, in seconds.
    package var duration: Rational?
    /// The shown frame's number.
    package var frame: Int?
    /// The speed; 1 is the medium's own speed.
    package var rate: Rational = 1
    /// Whether the playback is paused.
    package var isPaused = false
    /// A note, such as the medium's name, which is truncated if there is no room.
    package var note = ""

    /// An empty line.
    package init() {}

    /// Returns the line, with at most this many characters, each one cell wide.
    func text(columns: Int) -> String {
        var parts: [String] = []
        if isPaused { parts.append("||") }
        if let time {
            parts.append(TimeText(time).clock + (duration.map { " / " + TimeText($0).clock } ?? ""))
        }
        if let frame { parts.append("#\(frame)") }
        if rate != 1 { parts.append("x" + TerminalStatus.decimal(rate)) }
        // A file's name must not reach the terminal as a control sequence. Only characters that are certain to be one
        // cell wide are let through.
        let safe = String(note.unicodeScalars.map { (0x20..<0x7F).contains($0.value) ? Character($0) : "?" })
        if !safe.isEmpty { parts.append(safe) }
        return String(parts.joined(separator: "  ").prefix(max(0, columns)))
    }

    private static func decimal(_ rate: Rational) -> String {
        let hundredths = Rational.floor(
            Int128(rate.magnitude.numerator) * 100 + Int128(rate.denominator) / 2, Int128(rate.denominator))
        let rest = hundredths % 100
        let tail = rest == 0 ? "" : rest % 10 == 0 ? ".\(rest / 10)" : rest < 10 ? ".0\(rest)" : ".\(rest)"
        return (rate < 0 ? "-" : "") + "\(hundredths / 100)" + tail
    }

    /// Returns the bytes that write it to the last row.
    func bytes(in size: TerminalSize) -> [UInt8] {
        var out: [UInt8] = []
        out.escape("[\(size.rows);1H")
        out.escape("[0m")
        // The last column stays free, because writing there may scroll.
        out.append(contentsOf: text(columns: size.columns - 1).utf8)
        out.escape("[K")
        return out
    }
}
