/// A number of bytes that several owners of memory share and never exceed together.
///
/// Every owner asks before it takes memory. When there is no room, owners are asked to let something go: first the one
/// that wants the room, then the others.
///
/// Thread safety: safe from any thread.
package final class ByteBudget: Sendable {
    /// Lets something go.
    ///
    /// - Returns: false when there is nothing left that could go.
    package typealias Relief = @Sendable () -> Bool

    private struct State {
        var used = 0
        var peak = 0
        var reliefs: [Int: Relief] = [:]
        var nextOwner = 0
    }

    /// The most bytes.
    package let limit: Int
    private let state = Locked(State())

    package init(limit: Int) { self.limit = limit }

    /// Bytes that are taken.
    package var used: Int { state.withLock { $0.used } }
    /// The most bytes that ever were.
    package var peak: Int { state.withLock { $0.peak } }
    /// How many owners share it.
    package var ownerCount: Int { state.withLock { $0.reliefs.count } }

    /// Adds an owner.
    ///
    /// - Parameter relief: called on any thread, with no lock of the budget held.
    package func join(_ relief: @escaping Relief) -> Int {
        state.withLock { state in
            state.nextOwner += 1
            state.reliefs[state.nextOwner] = relief
            return state.nextOwner
        }
    }

    /// Takes an owner out. What it took stays taken until it is released.
    package func leave(_ owner: Int) { state.withLock { _ = $0.reliefs.removeValue(forKey: owner) } }

    /// Has one thing let go: the owner's, or when it has nothing left, another's.
    ///
    /// - Returns: false when nobody has anything left.
    package func relieve(_ owner: Int?) -> Bool {
        let reliefs = state.withLock { state in
            state.reliefs.sorted { ($0.key == owner ? 0 : $0.key) < ($1.key == owner ? 0 : $1.key) }
        }
        return reliefs.contains { $0.value() }
    }

    /// Takes bytes if there is room now.
    package func take(_ count: Int) -> Bool {
        state.withLock { state in
            guard count <= limit - state.used else { return false }
            state.used += count
            state.peak = max(state.peak, state.used)
            return true
        }
    }

    /// Gives bytes back.
    package func release(_ count: Int) { state.withLock { $0.used -= count } }
}
