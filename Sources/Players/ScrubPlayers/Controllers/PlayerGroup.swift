internal import ScrubPlayersLogic
public import ScrubMedia

/// Synchronized players: they share one clock and start together.
///
/// All players use the same clock readings and start at the same reading, so frames with the same time appear at the
/// same moment. If one player's decoder is late, only that player drops frames. With ``LatePolicy/allWait``, all
/// players wait for the late one instead.
///
/// ```swift
/// let wall = PlayerGroup(players)
/// try await wall.play()
/// ```
///
/// Thread safety: safe from any thread. The group retains its players.
public final class PlayerGroup: Sendable {
    /// What the other players do if a player has no picture in time.
    public enum LatePolicy: Sendable, Hashable {
        /// The other players continue. The late player catches up by dropping frames.
        case othersContinue
        /// The other players wait for the late one.
        case allWait
    }

    private struct State {
        var stalled: Set<Int> = []
        var observations: [Player.Observation] = []
        var isPlaying = false
    }

    /// The players, in the given order.
    public let players: [Player]
    /// What the other players do if a player is late.
    public let latePolicy: LatePolicy
    private let state = Locked(State())

    /// Creates a group of players that share a timebase.
    ///
    /// - Precondition: all players use the same timebase.
    public init(_ players: [Player], latePolicy: LatePolicy = .othersContinue) {
        precondition(
            players.allSatisfy { $0.timebase === players.first?.timebase },
            "the players have different timebases: create all players of a group with the same timebase")
        (self.players, self.latePolicy) = (players, latePolicy)
        guard latePolicy == .allWait else { return }
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

    /// Waits until every player has decoded its first few pictures or cannot play.
    ///
    /// - Throws: `CancellationError` if the task was cancelled.
    public func prepare() async throws {
        for player in players {
            let events = player.events([.state, .buffering, .failed])
            if player.isPrepared { continue }
            for await _ in events where player.isPrepared { break }
            try Task.checkCancellation()
        }
    }

    /// Starts all players at the same moment, as soon as all of them are prepared.
    ///
    /// - Throws: the ``ScrubError`` of the first player that cannot play. In that case, no player starts. To play the
    ///   others, create a group without the failed player. To retry that player, call its ``Player/play()``.
    ///   `CancellationError` if the task was cancelled before the start.
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

    /// Pauses all players at the same moment.
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

    /// Sets the rate of all players at the same moment.
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

    /// Seeks all players to a position, and waits until all of them show it. If the group is playing, all players then
    /// resume together. If playback has ended, they stay paused.
    ///
    /// - Throws: the error of the first ``Player/seek(to:)`` that fails, or the errors of ``play()``.
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
    /// Whether the player can start immediately or cannot start at all.
    fileprivate var isPrepared: Bool {
        switch state {
        case .idle, .failed, .ended: true
        case .preparing, .paused, .playing, .stalled: isLikelyToKeepUp
        }
    }
}
