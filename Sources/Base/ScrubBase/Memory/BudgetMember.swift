/// A member of a ``ByteBudget``: what decodes, or keeps pictures, within its bytes.
///
/// It is a number, and holds no memory by itself. After ``leave()`` its calls do nothing but give bytes back.
///
/// Thread safety: safe from any thread.
package struct BudgetMember: Sendable {
    package let budget: ByteBudget
    package let number: Int

    /// Takes it out. Its buffers for reuse are freed; the rest that it took stays taken until it is released, and lent
    /// bytes stay lent.
    package func leave() { budget.leave(number) }

    /// Whether it is in. Of one that left, nothing can be evicted.
    package var isIn: Bool { budget.state.withLock { $0.ledger.hasMember(number) } }

    /// Says how it makes room.
    ///
    /// - Parameter eviction: called on any thread, with no lock of the budget held.
    package func evict(_ kind: MemoryLedger.Evictable, by eviction: @escaping ByteBudget.Eviction) {
        budget.state.withLock { $0.calls[number]?.evictions[kind] = eviction }
    }

    /// Takes bytes if there is room now; else it is told when lent bytes come back.
    package func take(_ count: Int) -> Bool { budget.take(count, waiter: number) }

    /// Frees one thing for it: the first in the ledger's order that is there.
    ///
    /// - Returns: false if no member has anything left.
    package func makeRoom() -> Bool { budget.makeRoom(for: number) }

    // MARK: Loans

    /// Bytes that it has lent to callers.
    package var lentByteCount: Int { budget.state.withLock { $0.ledger.lent(by: number) } }

    /// Lends bytes that are taken already to a caller, who may keep them for as long as it likes.
    ///
    /// - Parameter isAhead: whether nothing waits for them yet.
    /// - Returns: false if that would leave too little for others. Spare work is wanted back if it is in the way of a
    ///   picture that something waits for. The member is told when bytes come back.
    package func lend(_ count: Int, isAhead: Bool = false) -> Bool {
        budget.change { state in
            let (isLent, told) = state.ledger.lend(count, by: number, isAhead: isAhead)
            // The calls must not wait: the caller may hold a lock.
            return (isLent, state.wakes(told))
        }
    }

    /// Takes back lent bytes, after they were released.
    package func takeBack(_ count: Int) {
        budget.change { state in
            state.ledger.takeBack(count, by: number)
            return ((), state.wakes(state.ledger.takeWaiting()))
        }
    }

    // MARK: Spare work

    /// Sets bytes aside for work beside the guarantee. They last until another member needs its guarantee, or a picture
    /// that something waits for has no room.
    func takeSpareWork(_ count: Int) -> Bool {
        budget.state.withLock { $0.ledger.takeSpareWork(count, of: number) }
    }

    /// Whether it has to give its spare work back.
    var isSpareWorkWanted: Bool { budget.state.withLock { $0.ledger.isSpareWorkWanted(of: number) } }

    /// Gives back bytes that were set aside for spare work.
    func giveSpareWork(_ count: Int) {
        budget.change { state in
            state.ledger.giveSpareWork(count, of: number)
            return ((), state.wakes(state.ledger.takeWaiting(except: number)))
        }
    }
}
