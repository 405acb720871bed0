internal import ScrubPlayersLogic
public import ScrubMedia

/// Players that go in step: one clock, one beginning.
///
/// All are looked at with the same reading of the clock, and they begin with the same one. So frames of the same time
/// come in the same moment. A member whose decoder is late leaves frames out by itself, or by choice holds up all.
///
/// ```swift
/// let wall = PlayerGroup(players)
/// try await wall.play()
/// ```
///
/// Thread safety: safe from any thread. It keeps its players.
public final class PlayerGroup: Sendable {
    /// The treatment of the others when one has no picture in time.
    public enum LatePolicy: Sendable, Hashable {
        /// They go on; it catches up, and leaves frames out.
        case goesOn
        /// They wait for it.
        case waitsForAll
    }

    private struct State {
        var stalled: Set<Int> = []
        var observations: [Player.Observation] = []
        var isPlaying = false
    }

    /// The players, in the order given.
    public let players: [Player]
    /// The treatment of the others when one is late.
    public let latePolicy: LatePolicy
    private let state = Locked(State())

    /// Makes a group of players that have one timebase.
    ///
    /// - Precondition: all players use the same timebase.
    public init(_ players: [Player], latePolicy: LatePolicy = .goesOn) {
        precondition(
            players.allSatisfy { $0.timebase === players.first?.timebase },
            "players of several timebases: a group's players are made with one and the same")
        (self.players, self.latePolicy) = (players, latePolicy)
        guard latePolicy == .waitsForAll else { return }
        let observations = players.enumerated().map { number, player in
            player.observe(.stalls) { [weak self] event in
                switch event {
                case .stalled: self?.hold(for: number)
                case .resumed: self?.release(number)
                default: break
                }
            }
        }
        state.withLock { $0.observations = observations }
    }

    /// Waits until every player has its first picture and some more, or cannot play.
    ///
    /// - Throws: `CancellationError` when the task was cancelled.
    public func prepare() async throws {
        for player in players {
            let events = player.events([.state, .buffering, .failed])
            if player.isPrepared { continue }
            for await _ in events where player.isPrepared { break }
            try Task.checkCancellation()
        }
    }

    /// Starts all players at the same moment, once all are prepared.
    ///
    /// - Throws: the ``ScrubError`` of the first player that cannot play. Then no player starts. To play the others,
    ///   make a group without it; ``Player/play()`` retries it. `CancellationError` if the task was cancelled before.
    public func play() async throws {
        try await prepare()
        for player in players {
            if case .failed = player.state, let error = player.error { throw error }
        }
        state.withLock { $0.isPlaying = true }
        begin()
    }

    private func begin() {
        players.first?.timebase.perform { [players] now in
            for player in players { player.core.perform(at: now) { state, now in state.play(at: now) } }
        }
    }

    /// Stops all at one moment.
    public func pause() {
        state.withLock { $0.isPlaying = false }
        stop(except: nil)
    }

    private func stop(except number: Int?) {
        players.first?.timebase.perform { [players] now in
            for (place, player) in players.enumerated() where place != number {
                player.core.perform(at: now) { state, now in state.machine.pause(at: now) }
            }
        }
    }

    /// Sets all rates at one moment.
    public func setRate(_ rate: Rational) {
        players.first?.timebase.perform { [players] now in
            for player in players {
                player.core.perform(at: now) { state, now in
                    state.machine.setRate(rate, at: now)
                    state.refreshUpcoming()
                }
            }
        }
    }

    /// Goes to a position with all, and waits until each is there. Those that play go on together from then; after the
    /// end all stand still.
    ///
    /// - Throws: as ``Player/seek(to:)`` for the first player that refuses.
    public func seek(to position: FramePosition) async throws {
        let isAnyPlaying = players.contains { $0.isPlaying }
        let wasPlaying = state.withLock { state in
            state.isPlaying = state.isPlaying && isAnyPlaying
            return state.isPlaying
        }
        if wasPlaying { stop(except: nil) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for player in players { group.addTask { _ = try await player.seek(to: position) } }
            try await group.waitForAll()
        }
        if wasPlaying { try await play() }
    }

    private func hold(for number: Int) {
        let isFirst = state.withLock { state in
            state.stalled.insert(number)
            return state.stalled.count == 1 && state.isPlaying
        }
        if isFirst { stop(except: number) }
    }

    private func release(_ number: Int) {
        let goesOn = state.withLock { state in
            state.stalled.remove(number)
            return state.stalled.isEmpty && state.isPlaying
        }
        if goesOn { begin() }
    }
}

extension Player {
    /// A Boolean value that indicates whether the player could begin at once, or never will.
    fileprivate var isPrepared: Bool {
        switch state {
        case .idle, .failed, .ended: true
        case .preparing, .paused, .playing, .stalled: isLikelyToKeepUp
        }
    }
}
