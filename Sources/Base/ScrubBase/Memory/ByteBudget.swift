/// A number of bytes that several members share and never exceed together. ``MemoryLedger`` decides who may have how
/// many; this asks it under a lock and calls the members outside of it.
///
/// Every member asks before it takes memory. If it does not fit, members are asked to free something.
///
/// Thread safety: safe from any thread.
package final class ByteBudget: Sendable {
    /// The limit where an app names none, for each that decodes: 256 MiB are 80 pictures of 1080p.
    package static let defaultLimit = 256 << 20

    /// Frees something.
    ///
    /// - Returns: false when there is nothing left that could go.
    package typealias Eviction = @Sendable () -> Bool

    /// The calls for a member.
    struct Calls {
        var evictions: [MemoryLedger.Evictable: Eviction] = [:]
        /// Bytes came back after a refusal, or its spare work is wanted.
        var wake: (@Sendable () -> Void)?
    }

    struct State {
        var ledger: MemoryLedger
        var calls: [Int: Calls] = [:]
        /// Told that another screen waits for memory; by the screens' numbers.
        var screens: [Int: @Sendable () -> Void] = [:]

        func wakes(_ members: [Int]) -> [@Sendable () -> Void] { members.compactMap { calls[$0]?.wake } }
    }

    /// The most bytes.
    package let limit: Int
    let state: Locked<State>

    package init(limit: Int) {
        self.limit = limit
        state = Locked(State(ledger: MemoryLedger(limit: limit)))
    }

    /// Bytes that are taken.
    package var used: Int { state.withLock { $0.ledger.used } }
    /// The most bytes that ever were.
    package var peak: Int { state.withLock { $0.ledger.peak } }
    /// The number of members that share the budget.
    package var memberCount: Int { state.withLock { $0.ledger.memberCount } }
    /// Bytes that are lent to callers.
    package var lentByteCount: Int { state.withLock { $0.ledger.lent } }

    /// Changes the state, and makes the calls that follow once the lock is released.
    func change<Result: Sendable>(_ body: @Sendable (inout State) -> (Result, told: [@Sendable () -> Void])) -> Result {
        let (result, told) = state.withLock { body(&$0) }
        for tell in told { tell() }
        return result
    }

    /// Adds a member. It calls those whose spare work is in the way, and waits until their bytes are back if they have
    /// an eviction of ``MemoryLedger/Evictable/work``.
    ///
    /// - Parameters:
    ///   - guarantee: the bytes that it can always have.
    ///   - isShown: true if the member's pictures go on a screen. Others are asked for, and pictures on a screen go
    ///     before them.
    ///   - wake: called, on any thread and with no lock of the budget held, when lent bytes come back after a refusal,
    ///     or when its spare work is wanted. It must not wait. Everything else that is taken can be evicted, so no
    ///     member has to wait for it.
    /// - Returns: `nil` if that would not fit beside the guarantees of all others.
    package func join(
        _ guarantee: MemoryGuarantee, isShown: Bool = true, wake: (@Sendable () -> Void)? = nil
    ) -> BudgetMember? {
        change { state in
            guard let (number, told) = state.ledger.join(guarantee, isShown: isShown) else { return (nil, []) }
            state.calls[number] = Calls(wake: wake)
            let calls = told.compactMap { number -> (@Sendable () -> Void)? in
                guard let evict = state.calls[number]?.evictions[.work] else { return state.calls[number]?.wake }
                return { _ = evict() }
            }
            return (BudgetMember(budget: self, number: number), calls)
        }
    }

    /// Adds a member without a guarantee: it always fits.
    package func join(wake: (@Sendable () -> Void)? = nil) -> BudgetMember {
        state.withLock { state in
            let number = state.ledger.joinWithoutGuarantee()
            state.calls[number] = Calls(wake: wake)
            return BudgetMember(budget: self, number: number)
        }
    }

    func leave(_ member: Int) {
        let buffers: Eviction? = change { state in
            let left = state.calls.removeValue(forKey: member)
            state.ledger.leave(member)
            return (left?.evictions[.buffers], state.wakes(state.ledger.takeWaiting()))
        }
        while buffers?() == true {}
    }

    // MARK: Bytes in use

    /// Takes bytes if there is room now.
    ///
    /// - Parameter waiter: the member to wake when lent bytes come back, if the budget is full now.
    package func take(_ count: Int, waiter: Int? = nil) -> Bool {
        state.withLock { $0.ledger.take(count, waiter: waiter) }
    }

    /// Gives bytes back.
    package func release(_ count: Int) { state.withLock { $0.ledger.release(count) } }

    func makeRoom(for member: Int?) -> Bool {
        let evictions = state.withLock { state in
            state.ledger.evictionOrder(for: member).compactMap { state.calls[$0.member]?.evictions[$0.kind] }
        }
        return evictions.contains { $0() }
    }

    /// Frees one thing of any member's.
    ///
    /// - Returns: false if no member has anything left.
    package func makeRoom() -> Bool { makeRoom(for: nil) }

    // MARK: Screens

    /// Adds a screen, which is shown one picture after the other (``MemoryLedger/addScreen(picture:)``).
    ///
    /// - Parameters:
    ///   - pictureByteCount: the bytes of one of its pictures.
    ///   - isAsked: told that another screen waits for memory, on that one's thread. It must not wait.
    /// - Returns: its number, for ``setScreen(_:pictureByteCount:)`` and ``removeScreen(_:)``.
    package func addScreen(pictureByteCount: Int = 0, isAsked: (@Sendable () -> Void)? = nil) -> Int {
        state.withLock { state in
            let screen = state.ledger.addScreen(picture: pictureByteCount)
            state.screens[screen] = isAsked
            return screen
        }
    }

    /// Asks the other screens for pictures that wait for their time, because one waits for memory. Pictures ahead leave
    /// one for each screen (``MemoryLedger``, rule 5), but not for those that come later.
    package func askScreens(except screen: Int) {
        let calls = state.withLock { $0.screens.filter { $0.key != screen }.values }
        for call in calls { call() }
    }

    /// Sets the bytes of one picture of a screen, where it shows something else now.
    package func setScreen(_ screen: Int, pictureByteCount: Int) {
        state.withLock { $0.ledger.setScreen(screen, picture: pictureByteCount) }
    }

    /// Takes a screen out.
    package func removeScreen(_ screen: Int) {
        let call = state.withLock { state in
            state.ledger.removeScreen(screen)
            return state.screens.removeValue(forKey: screen)
        }
        withExtendedLifetime(call) {}
    }
}
