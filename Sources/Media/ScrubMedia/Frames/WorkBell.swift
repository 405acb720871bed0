internal import ScrubBase

/// Wakes a decoding thread that rests: when there is new work, or after a time.
///
/// Thread safety: safe from any thread; ringing does not block.
final class WorkBell: Sendable {
    private struct State {
        var isRung = false
        var isClosed = false
    }

    private let bell = TimedBell(State())

    /// Wakes the thread. If it does not rest now, it goes on instead of resting next.
    func ring() { bell.ring { $0.isRung = true } }

    /// Ends its work.
    func close() { bell.ring { $0.isClosed = true } }

    /// Whether its work has ended.
    var hasEnded: Bool { bell.withLock { $0.isClosed } }

    /// Rests until it is rung.
    ///
    /// - Parameter limit: the most nanoseconds; `nil` for no limit.
    /// - Returns: false when its work has ended.
    func rest(atMost limit: Int64?) -> Bool {
        var hasRested = false
        return bell.wait { state in
            if state.isClosed { return .done(false) }
            if state.isRung || (hasRested && limit != nil) {
                state.isRung = false
                return .done(true)
            }
            hasRested = true
            return .sleep(limit)
        }
    }
}
