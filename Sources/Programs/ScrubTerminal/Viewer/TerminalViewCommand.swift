internal import ScrubPlayersLogic

/// A key's meaning for the viewer in the terminal. The page in the browser has the same keys.
enum TerminalViewCommand: Sendable, Hashable {
    /// Forward by this many frames.
    case step(Int)
    /// Forward by this many seconds, and by at least this many frames.
    case skip(seconds: Int, atLeast: Int)
    /// The next or the previous key picture.
    case keyPicture(Int)
    case first, last
    /// To this many tenths of the film.
    case tenths(Int)
    case togglePlay, stop
    /// Repeated in the same direction, twice as fast.
    case shuttle(PlaybackDirection)
    /// Text for a position follows, beginning with this.
    case goTo(String)
    /// Forward by this many films.
    case item(Int)
    case help, redraw, suspend
    /// One level back, and finally quits.
    case back
    case quit

    /// Creates the meaning of a key; `nil` if it has none.
    init?(_ key: TerminalKey) {
        switch (key.code, key.modifiers) {
        case (.left, []), (.character(","), []), (.down, []): self = .step(-1)
        case (.right, []), (.character("."), []), (.up, []): self = .step(1)
        case (.left, .shift): self = .skip(seconds: -1, atLeast: 1)
        case (.right, .shift): self = .skip(seconds: 1, atLeast: 1)
        case (.pageUp, []): self = .skip(seconds: 10, atLeast: 15)
        case (.pageDown, []): self = .skip(seconds: -10, atLeast: 15)
        case (.character("<"), _): self = .keyPicture(-1)
        case (.character(">"), _): self = .keyPicture(1)
        case (.home, []): self = .first
        case (.end, []): self = .last
        case (.character(" "), []): self = .togglePlay
        case (.character("k"), []): self = .stop
        case (.character("j"), []): self = .shuttle(.backward)
        case (.character("l"), []): self = .shuttle(.forward)
        case (.character("g"), []), (.character(":"), _): self = .goTo("")
        case (.character("f"), []): self = .goTo("f")
        case (.character("n"), []): self = .item(1)
        case (.character("p"), []): self = .item(-1)
        case (.character("?"), _), (.character("h"), []): self = .help
        case (.character("l"), .control): self = .redraw
        case (.character("z"), .control): self = .suspend
        case (.escape, []): self = .back
        case (.character("q"), []), (.character("c"), .control): self = .quit
        case (.character(let digit), []):
            guard let tenths = digit.wholeNumberValue, digit.isASCII else { return nil }
            self = .tenths(tenths)
        default: return nil
        }
    }

    /// All keys with their descriptions, one line each.
    static let words: [(keys: String, does: String)] = [
        ("Left Right  , .", "go back or forward one frame"),
        ("Shift+Left Shift+Right", "go back or forward one second"),
        ("PageDown PageUp", "go back or forward ten seconds"),
        ("< >", "previous or next key picture"),
        ("Home End  0-9", "first or last frame; tenths of the film"),
        ("Space  J K L", "play/pause; backward, stop, forward (again: faster)"),
        ("G : f", "go to a position: 1:02.5, f1234, 42%, last"),
        ("mouse on the picture", "drag to scrub; finer if farther up or down"),
        ("mouse on the line, wheel", "jump to that position; step one frame"),
        ("N P", "next, previous film"),
        ("?  Ctrl-L  Ctrl-Z", "this help; redraw; suspend"),
        ("Q  Esc", "quit"),
    ]
}
