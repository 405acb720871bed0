internal import ScrubFileIO
package import ScrubBase
package import ScrubPlayers

/// Shows frames in a terminal, as large as fits, with a line of status below.
///
/// Every kind of frame is shown, placeholders too; a frame without a picture leaves the last one; while the session is
/// left nothing is shown. The terminal's size is looked up for each frame. A slow terminal holds ``take(_:)`` up: one
/// frame is on its way, and the player's policy decides about those behind it.
///
/// Cost: scaling, 2 ms for 1080p, and making the text: for 160x45 cells 1 ms of half blocks, for 1280x720 pixels 5 ms
/// of kitty's protocol and 60 ms of sixels. Memory: the scaled picture and its text.
package final class TerminalSink: FrameSink {
    fileprivate struct Shape {
        var width: Int
        var height: Int
    }

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
        /// The picture on the screen, and the shape it was given.
        var picture: FramePicture?
        var shape: Shape?
        /// The caller's lines for the last rows, and those that are shown there.
        var foot: [TerminalLine]?
        var shownFoot: [TerminalLine]?
    }

    /// The terminal.
    package let session: TerminalSession
    /// The way pictures are shown.
    package let graphics: TerminalGraphics
    private let footRows: Int
    private let state: Locked<State>

    /// Takes a terminal over.
    ///
    /// - Parameters:
    ///   - session: the terminal; it is entered.
    ///   - graphics: the way pictures are shown; `nil`, the default, for the best that the terminal can.
    ///   - hasStatus: whether the last row is the status's.
    /// - Throws: `unavailable` when the terminal cannot show pictures, `inputOutput` when it cannot be written.
    package convenience init(
        _ session: TerminalSession, graphics: TerminalGraphics? = nil, hasStatus: Bool = true
    ) throws(ScrubError) {
        try self.init(session, graphics: graphics, footRows: hasStatus ? 1 : 0)
    }

    /// - Parameter footRows: the last rows, where no picture is.
    package init(_ session: TerminalSession, graphics: TerminalGraphics?, footRows: Int) throws(ScrubError) {
        try session.enter()
        guard let chosen = graphics ?? session.capabilities.graphics else {
            session.leave()
            throw ScrubError(
                .unavailable, "the terminal shows no colors", advice: "set TERM to what it is, such as xterm-256color")
        }
        (self.session, self.graphics, self.footRows) = (session, chosen, footRows)
        let renderer: Renderer =
            switch chosen {
            case .kitty: .kitty(KittyRenderer())
            case .sixel: .sixel(SixelRenderer())
            case .trueColor: .blocks(HalfBlockRenderer(isTrueColor: true))
            case .indexedColor: .blocks(HalfBlockRenderer(isTrueColor: false))
            }
        state = Locked(State(renderer: renderer, output: ByteOutput(descriptor: session.output, name: "the terminal")))
    }

    /// True: people look on.
    package var showsPreviews: Bool { true }

    /// Shows a frame.
    ///
    /// - Throws: `inputOutput` when the terminal is gone, `badData` for a picture that cannot be shown.
    package func take(_ frame: PlayerFrame) throws {
        try show(frame.picture, shape: nil) { state in
            state.status.time = frame.frame.time
            state.status.frame = frame.frame.number
        }
    }

    /// Changes the status and writes it, without waiting for the next frame; shows the picture again if the terminal's
    /// size changed.
    ///
    /// - Throws: as ``take(_:)``.
    package func update(_ change: @Sendable (inout TerminalStatus) -> Void) throws {
        try show(nil, shape: nil) { change(&$0.status) }
    }

    /// Shows everything again, after another program had the terminal.
    ///
    /// - Throws: as ``take(_:)``.
    package func redraw() throws {
        state.withLock { $0.size = nil }
        try show(nil, shape: nil) { _ in }
    }

    /// Puts the terminal back as it was.
    package func finish() { session.leave() }

    /// Shows a picture above lines of the caller's; without a picture the one before stays.
    ///
    /// - Parameters:
    ///   - shape: columns and rows for the picture's place; `nil` for its own.
    ///   - foot: the last rows, the lowest last.
    package func show(
        _ picture: FramePicture?, shape: (width: Int, height: Int)?, foot: [TerminalLine]
    ) throws(ScrubError) {
        try show(picture, shape: shape.map { Shape(width: $0.width, height: $0.height) }) { $0.foot = foot }
    }

    /// Takes the picture away and shows text in its place, until ``redraw()``.
    package func show(text: [TerminalLine]) throws(ScrubError) {
        guard session.isEntered else { return }
        let size = session.size
        try state.withLock { (state) throws(ScrubError) in
            var out: [UInt8] = []
            if case .kitty(var kitty) = state.renderer {
                out += kitty.clear()
                state.renderer = .kitty(kitty)
            }
            out.escape("[0m")
            out.escape("[2J")
            state.forget()
            let top = max(0, (size.rows - text.count) / 2)
            for (row, line) in text.prefix(size.rows).enumerated() {
                out += line.bytes(row: top + row, columns: size.columns)
            }
            try state.output.write(TerminalText.synchronized(out))
        }
    }

    /// The size of the terminal when something was shown last, and the cells that the picture covers.
    package var place: (size: TerminalSize, column: Int, columns: Int)? {
        state.withLock { state in
            guard let size = state.size, let layout = state.layout else { return nil }
            return (size, layout.column, layout.columns)
        }
    }

    private func show(
        _ picture: FramePicture?, shape: Shape?, _ change: @Sendable (inout State) -> Void
    ) throws(ScrubError) {
        // Another program has the screen, for a while or for good.
        guard session.isEntered else { return }
        let (size, graphics, footRows) = (session.size, graphics, footRows)
        try state.withLock { (state) throws(ScrubError) in
            change(&state)
            var out: [UInt8] = []
            if size != state.size {
                out.escape("[0m")
                out.escape("[2J")
                state.forget()
                state.size = size
            }
            // After a change of size the old picture is made again.
            if picture != nil { state.shape = shape }
            if let shown = picture ?? (state.layout == nil ? state.picture : nil) {
                let own = try shown.size()
                let layout = TerminalLayout(
                    width: state.shape?.width ?? own.width, height: state.shape?.height ?? own.height, in: size,
                    graphics,
                    footRows: footRows)
                if layout != state.layout, state.layout != nil {
                    out.escape("[0m")
                    out.escape("[2J")
                    state.forget()
                }
                state.layout = layout
                let pixels = try shown.pixels(
                    .rgb8,
                    options: FramePicture.Options(
                        size: .exact(width: layout.width, height: layout.height), background: .black))
                out += state.render(
                    TerminalPixels(width: pixels.width, height: pixels.height, bytes: pixels.bytes), layout)
                state.picture = shown
            }
            var lines: [UInt8] = []
            if let foot = state.foot {
                if foot != state.shownFoot {
                    for (row, line) in foot.suffix(size.rows).enumerated() {
                        lines += line.bytes(row: max(0, size.rows - foot.count) + row, columns: size.columns)
                    }
                }
                state.shownFoot = foot
            } else if footRows > 0 {
                lines = state.status.bytes(in: size)
            }
            // The picture and the words about it change at once.
            TerminalText.join(lines, to: &out)
            // In one piece: a terminal that draws between two of them shows half a picture.
            if !out.isEmpty { try state.output.write(out) }
        }
    }
}

extension TerminalSink.State {
    /// Notes that nothing is on the screen any more.
    fileprivate mutating func forget() {
        layout = nil
        shownFoot = nil
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
