internal import Glibc

/// The ways in which a terminal shows pictures, the best first.
package enum TerminalGraphics: String, Sendable, Hashable, CaseIterable {
    /// kitty's graphics protocol: the very pixels.
    case kitty
    /// DEC's sixels, of 240 fixed colors: the terminal's pixels, dithered.
    case sixel
    /// Two pixels in each cell, as a half block with two colors of 24 bits.
    case trueColor
    /// The same with the 240 fixed colors of the 256 of xterm.
    case indexedColor
}

/// The capabilities of a terminal, as far as it tells them.
package struct TerminalCapabilities: Sendable, Hashable {
    /// Whether the terminal answered a query of kitty's graphics protocol.
    package var hasKittyGraphics = false
    /// Whether its device attributes have sixels (4).
    package var hasSixels = false
    /// Whether the terminal shows colors of 24 bits; terminals have no query for it, the environment says.
    package var hasTrueColor = false
    /// Whether there are 256 colors at least.
    package var hasIndexedColor = false
    /// Whether the terminal has answered.
    var hasAnswered = false
    /// Size of a cell in pixels, if it told.
    package var cellSize: TerminalSize.Pixels?

    /// A terminal without any capabilities.
    package init() {}

    /// The best way to show pictures; `nil` if the terminal cannot show any.
    package var graphics: TerminalGraphics? {
        hasKittyGraphics
            ? .kitty : hasSixels ? .sixel : hasTrueColor ? .trueColor : hasIndexedColor ? .indexedColor : nil
    }

    /// Creates the capabilities that the environment gives: `COLORTERM`, `TERM` and, inside of tmux, `TMUX`.
    package init(environment: [String: String]) {
        let (term, color) = (environment["TERM"] ?? "", environment["COLORTERM"] ?? "")
        guard !term.isEmpty, term != "dumb" else { return }
        // tmux takes all colors and makes what its own terminal has of them.
        hasTrueColor =
            color == "truecolor" || color == "24bit" || environment["TMUX"] != nil || term.hasSuffix("-direct")
            || ["kitty", "ghostty", "alacritty", "wezterm", "foot"].contains { term.contains($0) }
        hasIndexedColor = hasTrueColor || term.contains("256color")
    }

    /// The query: a picture of kitty's for a pixel that is not kept, the size of a cell, and last the device's
    /// attributes, which every terminal answers.
    static let query = Array("\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\\u{1B}[16t\u{1B}[c".utf8)

    /// Takes one control sequence out of a terminal's bytes.
    ///
    /// - Returns: whether it is the last answer.
    mutating func take(_ reply: TerminalReply) -> Bool {
        switch reply {
        case .graphics(let text): if text.hasPrefix("i=31"), text.hasSuffix(";OK") { hasKittyGraphics = true }
        case .cellSize(let width, let height):
            if width > 0, height > 0 { cellSize = .init(width: width, height: height) }
        case .deviceAttributes(let attributes):
            // The first is the terminal's class.
            hasSixels = attributes.dropFirst().contains(4)
            return true
        }
        return false
    }
}

/// A terminal's answer to a query.
enum TerminalReply: Hashable, Sendable {
    /// Of kitty's protocol: the text between its brackets.
    case graphics(String)
    case cellSize(width: Int, height: Int)
    case deviceAttributes([Int])
}

/// The size of a terminal.
package struct TerminalSize: Sendable, Hashable {
    /// A number of pixels in both directions.
    package struct Pixels: Sendable, Hashable {
        /// Columns.
        package var width: Int
        /// Rows.
        package var height: Int

        /// Makes a size.
        package init(width: Int, height: Int) { (self.width, self.height) = (width, height) }
    }

    /// Columns of cells, 1 or more.
    package var columns: Int
    /// Rows of cells, 1 or more.
    package var rows: Int
    /// Size of a cell in pixels. Many terminals tell none, or one that cannot be: such a one is 8x16 here.
    package var cell: Pixels

    /// Makes a size.
    ///
    /// - Parameter cell: `nil`, and sizes that no font has, are taken for 8x16.
    package init(columns: Int, rows: Int, cell: Pixels? = nil) {
        (self.columns, self.rows) = (max(1, columns), max(1, rows))
        let usual = Pixels(width: 8, height: 16)
        guard let cell, (2...200).contains(cell.width), (2...400).contains(cell.height),
            // Cells are about twice as high as wide; a shape far from that is a mistake.
            cell.height * 4 >= cell.width * 3, cell.height <= cell.width * 4
        else {
            self.cell = usual
            return
        }
        self.cell = cell
    }

    /// The size of the terminal behind a descriptor (`TIOCGWINSZ`); `nil` if it is not a terminal, or does not tell its
    /// size.
    package init?(descriptor: Int32, cell: Pixels? = nil) {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return nil
        }
        let told = Pixels(width: Int(size.ws_xpixel) / Int(size.ws_col), height: Int(size.ws_ypixel) / Int(size.ws_row))
        self.init(columns: Int(size.ws_col), rows: Int(size.ws_row), cell: cell ?? told)
    }
}
