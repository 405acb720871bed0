/// A number of bytes that several members share and together never exceed. ``ByteBudgetAccounting`` decides how many
/// bytes each one may have; this class calls it under a lock and calls the members outside the lock.
///
/// Each member asks before it allocates memory. If the memory does not fit, members are asked to evict items.
///
/// Thread safety: safe from any thread.
package final class ByteBudget: Sendable {
    /// The default limit for each object that decodes: 256 MiB, or 80 pictures of 1080p.
    package static let defaultLimit = 256 << 20

    /// Evicts one item.
    ///
    /// - Returns: false if there is nothing left to evict.
    package typealias Eviction = @Sendable () -> Bool

    /// The callbacks of a member.
    struct Calls {
        var evictions: [ByteBudgetAccounting.Evictable: Eviction] = [:]
        /// Called when bytes were returned after a refusal, or when its spare work is requested back.
        var wake: (@Sendable () -> Void)?
    }

    struct State {
        var ledger: ByteBudgetAccounting
        var calls: [Int: Calls] = [:]
        /// Called when another screen is waiting for memory, keyed by screen number.
        var screens: [Int: @Sendable () -> Void] = [:]

        func wakes(_ members: [Int]) -> [@Sendable () -> Void] { members.compactMap { calls[$0]?.wake } }
    }

    /// The maximum number of bytes.
    package let limit: Int
    let state: Locked<State>

    package init(limit: Int) {
        self.limit = limit
        state = Locked(State(ledger: ByteBudgetAccounting(limit: limit)))
    }

    /// The number of reserved bytes.
    package var used: Int { state.withLock { $0.ledger.used } }
    /// The peak number of reserved bytes.
    package var peak: Int { state.withLock { $0.ledger.peak } }
    /// The number of members that share the budget.
    package var memberCount: Int { state.withLock { $0.ledger.memberCount } }
    /// The bytes lent to callers.
    package var lentByteCount: Int { state.withLock { $0.ledger.lent } }

    /// Changes the state, then makes the resulting calls after releasing the lock.
    func change<Result: Sendable>(_ body: @Sendable (inout State) -> (Result, told: [@Sendable () -> Void])) -> Result {
        let (result, told) = state.withLock { body(&$0) }
        for tell in told { tell() }
        return result
    }

    /// Adds a member. If spare work of other members is in the way, the call requests it back. It waits for the bytes
    /// of members that have an eviction for ``ByteBudgetAccounting/Evictable/work``.
    ///
    /// - Parameters:
    ///   - guarantee: the bytes that are guaranteed to the member.
    ///   - isShown: whether the member's pictures are shown on a screen. These pictures take priority over pictures
    ///     that are only requested.
    ///   - wake: called on any thread, without any of the budget's locks held, when lent bytes are returned after a
    ///     refusal, or when the member's spare work is requested back. It must not wait. All other reserved bytes can
    ///     be evicted, so no member has to wait for them.
    /// - Returns: the member; `nil` if its guarantee does not fit in addition to all others.
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

    /// Adds a member without a guarantee. This always succeeds.
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

    /// Reserves bytes if there is room now.
    ///
    /// - Parameter waiter: the member to wake when lent bytes are returned, if the budget is full now.
    package func take(_ count: Int, waiter: Int? = nil) -> Bool {
        state.withLock { $0.ledger.take(count, waiter: waiter) }
    }

    /// Returns bytes.
    package func release(_ count: Int) { state.withLock { $0.ledger.release(count) } }

    func makeRoom(for member: Int?) -> Bool {
        let evictions = state.withLock { state in
            state.ledger.evictionOrder(for: member).compactMap { state.calls[$0.member]?.evictions[$0.kind] }
        }
        return evictions.contains { $0() }
    }

    /// Evicts one item of any member.
    ///
    /// - Returns: false if no member has anything left to evict.
    package func makeRoom() -> Bool { makeRoom(for: nil) }

    // MARK: Screens

    /// Adds a screen, which shows one picture after another (``ByteBudgetAccounting/addScreen(picture:)``).
    ///
    /// - Parameters:
    ///   - pictureByteCount: the size of one of its pictures in bytes.
    ///   - isAsked: called when another screen is waiting for memory, on that screen's thread. It must not wait.
    /// - Returns: its number, for ``setScreen(_:pictureByteCount:)`` and ``removeScreen(_:)``.
    package func addScreen(pictureByteCount: Int = 0, isAsked: (@Sendable () -> Void)? = nil) -> Int {
        state.withLock { state in
            let screen = state.ledger.addScreen(picture: pictureByteCount)
            state.screens[screen] = isAsked
            return screen
        }
    }

    /// Asks the other screens to drop pictures that are not yet due, because a screen is waiting for memory. Pictures
    /// decoded ahead leave room for one picture per screen (``ByteBudgetAccounting``, rule 5), but not for screens
    /// added later.
    package func askScreens(except screen: Int) {
        let calls = state.withLock { $0.screens.filter { $0.key != screen }.values }
        for call in calls { call() }
    }

    /// Sets the size in bytes of a screen's picture, when the screen shows something else.
    package func setScreen(_ screen: Int, pictureByteCount: Int) {
        state.withLock { $0.ledger.setScreen(screen, picture: pictureByteCount) }
    }

    /// Removes a screen.
    package func removeScreen(_ screen: Int) {
        let call = state.withLock { state in
            state.ledger.removeScreen(screen)
            return state.screens.removeValue(forKey: screen)
        }
        withExtendedLifetime(call) {}
    }
}
