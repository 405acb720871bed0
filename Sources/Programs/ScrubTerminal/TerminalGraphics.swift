internal import Glibc

/// The ways in which a terminal shows pictures, the best first.
package enum TerminalGraphics: String, Sendable, Hashable, CaseIterable {
    /// kitty's graphics protocol: the exact pixels.
    case kitty
    /// DEC's sixels, with 240 fixed colors: the terminal's pixels, dithered.
    case sixel
    /// Two pixels in each cell, as a half block with two 24-bit colors.
    case trueColor
    /// The same with the 240 fixed colors among xterm's 256.
    case indexedColor
}

/// The capabilities of a terminal, as far as it reports them.
package struct TerminalCapabilities: Sendable, Hashable {
    /// Whether the terminal answered a query in kitty's graphics protocol.
    package var hasKittyGraphics = false
    /// Whether its device attributes include sixels (4).
    package var hasSixels = false
    /// Whether the terminal shows 24-bit colors. There is no query for this, so the environment determines it.
    package var hasTrueColor = false
    /// Whether there are at least 256 colors.
    package var hasIndexedColor = false
    /// Whether the terminal has answered.
    var hasAnswered = false
    /// The size of a cell in pixels, if the terminal reported it.
    package var cellSize: TerminalSize.Pixels?

    /// A terminal without any capabilities.
    package init() {}

    /// The best way to show pictures; `nil` if the terminal cannot show any.
    package var graphics: TerminalGraphics? {
        hasKittyGraphics
            ? .kitty : hasSixels ? .sixel : hasTrueColor ? .trueColor : hasIndexedColor ? .indexedColor : nil
    }

    /// Creates the capabilities that the environment declares: `COLORTERM`, `TERM` and, inside tmux, `TMUX`.
    package init(environment: [String: String]) {
        let (term, color) = (environment["TERM"] ?? "", environment["COLORTERM"] ?? "")
        guard !term.isEmpty, term != "dumb" else { return }
        // tmux accepts all colors and converts them to those of its own terminal.
        hasTrueColor =
            color == "truecolor" || color == "24bit" || environment["TMUX"] != nil || term.hasSuffix("-direct")
            || ["kitty", "ghostty", "alacritty", "wezterm", "foot"].contains { term.contains($0) }
        hasIndexedColor = hasTrueColor || term.contains("256color")
    }

    /// The query: a one-pixel kitty picture that is not kept, the cell size, and finally the device attributes, which
    /// every terminal answers.
    static let query = Array("\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\\u{1B}[16t\u{1B}[c".utf8)

    /// Handles one control sequence of the terminal.
    ///
    /// - Returns: whether it is the last answer.
    mutating func take(_ reply: TerminalReply) -> Bool {
        switch reply {
        case .graphics(let text): if text.hasPrefix("i=31"), text.hasSuffix(";OK") { hasKittyGraphics = true }
        case .cellSize(let width, let height):
            if width > 0, height > 0 { cellSize = .init(width: width, height: height) }
        case .deviceAttributes(let attributes):
            // The first number is the terminal's class.
            hasSixels = attributes.dropFirst().contains(4)
            return true
        }
        return false
    }
}

/// A terminal's answer to a query.
enum TerminalReply: Hashable, Sendable {
    /// In kitty's protocol: the text between its delimiters.
    case graphics(String)
    case cellSize(width: Int, height: Int)
    case deviceAttributes([Int])
}

/// The size of a terminal.
package struct TerminalSize: Sendable, Hashable {
    /// A size in pixels.
    package struct Pixels: Sendable, Hashable {
        /// Columns.
        package var width: Int
        /// Rows.
        package var height: Int

        /// Creates a size.
        package init(width: Int, height: Int) { (self.width, self.height) = (width, height) }
    }

    /// The number of cell columns, 1 or more.
    package var columns: Int
    /// The number of cell rows, 1 or more.
    package var rows: Int
    /// The size of a cell in pixels. Many terminals report none or an impossible one; it is then 8x16 here.
    package var cell: Pixels

    /// Creates a size.
    ///
    /// - Parameter cell: the cell size; `nil`, and sizes that no font has, count as 8x16.
    package init(columns: Int, rows: Int, cell: Pixels? = nil) {
        (self.columns, self.rows) = (max(1, columns), max(1, rows))
        let usual = Pixels(width: 8, height: 16)
        guard let cell, (2...200).contains(cell.width), (2...400).contains(cell.height),
            // Cells are about twice as tall as they are wide; a very different shape is a mistake.
            cell.height * 4 >= cell.width * 3, cell.height <= cell.width * 4
        else {
            self.cell = usual
            return
        }
        self.cell = cell
    }

    /// The size of the terminal behind a descriptor (`TIOCGWINSZ`); `nil` if it is not a terminal, or does not report
    /// its size.
    package init?(descriptor: Int32, cell: Pixels? = nil) {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return nil
        }
        let told = Pixels(width: Int(size.ws_xpixel) / Int(size.ws_col), height: Int(size.ws_ypixel) / Int(size.ws_row))
        self.init(columns: Int(size.ws_col), rows: Int(size.ws_row), cell: cell ?? told)
    }
}
