/// A line of text in a terminal, in parts with different styles.
package struct TerminalLine: Sendable, Hashable {
    /// The style of a part. Its meaning is always in the text too, because terminals have their own colors.
    package enum Style: String, Sendable, Hashable {
        case plain = "0"
        case bold = "1"
        case dim = "2"
        case good = "32"
        case caution = "33"
        case bad = "31"
        case reversed = "7"
    }

    private struct Part: Sendable, Hashable {
        var text: String
        var style: Style
    }

    private var parts: [Part] = []

    /// An empty line.
    package init() {}

    /// A line with one style.
    package init(_ text: String, _ style: Style = .plain) { add(text, style) }

    /// Appends a part.
    ///
    /// A file's name must not reach the terminal as a control sequence, and only characters one cell wide are let
    /// through.
    package mutating func add(_ text: String, _ style: Style = .plain) {
        let safe = text.unicodeScalars.map { (scalar) -> Character in
            (0x20..<0x7F).contains(scalar.value) || TerminalLine.drawn.contains(scalar) ? Character(scalar) : "?"
        }
        if !safe.isEmpty { parts.append(Part(text: String(safe), style: style)) }
    }

    private static let drawn: Set<Unicode.Scalar> = ["─", "━", "┴", "█"]

    /// The text without its styles.
    package var text: String { parts.map(\.text).joined() }

    /// Returns the bytes that write it to a row, counted from 0. The last column stays free, because writing there may
    /// scroll.
    func bytes(row: Int, columns: Int) -> [UInt8] {
        var (out, left): ([UInt8], Int) = ([], max(0, columns - 1))
        out.escape("[\(row + 1);1H")
        for part in parts where left > 0 {
            let text = part.text.prefix(left)
            left -= text.count
            out.escape("[0;\(part.style.rawValue)m")
            out.append(contentsOf: text.utf8)
        }
        out.escape("[0m")
        out.escape("[K")
        return out
    }
}

extension TerminalLine {
    /// Returns lines with two columns, such as keys and their effects.
    package static func table(_ rows: [(keys: String, does: String)]) -> [TerminalLine] {
        let width = rows.map(\.keys.count).max() ?? 0
        return rows.map { keys, does in
            var line = TerminalLine("  " + keys + String(repeating: " ", count: width - keys.count), .bold)
            line.add("   " + does)
            return line
        }
    }
}
