internal import FileIO
public import ScrubBase

/// Shows frames in a terminal, as large as fits, with a line of status below.
///
/// Every kind of frame is shown, placeholders too; a frame without a picture leaves the last one; while the session is left nothing is shown. The terminal's size is looked up for
/// each frame. A slow terminal holds ``take(_:)`` up: one frame is on its way, and the player's policy says what becomes of those
/// behind it.
///
/// Cost: scaling, 2 ms for 1080p, and making the text: for 160x45 cells 1 ms of half blocks, for 1280x720 pixels 5 ms of kitty's protocol and
/// 60 ms of sixels. Memory: the scaled picture and its text.
public final class TerminalSink: FrameSink {
    fileprivate enum Renderer {
        case kitty(KittyRenderer)
        case sixel(SixelRenderer)
        case blocks(HalfBlockRenderer)
    }

    fileprivate struct State {
        var renderer: Renderer
        let output: ByteOutput
        var size: TerminalSize?
        var layout: TerminalLayout?
        var status = TerminalStatus()
        var frame: PlayerFrame?
    }

    /// The terminal.
    public let session: TerminalSession
    /// How pictures are shown.
    public let graphics: TerminalGraphics
    private let hasStatus: Bool
    private let state: Locked<State>

    /// Takes a terminal over.
    ///
    /// - Parameters:
    ///   - session: the terminal; it is entered.
    ///   - graphics: how pictures are shown; `nil`, the default, for the best that the terminal can.
    ///   - hasStatus: whether the last row is the status's.
    /// - Throws: `unavailable` when the terminal cannot show pictures, `inputOutput` when it cannot be written.
    public init(
        _ session: TerminalSession, graphics: TerminalGraphics? = nil, hasStatus: Bool = true
    ) throws(ScrubError) {
        try session.enter()
        guard let chosen = graphics ?? session.capabilities.graphics else {
            session.leave()
            throw ScrubError(
                .unavailable, "the terminal shows no colors", advice: "set TERM to what it is, such as xterm-256color")
        }
        (self.session, self.graphics, self.hasStatus) = (session, chosen, hasStatus)
        let renderer: Renderer =
            switch chosen {
            case .kitty: .kitty(KittyRenderer())
            case .sixel: .sixel(SixelRenderer())
            case .trueColor: .blocks(HalfBlockRenderer(isTrueColor: true))
            case .indexedColor: .blocks(HalfBlockRenderer(isTrueColor: false))
            }
        state = Locked(State(renderer: renderer, output: ByteOutput(descriptor: session.output, name: "the terminal")))
    }

    /// Shows a frame.
    ///
    /// - Throws: `inputOutput` when the terminal is gone, `badData` for a picture that cannot be shown.
    public func take(_ frame: PlayerFrame) throws {
        try show(frame) { status in
            status.time = frame.frame.time
            status.frame = frame.frame.number
        }
    }

    /// Changes the status and writes it, without waiting for the next frame; shows the picture again if the terminal's size changed.
    ///
    /// - Throws: as ``take(_:)``.
    public func update(_ change: @Sendable (inout TerminalStatus) -> Void) throws { try show(nil, change) }

    /// Shows everything again, after somebody else had the terminal.
    ///
    /// - Throws: as ``take(_:)``.
    public func redraw() throws {
        state.withLock { $0.size = nil }
        try show(nil) { _ in }
    }

    /// Puts the terminal back as it was.
    public func finish() { session.leave() }

    private func show(_ frame: PlayerFrame?, _ change: @Sendable (inout TerminalStatus) -> Void) throws {
        // Somebody else has the screen, for a while or for good.
        guard session.isEntered else { return }
        let (size, graphics, hasStatus) = (session.size, graphics, hasStatus)
        try state.withLock { (state) throws(ScrubError) in
            change(&state.status)
            var out: [UInt8] = []
            if size != state.size {
                out.escape("[0m")
                out.escape("[2J")
                state.forget()
                state.size = size
            }
            // After a change of size the old picture is made again.
            let shown = frame?.picture != nil ? frame : state.layout == nil ? state.frame : nil
            if let shown, let picture = shown.picture {
                let own = try picture.size()
                let layout = TerminalLayout(
                    width: own.width, height: own.height, in: size, graphics, hasStatus: hasStatus)
                if layout != state.layout, state.layout != nil {
                    out.escape("[0m")
                    out.escape("[2J")
                    state.forget()
                }
                state.layout = layout
                let pixels = try picture.pixels(
                    .rgb8,
                    options: PictureOptions(
                        size: .exact(width: layout.width, height: layout.height), background: .black))
                out += state.render(
                    TerminalPixels(width: pixels.width, height: pixels.height, bytes: pixels.bytes), layout)
                state.frame = shown
            }
            if hasStatus { out += state.status.bytes(in: size) }
            // In one piece: a terminal that draws between two of them shows half a picture.
            if !out.isEmpty { try state.output.write(out) }
        }
    }
}

extension TerminalSink.State {
    /// Nothing is on the screen any more.
    fileprivate mutating func forget() {
        layout = nil
        if case .blocks(var blocks) = renderer {
            blocks.invalidate()
            renderer = .blocks(blocks)
        }
    }

    fileprivate mutating func render(_ pixels: TerminalPixels, _ layout: TerminalLayout) -> [UInt8] {
        switch renderer {
        case .kitty(var kitty):
            defer { renderer = .kitty(kitty) }
            return kitty.render(pixels, layout)
        case .sixel(let sixel): return sixel.render(pixels, layout)
        case .blocks(var blocks):
            // Nothing else may hold what is shown while it is changed: that would copy it.
            renderer = .sixel(SixelRenderer())
            defer { renderer = .blocks(blocks) }
            return blocks.render(pixels, layout)
        }
    }
}
