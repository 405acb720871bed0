/// Pictures made of half blocks: each cell has `▄` in the lower pixel's color on the upper pixel's.
///
/// Only changed cells are written, in one piece between the markers of a synchronized update (mode 2026). Terminals
/// without that mode ignore the markers. Pure: the value contains the state of the screen.
struct HalfBlockRenderer: Sendable {
    /// Whether colors have 24 bits, or are among the 240 fixed ones.
    let isTrueColor: Bool
    private var shown: [UInt64] = []
    private var layout: TerminalLayout?

    init(isTrueColor: Bool) { self.isTrueColor = isTrueColor }

    /// Forgets the state of the screen: the next picture is written completely.
    mutating func invalidate() { layout = nil }

    /// Returns the bytes that draw a picture on the screen.
    ///
    /// - Precondition: the pixels have the layout's size.
    mutating func render(_ pixels: TerminalPixels, _ layout: TerminalLayout) -> [UInt8] {
        let isWhole = layout != self.layout || shown.count != layout.columns * layout.rows
        var out: [UInt8] = []
        out.reserveCapacity(isWhole ? layout.columns * layout.rows * 40 : 4096)
        if isWhole { shown = Array(repeating: .max, count: layout.columns * layout.rows) }
        self.layout = layout
        // The terminal's current colors, unknown at first.
        var (fore, back): (UInt32?, UInt32?) = (nil, nil)
        for row in 0..<layout.rows {
            // The cursor's position in the row.
            var cursor = -1
            for column in 0..<layout.columns {
                var (upper, lower) = (pixels[column, 2 * row], pixels[column, 2 * row + 1])
                if !isTrueColor {
                    (upper, lower) = (UInt32(TerminalPalette.nearest(upper)), UInt32(TerminalPalette.nearest(lower)))
                }
                let cell = UInt64(upper) << 32 | UInt64(lower)
                let place = row * layout.columns + column
                guard shown[place] != cell else { continue }
                shown[place] = cell
                if cursor != column {
                    out.escape("[\(layout.row + row + 1);\(layout.column + column + 1)H")
                }
                cursor = column + 1
                if back != upper { append(&out, upper, 48) }
                back = upper
                if upper == lower {
                    out.append(UInt8(ascii: " "))
                    continue
                }
                if fore != lower { append(&out, lower, 38) }
                fore = lower
                out.append(contentsOf: [0xE2, 0x96, 0x84])
            }
        }
        guard !out.isEmpty else { return [] }
        out.escape("[0m")
        return TerminalText.synchronized(out)
    }

    private func append(_ out: inout [UInt8], _ color: UInt32, _ kind: Int) {
        if isTrueColor {
            out.escape("[\(kind);2;\(color >> 16);\(color >> 8 & 255);\(color & 255)m")
        } else {
            out.escape("[\(kind);5;\(color)m")
        }
    }
}

/// Control sequences of terminals.
enum TerminalText {
    /// Shows written bytes as one change.
    static func synchronized(_ bytes: [UInt8]) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count + 16)
        out.escape("[?2026h")
        out.append(contentsOf: bytes)
        out.append(contentsOf: end)
        return out
    }

    /// Appends to the bytes that are shown as one change, or makes them one.
    static func join(_ more: [UInt8], to bytes: inout [UInt8]) {
        guard !more.isEmpty else { return }
        guard bytes.suffix(end.count).elementsEqual(end) else {
            bytes += more
            return
        }
        bytes.removeLast(end.count)
        bytes += more
        bytes += end
    }

    private static let end = Array("\u{1B}[?2026l".utf8)
}

extension [UInt8] {
    /// Appends a control sequence.
    mutating func escape(_ text: String) {
        append(0x1B)
        append(contentsOf: text.utf8)
    }
}
