package import ScrubBase

/// A thread that works in turns while there is something to do, and ends when there is nothing. It is started again
/// when it is rung for.
///
/// Thread safety: safe from any thread; ringing does not block.
package final class TurnThread: Sendable {
    private struct State {
        var isRunning = false
        var isRung = false
    }

    private let bell = TimedBell(State())

    /// Starts nothing.
    package init() {}

    /// Has the thread look for work, and starts it if there is none.
    ///
    /// - Parameters:
    ///   - makeTurn: makes the work of a new thread, on it: it does one thing, and says what comes then.
    /// - Throws: `inputOutput` when the system has no thread left.
    package func ring(_ makeTurn: @escaping @Sendable () -> () -> TurnLoop.Next) throws(ScrubError) {
        let mustStart = bell.ring { state in
            defer { (state.isRunning, state.isRung) = (true, true) }
            return !state.isRunning
        }
        guard mustStart else { return }
        do throws(ScrubError) {
            try DedicatedThread { [self] in
                let turn = makeTurn()
                while goesOn(after: turn()) {}
            }.detach()
        } catch {
            bell.withLock { $0.isRunning = false }
            throw error
        }
    }

    private func goesOn(after next: TurnLoop.Next) -> Bool {
        switch next {
        case .turn: return true
        case .rest(let limit):
            var hasRested = false
            return bell.wait { state in
                if state.isRung || (hasRested && limit != nil) {
                    state.isRung = false
                    return .done(true)
                }
                hasRested = true
                return .sleep(limit)
            }
        case .end:
            return bell.withLock { state in
                // What came during the turn may not have been seen.
                defer { (state.isRunning, state.isRung) = (state.isRung, false) }
                return state.isRung
            }
        }
    }
}
