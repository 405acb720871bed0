package import ScrubPlayersLogic

/// A key that was pressed in a terminal.
package struct TerminalKey: Sendable, Hashable {
    /// Which key.
    package enum Code: Sendable, Hashable {
        /// A character, as the keyboard produced it.
        case character(Character)
        /// The key with that name.
        case up, down, left, right, home, end, pageUp, pageDown, insert, delete, enter, tab, backspace, escape
        /// F1 and so on.
        case function(Int)
    }

    /// Modifier keys held with it.
    package struct Modifiers: OptionSet, Sendable, Hashable {
        /// One bit for each key, numbered as in xterm.
        package let rawValue: Int
        /// Makes a set.
        package init(rawValue: Int) { self.rawValue = rawValue }
        /// Shift; for characters, it is part of the character.
        package static let shift = Modifiers(rawValue: 1)
        /// Alt, or Escape before it.
        package static let alt = Modifiers(rawValue: 2)
        /// Control.
        package static let control = Modifiers(rawValue: 4)
    }

    /// Which key.
    package var code: Code
    /// The modifiers held with it.
    package var modifiers: Modifiers

    /// Makes a key.
    package init(_ code: Code, _ modifiers: Modifiers = []) { (self.code, self.modifiers) = (code, modifiers) }
}

/// An action of the mouse in a terminal.
package struct TerminalMouse: Sendable, Hashable {
    /// The kind of an action.
    package enum Action: Sendable, Hashable {
        /// A button was pressed, was released, or is held while the mouse moves.
        case press, release, drag
        /// The mouse moved without a button.
        case move
        /// The wheel was turned up or down.
        case scrollUp, scrollDown
    }

    /// The kind of the action.
    package var action: Action
    /// The button: 0 left, 1 middle, 2 right.
    package var button: Int
    /// The cell's column, from 0.
    package var column: Int
    /// The cell's row, from 0.
    package var row: Int
    /// The modifiers held with it.
    package var modifiers: TerminalKey.Modifiers

    /// Creates an action.
    package init(_ action: Action, button: Int = 0, column: Int, row: Int, modifiers: TerminalKey.Modifiers = []) {
        (self.action, self.button, self.column, self.row) = (action, button, column, row)
        self.modifiers = modifiers
    }
}

/// An input from a terminal.
package enum TerminalInput: Sendable, Hashable {
    /// A key was pressed.
    case key(TerminalKey)
    /// A mouse action, if these were requested.
    case mouse(TerminalMouse)
    /// The terminal is gone, or the input ended. Nothing follows.
    case closed
}

/// A key's meaning for a player.
package enum TerminalCommand: Sendable, Hashable {
    /// Space: play or pause.
    case togglePause
    /// k: pause.
    case pause
    /// j and l: play backward or forward, faster each time.
    case shuttle(PlaybackDirection)
    /// `,` and `.`, and the arrows with Shift: forward by this many frames.
    case step(Int)
    /// The arrows: forward by this many seconds.
    case skip(seconds: Int)
    /// Up and down, `]` and `[`: one step faster or slower.
    case changeRate(Int)
    /// 0 to 9: that many tenths of the medium.
    case seek(tenths: Int)
    /// Home and End.
    case first, last
    /// n and p: forward by this many items.
    case item(Int)
    /// q, Escape, Ctrl-C.
    case quit
    /// Ctrl-Z.
    case suspend
    /// ? and h: shows the keys.
    case help

    /// Creates the meaning of a key; `nil` if it has none.
    package init?(_ key: TerminalKey) {
        switch (key.code, key.modifiers) {
        case (.character(" "), []): self = .togglePause
        case (.character("k"), []): self = .pause
        case (.character("j"), []): self = .shuttle(.backward)
        case (.character("l"), []): self = .shuttle(.forward)
        case (.character(","), []), (.left, .shift): self = .step(-1)
        case (.character("."), []), (.right, .shift): self = .step(1)
        case (.left, []): self = .skip(seconds: -5)
        case (.right, []): self = .skip(seconds: 5)
        case (.up, []), (.character("]"), []): self = .changeRate(1)
        case (.down, []), (.character("["), []): self = .changeRate(-1)
        case (.home, []): self = .first
        case (.end, []): self = .last
        case (.character("n"), []): self = .item(1)
        case (.character("p"), []): self = .item(-1)
        case (.character("q"), []), (.escape, []), (.character("c"), .control): self = .quit
        case (.character("z"), .control): self = .suspend
        case (.character("?"), []), (.character("h"), []): self = .help
        case (.character(let digit), []):
            guard let tenths = digit.wholeNumberValue, digit.isASCII else { return nil }
            self = .seek(tenths: tenths)
        default: return nil
        }
    }
    /// All keys with their descriptions, one line each.
    package static let words: [(keys: String, does: String)] = [
        ("Space  K", "play or pause; pause"),
        ("J L", "play backward or forward, faster each time"),
        ("Left Right", "go back or forward five seconds"),
        ("Shift+Left Shift+Right  , .", "go back or forward one frame"),
        ("Up Down  ] [", "faster, slower"),
        ("Home End  0-9", "first or last frame; tenths of the film"),
        ("N P", "next, previous file"),
        ("?  Ctrl-Z", "show these keys; suspend"),
        ("Q  Esc", "quit"),
    ]
}
