#if CommandLine
internal import ArgumentParser
internal import ScrubFileIO
internal import Scrub
internal import ScrubPlayers
internal import ScrubTerminal
internal import ScrubBase

/// One run of `scrub play`: files, player, output, and final messages.
struct PlaySession {
    private let command: PlayCommand
    private let target: PlayTarget
    private let from: SeekTarget?
    private let isTimed: Bool

    init(_ command: PlayCommand, _ target: PlayTarget, from: SeekTarget?) {
        (self.command, self.target, self.from) = (command, target, from)
        isTimed = !command.rate.isUnpaced && (command.clock ?? (target.isWatched ? .real : .simulated)) == .real
    }

    func run() throws {
        let interrupt = target.isWatched ? Interrupt(nil) : Interrupt()
        let speaker = PlaySpeaker(
            hasRoom: !target.takesStandardOutput, waits: target.isWatched || target.takesStandardOutput,
            printsEvents: command.events)
        guard let list = try openFirst(speaker) else {
            speaker.flush()
            throw speaker.exitCode ?? ExitCode(65)
        }
        do throws(ScrubError) {
            say(try play(list, speaker, interrupt), speaker)
            try Terminal.flush()
        } catch {
            // The terminal is restored.
            speaker.flush()
            speaker.fail(nil, error)
        }
        speaker.sumUp(of: command.input.files.count)
        endFetching()
        Interrupt.endIfRequested()
        if let code = speaker.exitCode { throw code }
    }

    private func say(_ summary: PlaySummary, _ speaker: PlaySpeaker) {
        if command.json {
            speaker.print(summary.json)
        } else if speaker.hasRoom || Terminal.isWatched {
            speaker.print(summary.text)
        }
        if summary.counts.blank > 0 {
            speaker.fail(
                nil,
                ScrubError(
                    .badData, "\(Amount.of(summary.counts.blank, "frame")) cannot be decoded",
                    advice: "use scrub seek to see the reason for each frame: damage or a limit"))
        }
        if summary.counts.damaged > 0 {
            Terminal.say(
                "\(Amount.of(summary.counts.damaged, "picture is", "pictures are")) damaged (scrub seek FILE f0 f1 … shows which)"
            )
        }
    }

    // MARK: The files

    /// Opens the first file that can be opened, so that errors are known before anything is written. The others are
    /// opened shortly before their turn.
    private func openFirst(_ speaker: PlaySpeaker) throws -> PlayList? {
        let files = command.input.files
        for (place, file) in files.enumerated() {
            do throws(ScrubError) {
                let asset = try command.input.open(file, command.network)
                return try PlayList(
                    files[place...], first: asset, from: from, command: command)
            } catch {
                speaker.fail(file.said, error)
                if error.code == .usage { break }
            }
        }
        speaker.sumUp(of: files.count)
        return nil
    }

    // MARK: Playing

    private func play(
        _ list: PlayList, _ speaker: PlaySpeaker, _ interrupt: Interrupt
    ) throws(ScrubError) -> PlaySummary {
        if target.isWatched { FetchMeter.shared.silence() }
        let terminal = target.isWatched ? try TerminalSink(TerminalSession()) : nil
        defer { terminal?.session.leave() }
        let sink: any FrameSink = if let terminal { terminal } else { try target.open() }
        let clock = ContinuousClock()
        let start = clock.now
        let meter = PlayMeter(
            sink, rate: command.rate.rate, start: list.start, frameCount: { list.frameCount(of: $0) },
            now: { start.duration(to: clock.now).wholeNanoseconds })
        let budget = command.memory.map { ScrubBudget(byteLimit: $0 << 20) }
        let resources = DecodingResources(decoders: DecoderPool(limit: command.decoders), budget: budget)
        let player = try Player(
            [], options: options, timebase: isTimed || command.rate.isUnpaced ? .realTime : .simulated(),
            resources: resources)
        let bell = TimedBell(PlayProgress())
        let observation = player.observe { event in
            let time = start.duration(to: clock.now).wholeNanoseconds
            switch event {
            case .failed(let item, let error):
                meter.fail(item)
                speaker.fail(list.file(of: item), error)
            case .stalled, .resumed: meter.stall()
            case .itemTransition: bell.ring { $0.hasChanged = true }
            case .stateChanged: bell.ring { $0.hasChanged = true }
            default: break
            }
            speaker.tell(PlayEventText(event, list: list, nanoseconds: time))
        }
        defer { withExtendedLifetime(observation) {} }
        player.rate = command.rate.rate
        if command.loop == .forever { player.repeatMode = .all }
        let output = try SinkOutput(meter, of: player)
        list.append(to: player)
        player.play()
        let keys = try terminal.map { (terminal) throws(ScrubError) in
            try PlayKeys(terminal, player: player, meter: meter, list: list, bell: bell)
        }
        let ending = Task { () -> (any Error)? in
            defer { bell.ring { $0.isOver = true } }
            do { try await output.waitUntilFinished() } catch { return error }
            return nil
        }
        watch(player, list, meter, output, keys, interrupt, bell)
        keys?.stop()
        let error = finish(ending, bell)
        let seconds = Double(start.duration(to: clock.now).wholeNanoseconds) / 1e9
        terminal?.session.leave()
        speaker.flush()
        try check(error, speaker, interrupt)
        return PlaySummary(
            counts: meter.counts, player: player.counters, isTimed: isTimed, isWaiting: options.pacePolicy != .drop,
            peakBytes: budget?.peakByteCount ?? PlaybackMemory.peakByteCount,
            decoderPeak: resources.peakDecoderCount, seconds: seconds,
            items: Set(meter.counts.items.compactMap { list.entry(of: $0)?.place }).count,
            failed: speaker.failedFiles.count)
    }

    private var options: Player.Options {
        var options = Player.Options()
        options.pacePolicy = command.rate.isUnpaced ? .unpaced : isTimed && mayDrop ? .drop : .wait
        options.threadCount = command.threads
        // The direction never changes there.
        if !target.isWatched, command.rate.rate > .zero { options.backwardByteLimit = 0 }
        if command.width != nil || command.height != nil {
            let most = OptionRange.side.upperBound
            options.preferredMaximumSize = .init(width: command.width ?? most, height: command.height ?? most)
        }
        return options
    }

    /// Whether late frames may be skipped.
    private var mayDrop: Bool {
        switch target {
        case .terminal, .null: true
        case .y4m, .raw, .png: false
        }
    }

    /// Handles a person's actions until everything is written.
    private func watch(
        _ player: Player, _ list: PlayList, _ meter: PlayMeter, _ output: SinkOutput, _ keys: PlayKeys?,
        _ interrupt: Interrupt, _ bell: TimedBell<PlayProgress>
    ) {
        let bar = ProgressBar("playing")
        let frames = list.expectedFrames(rate: command.rate.rate, loop: command.loop)
        var isStopping = false
        while true {
            let (isOver, wantsEnd, hasChanged) = bell.withLock { state in
                defer { state.hasChanged = false }
                return (state.isOver, state.wantsEnd, state.hasChanged)
            }
            if isOver { break }
            if interrupt.isRequested || wantsEnd, !isStopping {
                isStopping = true
                // Ending it with a key counts as a normal end; an interruption does not.
                meter.end(isWhole: !interrupt.isRequested)
                player.pause()
                output.end()
            }
            if hasChanged { keys?.showStatus() }
            keys?.followSize()
            if !target.isWatched, let frames = frames() {
                bar.show(min(0.999, Double(meter.counts.presented) / Double(max(1, frames))))
            }
            bell.waitAwhile(nanoseconds: 50_000_000)
        }
        if !target.isWatched { bar.show(1) }
    }

    /// Returns the error with which the output ended.
    private func finish(_ ending: Task<(any Error)?, Never>, _ bell: TimedBell<PlayProgress>) -> (any Error)? {
        let result = Locked<(any Error)?>(nil)
        Task {
            let error = await ending.value
            result.withLock { $0 = error }
            bell.ring { $0.isKnown = true }
        }
        bell.wait { state -> TimedBell<PlayProgress>.Wake<Void> in state.isKnown ? .done(()) : .sleep(nil) }
        return result.withLock { $0 }
    }

    private func check(
        _ error: (any Error)?, _ speaker: PlaySpeaker, _ interrupt: Interrupt
    ) throws(ScrubError) {
        switch error {
        case nil, is CancellationError: return
        case let error as ScrubError:
            // A closed pipe's reader has seen enough; after a reason for missing frames, nothing more needs to be
            // printed.
            if error.isClosedByReader || (error.code == .badData && speaker.exitCode != nil) { return }
            throw error
        case let error?: throw ScrubError(system: error, .inputOutput, doing: "the output was closed")
        }
    }
}

/// The news for the waiting thread.
struct PlayProgress: Sendable {
    var isOver = false
    var isKnown = false
    /// A key requested the end.
    var wantsEnd = false
    /// The state or the item has changed.
    var hasChanged = true
}

extension TimedBell<PlayProgress> {
    /// Sleeps until the bell rings for an end or a change, or the time has passed.
    fileprivate func waitAwhile(nanoseconds: Int64) {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: .nanoseconds(nanoseconds))
        wait { state -> Wake<Void> in
            let left = clock.now.duration(to: end).wholeNanoseconds
            return state.isOver || state.wantsEnd || state.hasChanged || left <= 0 ? .done(()) : .sleep(left)
        }
    }
}
#endif
