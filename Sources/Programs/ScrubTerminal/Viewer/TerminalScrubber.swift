internal import ScrubFileIO
internal import Glibc
package import ScrubBase
package import ScrubMedia
internal import ScrubMediaLogic

/// Shows videos in a terminal frame by frame: `scrub view --terminal`.
///
/// One film is open at a time. The nearest available picture is shown first and then the exact one; the line below says
/// which it is. Pictures go through ``TerminalSink``. While the terminal is slow, only the newest picture is shown, and
/// input never waits for more than one picture.
///
/// Memory: the session's budget, which includes the picture on the screen and the one in progress, plus one film's
/// index and the text of one picture. During a change to another film, there are two of each. Thread safety:
/// ``run(isInterrupted:)`` blocks the calling thread, and is called once.
package final class TerminalScrubber {
    /// A film.
    package struct Film {
        /// The name of the film.
        package var name: String
        /// Opens the film; blocks, on a separate thread.
        package var open: @Sendable () throws(ScrubError) -> VideoAsset

        /// Creates a film.
        package init(name: String, open: @escaping @Sendable () throws(ScrubError) -> VideoAsset) {
            (self.name, self.open) = (name, open)
        }
    }

    /// The messages for the drawing thread.
    private struct Mail: Sendable {
        var inputs: [TerminalInput] = []
        var update: ScrubSession.Update?
        var failure: ScrubError?
        var opened: Result<VideoAsset, ScrubError>?
    }

    /// A film that is being opened.
    private struct Opening {
        var place: Int
        /// The step to the next film to try if this one cannot be opened.
        let step: Int
        /// The first film that was tried and could not be opened.
        var first: (place: Int, error: ScrubError)?
    }

    /// The film that is shown.
    private struct Screen {
        let place: Int
        let session: ScrubSession
        var machine: ViewerMachine
        var shown: ViewerShown?
        /// The columns and rows of the film's pictures; stand-ins are smaller.
        var shape: (width: Int, height: Int)?
    }

    private static let footRows = 2
    /// Further inputs are dropped: people do not type that fast.
    private static let mostInputs = 4096
    /// The maximum time between two checks of the terminal's size.
    private static let longestWait: Int64 = 100_000_000

    private let sink: TerminalSink
    private let films: [Film]
    private let byteLimit: Int
    private let bell = TimedBell(Mail())
    private var places: [Int: Int] = [:]
    private var screen: Screen?
    private var opening: Opening?
    private var failures: [Int: ScrubError] = [:]
    /// The size in which the help is shown, and a picture that arrived in the meantime.
    private var helpSize: TerminalSize?
    private var waiting: FramePicture?

    /// Takes over the terminal.
    ///
    /// - Parameters:
    ///   - films: one or more.
    ///   - byteLimit: the maximum bytes of all pictures together; a film whose decoding needs more gets more.
    ///   - graphics: the way pictures are shown; `nil` for the best one that the terminal reports.
    /// - Throws: `usage` without a terminal to draw on or to read keys from, `unavailable` if it shows no pictures.
    package init(
        _ films: [Film], byteLimit: Int, graphics: TerminalGraphics? = nil, session: TerminalSession
    ) throws(ScrubError) {
        precondition(!films.isEmpty, "no films: specify at least one")
        (self.films, self.byteLimit) = (films, byteLimit)
        sink = try TerminalSink(session, graphics: graphics, footRows: TerminalScrubber.footRows)
    }

    /// Shows the films until the user quits.
    ///
    /// - Parameter isInterrupted: called several times a second; `true` ends the viewer.
    /// - Returns: the errors of films that could not be opened, by the films' positions.
    /// - Throws: the error of the first film's opening if none can be opened, `inputOutput` if the terminal is gone.
    package func run(isInterrupted: () -> Bool) throws(ScrubError) -> [Int: ScrubError] {
        defer { sink.session.leave() }
        let bell = bell
        let keys = try TerminalKeys(sink.session) { input in
            bell.ring { mail in
                // For a drag in progress, only its latest position counts.
                if case .mouse(let new) = input, new.action == .drag, case .mouse(let old)? = mail.inputs.last,
                    old.action == .drag
                {
                    mail.inputs[mail.inputs.count - 1] = input
                } else if mail.inputs.count < TerminalScrubber.mostInputs || input == .closed {
                    mail.inputs.append(input)
                }
            }
        }
        defer { keys.stop() }
        try open(Opening(place: 0, step: 1))
        try draw(nil)
        while !isInterrupted() {
            let mail = waitForMail()
            guard try carry(out: effects(of: mail.inputs)) else { break }
            if let opened = mail.opened { try take(opened) }
            if let failure = mail.failure { screen?.machine.message = failure.causeWording.text(for: .command) }
            try draw(mail.update)
        }
        screen = nil
        return failures
    }

    // MARK: Films

    /// Starts opening a film. A remote film, or one without an index, takes time: keys work in the meantime, and
    /// quitting does not wait for it.
    private func open(_ new: Opening) throws(ScrubError) {
        let (film, bell) = (films[new.place], bell)
        opening = new
        screen?.machine.message = "opening \(film.name)"
        let thread = try DedicatedThread {
            let result: Result<VideoAsset, ScrubError>
            do throws(ScrubError) { result = .success(try film.open()) } catch { result = .failure(error) }
            bell.ring { $0.opened = result }
        }
        thread.detach()
    }

    /// Shows the film that was opened, or tries the next one.
    ///
    /// - Throws: the first film's error if there is nothing to show.
    private func take(_ opened: Result<VideoAsset, ScrubError>) throws(ScrubError) {
        guard var done = opening else { return }
        do throws(ScrubError) {
            try show(try opened.get(), done.place)
            opening = nil
            if let (place, error) = done.first {
                screen?.machine.message = "\(films[place].name): \(error.causeWording.text(for: .command))"
            }
        } catch {
            failures[done.place] = error
            let first = done.first ?? (done.place, error)
            (done.first, done.place) = (first, done.place + done.step)
            if films.indices.contains(done.place) { return try open(done) }
            opening = nil
            guard screen != nil else { throw first.error }
            let cause = first.error.causeWording.text(for: .command)
            screen?.machine.message = "\(films[first.place].name): \(cause)"
        }
    }

    private func show(_ asset: VideoAsset, _ place: Int) throws(ScrubError) {
        if let screen { places[screen.place] = screen.machine.frame }
        guard !asset.frames.isEmpty else { throw ScrubError(.badData, "it has no frames", file: asset.path) }
        var options = ScrubSession.Options()
        // The memory for a second decoder's pictures is better used for kept pictures.
        options.decoderLimit = 1
        let (room, overflow) = options.minimumByteCount(for: asset).addingReportingOverflow(64 << 20)
        let session = try ScrubSession(
            asset, options: options, budget: ScrubBudget(byteLimit: max(byteLimit, overflow ? .max : room)))
        // The previous film ends here, and delivers nothing more.
        (screen, waiting) = (nil, nil)
        let old = bell.withLock { mail in
            defer { (mail.update, mail.failure) = (nil, nil) }
            return mail.update
        }
        withExtendedLifetime(old) {}
        let bell = bell
        session.observe { update in
            // The failure itself is reported below. What is on screen stays there.
            guard update.stage != .failed else { return }
            // A picture that was not taken is released outside the lock, because that may wake the session.
            let old = bell.ring { mail in
                defer { mail.update = update }
                return mail.update
            }
            withExtendedLifetime(old) {}
        }
        session.observeFailures { _, _, error in bell.ring { $0.failure = error } }
        let frame = min(places[place] ?? 0, asset.frames.count - 1)
        screen = Screen(place: place, session: session, machine: ViewerMachine(asset, frame: frame))
        session.scrub(toFrame: frame, isMoving: false)
    }

    // MARK: Arrivals

    private func waitForMail() -> Mail {
        let clock = SuspendingClock()
        let wait = max(0, min(screen?.machine.wait ?? .max, TerminalScrubber.longestWait))
        let end = clock.now.advanced(by: .nanoseconds(wait))
        return bell.wait { mail -> TimedBell<Mail>.Wake<Mail> in
            let left = clock.now.duration(to: end).wholeNanoseconds
            let isEmpty = mail.inputs.isEmpty && mail.update == nil && mail.failure == nil && mail.opened == nil
            guard !isEmpty || left <= 0 else { return .sleep(left) }
            let taken = mail
            mail = Mail()
            return .done(taken)
        }
    }

    private func effects(of inputs: [TerminalInput]) -> [ViewerMachine.Effect] {
        guard screen != nil else {
            // The only possible request so far is to quit.
            return inputs.contains { input in
                guard case .key(let key) = input else { return input == .closed }
                return TerminalViewCommand(key) == .quit || TerminalViewCommand(key) == .back
            } ? [.quit] : []
        }
        let size = sink.session.size
        let area = ViewerMachine.Area(
            columns: size.columns, barRow: max(0, size.rows - TerminalScrubber.footRows),
            pictureColumns: sink.place?.columns ?? size.columns, cell: size.cell)
        var effects: [ViewerMachine.Effect] = []
        for input in inputs { effects += screen?.machine.take(input, in: area) ?? [] }
        effects += screen?.machine.tick() ?? []
        // Of several positions, only the last is still needed.
        if let last = effects.lastIndex(where: { if case .scrub = $0 { true } else { false } }) {
            effects = effects.enumerated().filter { place, effect in
                if case .scrub = effect { place == last } else { effect != .rest || place > last }
            }.map(\.element)
        }
        return effects
    }

    /// - Returns: whether to continue.
    private func carry(
        out effects: [ViewerMachine.Effect]
    ) throws(ScrubError) -> Bool {
        for effect in effects {
            switch effect {
            case .scrub(let frame, let isMoving): screen?.session.scrub(toFrame: frame, isMoving: isMoving)
            case .rest: screen?.session.rest()
            case .item(let step):
                // One at a time: a film that is being opened is first.
                guard let place = screen?.place, opening == nil else { break }
                if films.indices.contains(place + step) {
                    try open(Opening(place: place + step, step: step))
                } else {
                    screen?.machine.message =
                        films.count == 1
                        ? "this is the only film" : "there is no film \(step > 0 ? "after" : "before") this one"
                }
            case .redraw: try redraw()
            case .suspend: try suspend()
            case .quit: return false
            }
        }
        return true
    }

    /// Returns the terminal to the shell until the process continues.
    private func suspend() throws(ScrubError) {
        sink.session.leave()
        raise(SIGSTOP)
        try sink.session.enter()
        try redraw()
    }

    // MARK: Display

    private func redraw() throws(ScrubError) {
        do { try sink.redraw() } catch let error as ScrubError { throw error } catch {
            throw ScrubError(.inputOutput, "the terminal is no longer available: \(error)")
        }
    }

    /// Shows the news.
    private func draw(_ update: ScrubSession.Update?) throws(ScrubError) {
        guard var screen else {
            // The terminal's size may change in the meantime.
            let size = sink.session.size
            if let opening, helpSize != size {
                try sink.show(text: [
                    TerminalLine("  opening \(films[opening.place].name)"), TerminalLine("  Q  quit", .dim),
                ])
            }
            helpSize = size
            return
        }
        if let update {
            screen.shown = ViewerShown(update)
            if let picture = update.picture, !update.isReduced, screen.shape == nil {
                screen.shape = try picture.outputSize()
            }
        }
        let size = sink.session.size
        screen.machine.measure(columns: max(2, size.columns - 1))
        self.screen = screen
        let name =
            films.count > 1
            ? "\(films[screen.place].name) (\(screen.place + 1)/\(films.count))" : films[screen.place].name
        let foot = [
            ViewerLines.bar(screen.machine, columns: size.columns),
            ViewerLines.status(screen.machine, screen.shown, name: name),
        ]
        if screen.machine.showsHelp {
            // Pictures that arrive in the meantime are shown afterwards.
            waiting = update?.picture ?? waiting
            if helpSize != size { try sink.show(text: TerminalScrubber.help) }
            helpSize = size
        } else {
            let picture = update?.picture ?? waiting
            (waiting, helpSize) = (nil, nil)
            try sink.show(picture, shape: screen.shape, foot: foot)
        }
    }

    private static var help: [TerminalLine] { TerminalLine.table(TerminalViewCommand.words) }
}
