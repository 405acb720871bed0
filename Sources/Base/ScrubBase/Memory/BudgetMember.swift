/// A member of a ``ByteBudget``: an object that decodes, or caches pictures, within its bytes.
///
/// A member is only a number and does not hold memory. After ``leave()``, its calls have no effect except for returning
/// bytes.
///
/// Thread safety: safe from any thread.
package struct BudgetMember: Sendable {
    package let budget: ByteBudget
    package let number: Int

    /// Removes the member. Its reusable buffers are freed. Its other bytes stay reserved until they are released, and
    /// lent bytes stay lent.
    package func leave() { budget.leave(number) }

    /// Whether this is still a member. A member that has left has nothing to evict.
    package var isIn: Bool { budget.state.withLock { $0.ledger.hasMember(number) } }

    /// Sets how the member makes room.
    ///
    /// - Parameter eviction: called on any thread, without any of the budget's locks held.
    package func evict(_ kind: ByteBudgetAccounting.Evictable, by eviction: @escaping ByteBudget.Eviction) {
        budget.state.withLock { $0.calls[number]?.evictions[kind] = eviction }
    }

    /// Reserves bytes if there is room now. Otherwise, the member is notified when lent bytes are returned.
    package func take(_ count: Int) -> Bool { budget.take(count, waiter: number) }

    /// Evicts one item for the member: the first available one in the ledger's order.
    ///
    /// - Returns: false if no member has anything left to evict.
    package func makeRoom() -> Bool { budget.makeRoom(for: number) }

    // MARK: Loans

    /// The bytes that the member has lent to callers.
    package var lentByteCount: Int { budget.state.withLock { $0.ledger.lent(by: number) } }

    /// Lends already reserved bytes to a caller, who may keep them indefinitely.
    ///
    /// - Parameter isAhead: whether no caller is waiting for the bytes yet.
    /// - Returns: false if the loan would leave too little for others. Memory for spare work is reclaimed if it blocks
    ///   a picture that a caller is waiting for. The member is notified when bytes are returned.
    package func lend(_ count: Int, isAhead: Bool = false) -> Bool {
        budget.change { state in
            let (isLent, told) = state.ledger.lend(count, by: number, isAhead: isAhead)
            // These callbacks must not wait, because the caller may hold a lock.
            return (isLent, state.wakes(told))
        }
    }

    /// Takes lent bytes back after they were released.
    package func takeBack(_ count: Int) {
        budget.change { state in
            state.ledger.takeBack(count, by: number)
            return ((), state.wakes(state.ledger.takeWaiting()))
        }
    }

    // MARK: Spare work

    /// Reserves bytes for work beyond the guarantee. They are kept until another member needs its guarantee or there is
    /// no room for a picture that a caller is waiting for.
    func takeSpareWork(_ count: Int) -> Bool {
        budget.state.withLock { $0.ledger.takeSpareWork(count, of: number) }
    }

    /// Whether the member must return its spare work.
    var isSpareWorkWanted: Bool { budget.state.withLock { $0.ledger.isSpareWorkWanted(of: number) } }

    /// Returns bytes that were reserved for spare work.
    func giveSpareWork(_ count: Int) {
        budget.change { state in
            state.ledger.giveSpareWork(count, of: number)
            return ((), state.wakes(state.ledger.takeWaiting(except: number)))
        }
    }
}
