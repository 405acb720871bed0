#if CommandLine
internal import Glibc
internal import Scrub
internal import ScrubPlayers
internal import ScrubTerminal
internal import ScrubBase

/// The effects of keys in the terminal on a player, and the text of the line below the picture.
///
/// Thread safety: keys arrive on a separate thread; the rest is called from one other thread.
final class PlayKeys: Sendable {
    private struct State {
        var keys: TerminalKeys?
        var size: TerminalSize?
        /// The key help is shown instead of the picture; and whether it was playing before.
        var help: Help?
    }

    private struct Help {
        let wasPlaying: Bool
    }

    private let sink: TerminalSink
    private let player: Player
    private let meter: PlayMeter
    private let list: PlayList
    private let bell: TimedBell<PlayProgress>
    private let state = Locked(State())

    init(
        _ sink: TerminalSink, player: Player, meter: PlayMeter, list: PlayList, bell: TimedBell<PlayProgress>
    ) throws(ScrubError) {
        (self.sink, self.player, self.meter, self.list, self.bell) = (sink, player, meter, list, bell)
        guard isatty(sink.session.input) == 1 else { return }
        let keys = try TerminalKeys(sink.session) { [weak self] input in self?.take(input) }
        state.withLock { $0.keys = keys }
    }

    /// Accepts no more keys.
    func stop() { state.exchange(\.keys, for: nil)?.stop() }

    /// Writes the line below the picture.
    func showStatus() {
        // A picture in progress may have been drawn over it.
        if state.withLock({ $0.help }) != nil { return showHelp() }
        let hasKeys = state.withLock { $0.keys } != nil
        let item = player.currentItem
        let entry = item.flatMap { list.entry(of: $0.id) }
        let (isPaused, rate, duration) = (!player.isPlaying, player.rate, player.duration)
        let note = entry.map { list.count > 1 ? "\($0.file) (\($0.place + 1))" : $0.file } ?? ""
        // A terminal that is gone ends playback when pictures are written.
        try? sink.update { status in
            (status.isPaused, status.rate, status.duration) = (isPaused, rate, duration)
            status.note = hasKeys ? "? shows the keys  " + note : note
        }
    }

    /// Redraws the picture if the terminal's size has changed, because nothing else does so while paused.
    func followSize() {
        let size = sink.session.size
        let isNew = state.withLock { state in
            defer { state.size = size }
            return state.size != nil && state.size != size
        }
        guard isNew else { return }
        if state.withLock({ $0.help }) != nil { showHelp() } else { try? sink.update { _ in } }
    }

    private func showHelp() { try? sink.show(text: TerminalLine.table(TerminalCommand.words)) }

    /// Shows the key help until the next key.
    private func beginHelp() {
        let help = Help(wasPlaying: player.isPlaying)
        player.pause()
        state.withLock { $0.help = help }
        showHelp()
    }

    /// - Returns: whether the key help was shown.
    private func endHelp() -> Bool {
        guard let help = state.exchange(\.help, for: nil) else { return false }
        try? sink.redraw()
        meter.stall()
        if help.wasPlaying { player.play() }
        return true
    }

    private func take(_ input: TerminalInput) {
        guard case .key(let key) = input else { return }
        let command = TerminalCommand(key)
        // Any key brings the picture back.
        if endHelp(), command != .quit, command != .suspend { return bell.ring { $0.hasChanged = true } }
        guard let command else { return }
        switch command {
        case .togglePause: player.togglePlayPause()
        case .pause: player.pause()
        case .shuttle(let direction): shuttle(direction)
        case .step(let count):
            player.pause()
            meter.jump(rate: player.rate)
            player.step(by: count)
        case .skip(let seconds): seek(to: .time(max(.zero, player.currentTime + Rational(Int64(seconds)))))
        case .changeRate(let steps): setRate(PlayKeys.rate(after: player.rate, steps))
        case .seek(let tenths): seek(to: .fraction(Rational(Int64(tenths), 10)))
        case .first: seek(to: .first)
        case .last: seek(to: .last)
        case .item(let step):
            meter.jump(rate: player.rate)
            _ = step > 0 ? player.advanceToNextItem() : player.returnToPreviousItem()
        case .quit: bell.ring { $0.wantsEnd = true }
        case .suspend: suspend()
        case .help: beginHelp()
        }
        bell.ring { $0.hasChanged = true }
    }

    private func seek(to position: FramePosition) {
        meter.jump(rate: player.rate)
        player.startSeek(to: position)
    }

    private func setRate(_ rate: Rational) {
        meter.jump(rate: rate)
        player.rate = rate
    }

    /// Plays in a direction, twice as fast if it already plays in that direction.
    private func shuttle(_ direction: PlaybackDirection) {
        let sign: Rational = direction == .forward ? .one : -.one
        let rate = player.rate
        let isSame = (rate < .zero) == (sign < .zero) && player.isPlaying
        setRate(isSame ? max(-.init(16), min(.init(16), rate * 2)) : sign)
        player.play()
    }

    private static let speeds: [Rational] = [
        Rational(1, 8), Rational(1, 4), Rational(1, 2), Rational(3, 4), 1, Rational(5, 4), Rational(3, 2), 2, 3, 4, 8,
        16,
    ]

    /// Returns the next speed up or down, in the same direction.
    static func rate(after rate: Rational, _ steps: Int) -> Rational {
        let speed = rate.magnitude
        let next =
            steps > 0
            ? speeds.first { $0 > speed } ?? max(speed, 16) : speeds.last { $0 < speed } ?? min(speed, Rational(1, 8))
        return rate < .zero ? -next : next
    }

    /// Returns the terminal to the shell until the process continues.
    private func suspend() {
        let wasPlaying = player.isPlaying
        player.pause()
        sink.session.leave()
        raise(SIGSTOP)
        try? sink.session.enter()
        try? sink.redraw()
        meter.stall()
        if wasPlaying { player.play() }
    }
}
#endif
