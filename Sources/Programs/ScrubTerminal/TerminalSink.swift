internal import ScrubFileIO
package import ScrubBase
package import ScrubPlayers

/// Shows frames in a terminal, as large as possible, with a status line below.
///
/// Every kind of frame is shown, including placeholders; a frame without a picture leaves the last one on screen. While
/// the session is left, nothing is shown. The terminal's size is checked for each frame. A slow terminal delays
/// ``receive(_:)``: one frame is in progress, and the player's policy decides about those after it.
///
/// Cost: scaling, 2 ms for 1080p, and creating the text: 1 ms for half blocks with 160x45 cells; for 1280x720 pixels, 5
/// ms with kitty's protocol and 60 ms with sixels. Memory: the scaled picture and its text.
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
        /// The picture on the screen, and its requested shape.
        var picture: FramePicture?
        var shape: Shape?
        /// The caller's lines for the last rows, and those currently shown there.
        var foot: [TerminalLine]?
        var shownFoot: [TerminalLine]?
    }

    /// The terminal.
    package let session: TerminalSession
    /// The way pictures are shown.
    package let graphics: TerminalGraphics
    private let footRows: Int
    private let state: Locked<State>

    /// Takes over a terminal.
    ///
    /// - Parameters:
    ///   - session: the terminal, which this enters.
    ///   - graphics: the way pictures are shown; `nil`, the default, for the best one that the terminal supports.
    ///   - hasStatus: whether the last row is for the status.
    /// - Throws: `unavailable` if the terminal cannot show pictures, `inputOutput` if it cannot be written.
    package convenience init(
        _ session: TerminalSession, graphics: TerminalGraphics? = nil, hasStatus: Bool = true
    ) throws(ScrubError) {
        try self.init(session, graphics: graphics, footRows: hasStatus ? 1 : 0)
    }

    /// - Parameter footRows: the number of last rows without a picture.
    package init(_ session: TerminalSession, graphics: TerminalGraphics?, footRows: Int) throws(ScrubError) {
        try session.enter()
        guard let chosen = graphics ?? session.capabilities.graphics else {
            session.leave()
            throw ScrubError(
                .unavailable, "the terminal does not support colors",
                advice: "set TERM to the terminal's type, such as xterm-256color")
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

    /// True, because people are watching.
    package var showsPreviews: Bool { true }

    /// Shows a frame.
    ///
    /// - Throws: `inputOutput` if the terminal is gone, `badData` for a picture that cannot be shown.
    package func receive(_ frame: PlayerFrame) throws {
        try show(frame.picture, shape: nil) { state in
            state.status.time = frame.frame.time
            state.status.frame = frame.frame.number
        }
    }

    /// Changes the status and writes it without waiting for the next frame; redraws the picture if the terminal's size
    /// has changed.
    ///
    /// - Throws: as for ``receive(_:)``.
    package func update(_ change: @Sendable (inout TerminalStatus) -> Void) throws {
        try show(nil, shape: nil) { change(&$0.status) }
    }

    /// Shows everything again, after another program had the terminal.
    ///
    /// - Throws: as for ``receive(_:)``.
    package func redraw() throws {
        state.withLock { $0.size = nil }
        try show(nil, shape: nil) { _ in }
    }

    /// Restores the terminal.
    package func finish() { session.leave() }

    /// Shows a picture above the caller's lines; without a picture, the previous one stays.
    ///
    /// - Parameters:
    ///   - shape: the columns and rows for the picture's position; `nil` for its own.
    ///   - foot: the last rows, the lowest last.
    package func show(
        _ picture: FramePicture?, shape: (width: Int, height: Int)?, foot: [TerminalLine]
    ) throws(ScrubError) {
        try show(picture, shape: shape.map { Shape(width: $0.width, height: $0.height) }) { $0.foot = foot }
    }

    /// Replaces the picture with text, until ``redraw()``.
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

    /// The terminal's size when something was last shown, and the cells that the picture covers.
    package var place: (size: TerminalSize, column: Int, columns: Int)? {
        state.withLock { state in
            guard let size = state.size, let layout = state.layout else { return nil }
            return (size, layout.column, layout.columns)
        }
    }

    private func show(
        _ picture: FramePicture?, shape: Shape?, _ change: @Sendable (inout State) -> Void
    ) throws(ScrubError) {
        // Another program has the screen, temporarily or permanently.
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
            // After a change of size, the old picture is rendered again.
            if picture != nil { state.shape = shape }
            if let shown = picture ?? (state.layout == nil ? state.picture : nil) {
                let own = try shown.outputSize()
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
            // The picture and the text about it change together.
            TerminalText.join(lines, to: &out)
            // In one piece: a terminal that draws between two pieces shows half a picture.
            if !out.isEmpty { try state.output.write(out) }
        }
    }
}

extension TerminalSink.State {
    /// Records that nothing is on the screen any more.
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
            // Nothing else may hold the shown state while it is changed, because that would copy it.
            renderer = .sixel(SixelRenderer())
            defer { renderer = .blocks(blocks) }
            return blocks.render(pixels, layout)
        }
    }
}
