internal import ScrubFileIO
internal import Glibc
package import ScrubBase
package import ScrubMedia
internal import ScrubMediaLogic

/// Shows videos in a terminal frame by frame: `scrub view --terminal`.
///
/// One film is open at a time. The nearest picture there is comes first and then the exact one; the line below says
/// which of them it is. Pictures go through ``TerminalSink``. Of those that come while the terminal is slow the newest
/// is shown, and no input waits in between for more than one of them.
///
/// Memory: the session's budget, which counts the picture on the screen and the one on its way, one film's index, and
/// the text of one picture. For the moment of a change to another film it is two of each. Thread safety:
/// ``run(isInterrupted:)`` blocks the thread that calls it, and is called once.
package final class TerminalScrubber {
    /// A film.
    package struct Film {
        /// The name of the film.
        package var name: String
        /// Opens it; blocks, on a thread of its own.
        package var open: @Sendable () throws(ScrubError) -> VideoAsset

        /// Makes a film.
        package init(name: String, open: @escaping @Sendable () throws(ScrubError) -> VideoAsset) {
            (self.name, self.open) = (name, open)
        }
    }

    /// The messages for the thread that draws.
    private struct Mail: Sendable {
        var inputs: [TerminalInput] = []
        var update: ScrubSession.Update?
        var failure: ScrubError?
        var opened: Result<VideoAsset, ScrubError>?
    }

    /// A film that is being opened.
    private struct Opening {
        var place: Int
        /// The step to the next film to try if it cannot be opened.
        let step: Int
        /// The first one that was tried and could not be.
        var first: (place: Int, error: ScrubError)?
    }

    /// The film that is shown.
    private struct Screen {
        let place: Int
        let session: ScrubSession
        var machine: ViewerMachine
        var shown: ViewerShown?
        /// Columns and rows of the film's pictures: those that stand in for others are made smaller.
        var shape: (width: Int, height: Int)?
    }

    private static let footRows = 2
    /// More are dropped: people don't type that fast.
    private static let mostInputs = 4096
    /// The longest time between two looks at the terminal's size.
    private static let longestWait: Int64 = 100_000_000

    private let sink: TerminalSink
    private let films: [Film]
    private let byteLimit: Int
    private let bell = TimedBell(Mail())
    private var places: [Int: Int] = [:]
    private var screen: Screen?
    private var opening: Opening?
    private var failures: [Int: ScrubError] = [:]
    /// The size that the help is shown in, and a picture that came meanwhile.
    private var helpSize: TerminalSize?
    private var waiting: FramePicture?

    /// Takes the terminal over.
    ///
    /// - Parameters:
    ///   - films: one or more.
    ///   - byteLimit: the most bytes of pictures, all of them counted; a film that needs more to be decoded gets that.
    ///   - graphics: the way pictures are shown; `nil` for the best that the terminal can by its own word.
    /// - Throws: `usage` without a terminal to draw on or to read keys from, `unavailable` if it shows no pictures.
    package init(
        _ films: [Film], byteLimit: Int, graphics: TerminalGraphics? = nil, session: TerminalSession
    ) throws(ScrubError) {
        precondition(!films.isEmpty, "no films: give one or more")
        (self.films, self.byteLimit) = (films, byteLimit)
        sink = try TerminalSink(session, graphics: graphics, footRows: TerminalScrubber.footRows)
    }

    /// Shows the films until the user ends it.
    ///
    /// - Parameter isInterrupted: asked several times a second; `true` ends it.
    /// - Returns: the errors of films that could not be opened, by the films' places.
    /// - Throws: the error of the first film's opening if none can be opened, `inputOutput` if the terminal is gone.
    package func run(isInterrupted: () -> Bool) throws(ScrubError) -> [Int: ScrubError] {
        defer { sink.session.leave() }
        let bell = bell
        let keys = try TerminalKeys(sink.session) { input in
            bell.ring { mail in
                // Of a drag that goes on only its end counts.
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

    /// Begins to open a film. A remote film, or one without an index, takes time: keys work meanwhile, and ending does
    /// not wait for it.
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
    /// - Throws: the first one's error when there is nothing that could be shown.
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
        // A second decoder's pictures are better kept as pictures.
        options.decoderLimit = 1
        let (room, overflow) = options.minimumByteCount(for: asset).addingReportingOverflow(64 << 20)
        let session = try ScrubSession(
            asset, options: options, budget: ScrubBudget(byteLimit: max(byteLimit, overflow ? .max : room)))
        // The one before ends here, and nothing more of it comes.
        (screen, waiting) = (nil, nil)
        let old = bell.withLock { mail in
            defer { (mail.update, mail.failure) = (nil, nil) }
            return mail.update
        }
        withExtendedLifetime(old) {}
        let bell = bell
        session.observe { update in
            // A picture that was not taken is released outside of the lock: that may wake the session.
            let old = bell.ring { mail in
                defer { mail.update = update }
                return mail.update
            }
            withExtendedLifetime(old) {}
        }
        session.observeFailures { _, _, error in bell.ring { $0.failure = error } }
        let frame = min(places[place] ?? 0, asset.frames.count - 1)
        screen = Screen(place: place, session: session, machine: ViewerMachine(asset, frame: frame))
        session.scrub(to: frame, isMoving: false)
    }

    // MARK: What comes

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
            // Nothing but the end can be wished for yet.
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
        // Of several places only the last one is still wanted.
        if let last = effects.lastIndex(where: { if case .scrub = $0 { true } else { false } }) {
            effects = effects.enumerated().filter { place, effect in
                if case .scrub = effect { place == last } else { effect != .rest || place > last }
            }.map(\.element)
        }
        return effects
    }

    /// - Returns: whether it goes on.
    private func carry(
        out effects: [ViewerMachine.Effect]
    ) throws(ScrubError) -> Bool {
        for effect in effects {
            switch effect {
            case .scrub(let frame, let isMoving): screen?.session.scrub(to: frame, isMoving: isMoving)
            case .rest: screen?.session.rest()
            case .item(let step):
                // One at a time: one that is being opened comes first.
                guard let place = screen?.place, opening == nil else { break }
                if films.indices.contains(place + step) {
                    try open(Opening(place: place + step, step: step))
                } else {
                    screen?.machine.message =
                        films.count == 1
                        ? "it is the only film" : "there is no film \(step > 0 ? "after" : "before") it"
                }
            case .redraw: try redraw()
            case .suspend: try suspend()
            case .quit: return false
            }
        }
        return true
    }

    /// Gives the terminal back to the shell until it goes on.
    private func suspend() throws(ScrubError) {
        sink.session.leave()
        raise(SIGSTOP)
        try sink.session.enter()
        try redraw()
    }

    // MARK: What is seen

    private func redraw() throws(ScrubError) {
        do { try sink.redraw() } catch let error as ScrubError { throw error } catch {
            throw ScrubError(.inputOutput, "the terminal is gone: \(error)")
        }
    }

    /// Shows the news.
    private func draw(_ update: ScrubSession.Update?) throws(ScrubError) {
        guard var screen else {
            // The terminal's size may change meanwhile.
            let size = sink.session.size
            if let opening, helpSize != size {
                try sink.show(text: [
                    TerminalLine("  opening \(films[opening.place].name)"), TerminalLine("  Q  end", .dim),
                ])
            }
            helpSize = size
            return
        }
        if let update {
            screen.shown = ViewerShown(update)
            if let picture = update.picture, !update.isReduced, screen.shape == nil {
                screen.shape = try picture.size()
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
            // Pictures that come meanwhile are shown afterwards.
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
