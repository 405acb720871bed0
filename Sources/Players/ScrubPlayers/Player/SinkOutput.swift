internal import ScrubPlayersLogic
internal import ScrubBase

/// An output that passes a player's frames to a sink. It calls the sink on a separate thread, and queues at most three
/// frames. A slow sink delays a player whose policy is `.wait` or `.unpaced`, and causes a player with the policy
/// `.drop` to drop frames.
///
/// ```swift
/// let output = try SinkOutput(sink, of: player)
/// player.play()
/// try await output.waitUntilFinished()
/// ```
///
/// Thread safety: safe from any thread. The output does not retain the player. When the player is released, the frames
/// that were already presented are written, and the sink is finished.
public final class SinkOutput: Sendable {
    private struct State {
        var isEnding = false
        var isOver = false
        var error: (any Error)?
        var waiting: [CheckedContinuation<Void, any Error>] = []
    }

    private let presenter: Presenter
    private let bell = TimedBell(State())
    private let observations = Locked<[Player.Observation]>([])

    /// The maximum number of frames waiting for the sink.
    public static let queueLimit = 3

    /// Makes a sink the player's presenter. When the player's list ends, the sink is finished.
    ///
    /// - Throws: ``ScrubError`` with `inputOutput` if the system cannot create a thread.
    public init(_ sink: any FrameSink, of player: Player) throws(ScrubError) {
        presenter = Presenter(.every(limit: SinkOutput.queueLimit, showsPreviews: sink.showsPreviews))
        let (presenter, bell) = (presenter, bell)
        let core = player.core
        try DedicatedThread { [weak core] in
            SinkOutput.run(sink, presenter, bell) {
                core?.wake()
            } failed: {
                core?.perform { state, now in state.machine.pause(at: now) }
            }
        }.detach()
        presenter.slot.listen { _ in bell.ring { _ in } }
        let observation = player.core.hub.observe(.state, finished: { [weak self] in self?.end() }) {
            [weak self] event in
            switch event {
            case .stateChanged(.ended), .stateChanged(.failed): self?.end()
            default: break
            }
        }
        observations.withLock { $0 = [observation] }
        player.attach(presenter)
        // The player may have ended before the listener was added.
        switch player.state {
        case .ended, .failed: end()
        default: break
        }
    }

    deinit { end() }

    /// Stops accepting frames. Frames that are already waiting are written, and the sink is finished.
    public func end() { bell.ring { $0.isEnding = true } }

    /// Waits until the sink is finished.
    ///
    /// - Throws: the error that the sink threw.
    public func waitUntilFinished() async throws {
        try await withCheckedThrowingContinuation { continuation in
            let over = bell.withLock { state -> (isOver: Bool, error: (any Error)?) in
                if !state.isOver { state.waiting.append(continuation) }
                return (state.isOver, state.error)
            }
            guard over.isOver else { return }
            if let error = over.error { continuation.resume(throwing: error) } else { continuation.resume() }
        }
    }

    /// The error that the sink threw; `nil` if it has not thrown one.
    public var error: (any Error)? { bell.withLock { $0.error } }

    /// Counts of the frames passed to the sink.
    public var counters: PresenterCounters { presenter.counters }

    private static func run(
        _ sink: any FrameSink, _ presenter: Presenter, _ bell: TimedBell<State>, taken: () -> Void, failed: () -> Void
    ) {
        var error: (any Error)?
        while true {
            let next = bell.wait { state -> TimedBell<State>.Wake<(frame: PlayerFrame, hasRefused: Bool)?> in
                if let next = presenter.slot.next() { return .done(next) }
                return state.isEnding ? .done(nil) : .sleep(nil)
            }
            guard let next else { break }
            // The player is woken before this frame is written, because the queue now has room for a frame that it
            // refused.
            if next.hasRefused { taken() }
            do { try sink.receive(next.frame) } catch let problem {
                error = problem
                failed()
                break
            }
        }
        do { if error == nil { try sink.finish() } } catch let problem { error = problem }
        presenter.resign()
        let waiting = bell.ring { state in
            (state.isOver, state.error) = (true, error)
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting {
            if let error { continuation.resume(throwing: error) } else { continuation.resume() }
        }
    }
}
