/// A number of bytes that several owners of memory share and never exceed together.
///
/// Every owner asks before it takes memory. If it does not fit, owners are asked to free something: first the one that
/// wants the room, then the others. Each has a part set aside that nothing which cannot be let go may use up: its
/// working bytes. Bytes that are lent to callers cannot be freed, so lending ends where the working bytes begin.
///
/// Pictures on a screen go before pictures that are asked for, and those before pictures ahead of their time. Beyond
/// its promise, an owner that does not show lends only what the owners that show leave over.
///
/// Thread safety: safe from any thread.
package final class ByteBudget: Sendable {
    /// Lets something go.
    ///
    /// - Returns: false when there is nothing left that could go.
    package typealias Relief = @Sendable () -> Bool

    /// The kind of memory that an owner frees to make room.
    package enum ReliefKind: Sendable {
        /// Memory that is kept for reuse only. It is released before any owner's pictures.
        case spare
        case pictures
        /// Spare work (``takeSpareWork(_:of:)``), which goes when an owner joins that needs the room. The call waits
        /// until the bytes are back; without it the owner is only told to give them back soon.
        case work
    }

    private struct Owner {
        /// Whether its pictures go on a screen.
        var isShown = true
        var spare: Relief?
        var pictures: Relief?
        var work: Relief?
        var workingByteCount = 0
        /// Set aside in addition, for as long as no other owner needs it.
        var spareWorkByteCount = 0
        /// Whether the owner has to give that back.
        var isSpareWorkWanted = false
        /// Beside its working bytes the least that it must be able to lend.
        var leastLentByteCount = 0
        var lentByteCount = 0
        /// The promised bytes that the owner has not lent yet.
        var unlentByteCount: Int { max(0, leastLentByteCount - lentByteCount) }
        /// Told once that something that was lent came back, after something was refused.
        var wake: (@Sendable () -> Void)?
        var isWaiting = false
    }

    private struct State {
        var used = 0
        var peak = 0
        var owners: [Int: Owner] = [:]
        var nextOwner = 0
        /// Lent by owners that have left.
        var orphanedByteCount = 0
        /// The bytes of one picture of each consumer.
        var consumers: [Int: Int] = [:]
        /// The most that was set aside for work since there is more than one consumer.
        var mostWorkingByteCount = 0
        /// The lent bytes that spare work was in the way of. It stays away until no more is lent than was promised:
        /// else it would come and go with each picture that a caller takes and releases.
        var contestedByteCount = 0

        /// Set aside for work of all kinds.
        var workingByteCount: Int { owners.values.reduce(0) { $0 + $1.workingByteCount + $1.spareWorkByteCount } }
        var spareWorkByteCount: Int { owners.values.reduce(0) { $0 + $1.spareWorkByteCount } }
        /// The sum of the owners' promised bytes.
        var leastByteCount: Int { owners.values.reduce(0) { $0 + $1.workingByteCount + $1.leastLentByteCount } }
        var leastLentByteCount: Int { owners.values.reduce(0) { $0 + $1.leastLentByteCount } }
        var lentByteCount: Int { owners.values.reduce(orphanedByteCount) { $0 + $1.lentByteCount } }

        /// Whether several wait for pictures: consumers, and owners that are asked for theirs.
        var hasSeveralConsumers: Bool { consumers.count + owners.values.count { !$0.isShown } > 1 }

        mutating func noteWork() {
            let working = owners.values.reduce(0) { $0 + $1.workingByteCount }
            mostWorkingByteCount = hasSeveralConsumers ? max(mostWorkingByteCount, working) : working
        }

        /// The bytes that owners with pictures on a screen may need: their promises, and a picture of each consumer.
        func shownByteCount(within limit: Int) -> Int {
            let promised = owners.values.reduce(0) { $0 + ($1.isShown ? $1.unlentByteCount : 0) }
            return max(promised, nextByteCount(within: limit))
        }

        /// One picture of each consumer, at most the limit.
        func nextByteCount(within limit: Int) -> Int {
            consumers.values.reduce(0) { limit - $0 < $1 ? limit : $0 + $1 }
        }

        /// Returns whether a picture that was asked for may be lent beside the shown ones.
        private func hasRoomBesideShown(
            _ count: Int, of owner: Int, within limit: Int, without spare: Int
        ) -> Bool {
            guard let own = owners[owner], !own.isShown, count > own.leastLentByteCount - own.lentByteCount else {
                return true
            }
            return count <= limit - (workingByteCount - spare) - lentByteCount - shownByteCount(within: limit)
        }

        /// Whether a picture that no consumer waits for yet may be lent.
        func hasRoomAhead(_ count: Int, of owner: Int, within limit: Int) -> Bool {
            guard hasSeveralConsumers else { return true }
            let asked = owners.values.reduce(0) { $0 + ($1.isShown ? 0 : $1.unlentByteCount) }
            let consumed = nextByteCount(within: limit)
            let next = limit - consumed < asked ? limit : consumed + asked
            if count <= limit - max(mostWorkingByteCount, workingByteCount) - lentByteCount - next { return true }
            // No decoder went from one consumer to another: each may have what it was promised.
            guard orphanedByteCount == 0, let own = owners[owner] else { return false }
            return count <= own.leastLentByteCount - own.lentByteCount
        }

        /// Asks for spare work back where it takes the room that owners were promised.
        ///
        /// - Returns: the callbacks of the owners to tell.
        mutating func wantSpareWork(within limit: Int) -> [@Sendable () -> Void] {
            guard workingByteCount > limit - max(lentByteCount, leastLentByteCount) else { return [] }
            var told: [@Sendable () -> Void] = []
            for (number, owner) in owners where owner.spareWorkByteCount > 0 {
                owners[number]?.isSpareWorkWanted = true
                if let work = owner.work {
                    told.append { _ = work() }
                } else if let wake = owner.wake {
                    told.append(wake)
                }
            }
            return told
        }

        /// Asks for spare work back if a picture could be lent without it.
        ///
        /// - Returns: the callbacks of the owners to tell. None of them waits: a caller may be under a lock.
        mutating func wantSpareWork(for count: Int, of owner: Int, within limit: Int) -> [@Sendable () -> Void] {
            let spare = spareWorkByteCount
            guard spare > 0, canLend(count, by: owner, within: limit, without: spare) else { return [] }
            contestedByteCount = max(contestedByteCount, lentByteCount + count)
            var told: [@Sendable () -> Void] = []
            for (number, owner) in owners where owner.spareWorkByteCount > 0 && !owner.isSpareWorkWanted {
                owners[number]?.isSpareWorkWanted = true
                if let wake = owner.wake { told.append(wake) }
            }
            return told
        }

        /// Whether a picture that something waits for may be lent.
        ///
        /// - Parameter spare: bytes set aside for work that are thought away.
        func canLend(_ count: Int, by owner: Int, within limit: Int, without spare: Int = 0) -> Bool {
            count <= limit - (workingByteCount - spare) - lentByteCount
                && hasRoomBesideShown(count, of: owner, within: limit, without: spare)
        }

        /// Takes the callbacks of the owners that wait for bytes.
        mutating func takeWaiting() -> [@Sendable () -> Void] {
            var waiting: [@Sendable () -> Void] = []
            for (number, owner) in owners where owner.isWaiting {
                owners[number]?.isWaiting = false
                if let wake = owner.wake { waiting.append(wake) }
            }
            return waiting
        }
    }

    /// The most bytes.
    package let limit: Int
    private let state = Locked(State())

    package init(limit: Int) { self.limit = limit }

    /// Bytes that are taken.
    package var used: Int { state.withLock { $0.used } }
    /// The most bytes that ever were.
    package var peak: Int { state.withLock { $0.peak } }
    /// The number of owners that share the budget.
    package var ownerCount: Int { state.withLock { $0.owners.count } }
    /// Bytes that are lent to callers.
    package var lentByteCount: Int { state.withLock { $0.lentByteCount } }

    /// Returns bytes that an owner has lent to callers.
    package func lentByteCount(of owner: Int) -> Int { state.withLock { $0.owners[owner]?.lentByteCount ?? 0 } }

    /// Adds an owner.
    ///
    /// - Parameters:
    ///   - workingByteCount: the bytes set aside for the owner's work.
    ///   - leastLentByteCount: the bytes that the owner must be able to lend beside those.
    ///   - isShown: true if the owner's pictures go on a screen. Others are asked for, and pictures on a screen go
    ///     before them.
    ///   - wake: called, on any thread and with no lock of the budget held, when lent bytes come back after a refusal,
    ///     or when its spare work is wanted (``isSpareWorkWanted(of:)``). It must not wait. Everything else that is
    ///     taken can be released, so no owner has to wait for it.
    /// - Returns: `nil` if that would not fit beside the promises to all other owners.
    package func join(
        workingByteCount: Int, leastLentByteCount: Int = 0, isShown: Bool = true,
        wake: (@Sendable () -> Void)? = nil
    ) -> Int? {
        let (owner, told) = state.withLock { state -> (Int?, [@Sendable () -> Void]) in
            let (own, isTooMuch) = max(0, workingByteCount).addingReportingOverflow(max(0, leastLentByteCount))
            let (sum, overflow) = state.leastByteCount.addingReportingOverflow(own)
            guard !isTooMuch, !overflow, sum <= limit else { return (nil, []) }
            state.nextOwner += 1
            state.owners[state.nextOwner] = Owner(
                isShown: isShown, workingByteCount: max(0, workingByteCount),
                leastLentByteCount: max(0, leastLentByteCount), wake: wake)
            state.noteWork()
            return (state.nextOwner, state.wantSpareWork(within: limit))
        }
        for wake in told { wake() }
        return owner
    }

    /// Adds an owner that has nothing set aside.
    ///
    /// - Parameter relief: called on any thread, with no lock of the budget held.
    package func join(_ relief: @escaping Relief) -> Int {
        state.withLock { state in
            state.nextOwner += 1
            state.owners[state.nextOwner] = Owner(pictures: relief)
            return state.nextOwner
        }
    }

    /// Says how an owner makes room.
    ///
    /// - Parameter relief: called on any thread, with no lock of the budget held.
    package func relieve(_ owner: Int, of kind: ReliefKind, by relief: @escaping Relief) {
        state.withLock { state in
            switch kind {
            case .spare: state.owners[owner]?.spare = relief
            case .pictures: state.owners[owner]?.pictures = relief
            case .work: state.owners[owner]?.work = relief
            }
        }
    }

    /// Takes an owner out. Its spare memory is freed; the rest that it took stays taken until it is released, and lent
    /// bytes stay lent.
    package func leave(_ owner: Int) {
        let (spare, waiting) = state.withLock { state in
            let left = state.owners.removeValue(forKey: owner)
            state.orphanedByteCount += left?.lentByteCount ?? 0
            state.noteWork()
            return (left?.spare, state.takeWaiting())
        }
        while spare?() == true {}
        for wake in waiting { wake() }
    }

    /// Whether an owner is in. Of one that left, spare memory cannot be had back.
    package func hasOwner(_ owner: Int) -> Bool { state.withLock { $0.owners[owner] != nil } }

    /// Frees one thing: a picture of the owner's, else the spare memory of the others, else another owner's picture.
    /// Owners that do not show go first.
    ///
    /// - Returns: false if no owner has anything left.
    package func relieve(_ owner: Int?) -> Bool {
        let reliefs = state.withLock { state in
            let others = state.owners.filter { $0.key != owner }
                .sorted { ($0.value.isShown ? 1 : 0, $0.key) < ($1.value.isShown ? 1 : 0, $1.key) }.map(\.value)
            return [owner.flatMap { state.owners[$0]?.pictures }] + others.map(\.spare) + others.map(\.pictures)
        }
        return reliefs.contains { $0?() ?? false }
    }

    /// Takes bytes if there is room now.
    ///
    /// - Parameter waiter: the owner to wake when lent bytes come back, if the budget is full now.
    package func take(_ count: Int, waiter: Int? = nil) -> Bool {
        state.withLock { state in
            guard count <= limit - state.used else {
                if let waiter { state.owners[waiter]?.isWaiting = true }
                return false
            }
            state.used += count
            state.peak = max(state.peak, state.used)
            return true
        }
    }

    /// Gives bytes back.
    package func release(_ count: Int) { state.withLock { $0.used -= count } }

    /// Sets more bytes aside for an owner's work, if all owners' work and all lent bytes leave room for them. They last
    /// until an owner needs the bytes that it was promised.
    package func takeSpareWork(_ count: Int, of owner: Int) -> Bool {
        state.withLock { state in
            guard state.owners[owner]?.isSpareWorkWanted == false else { return false }
            // What is lent may go up to the least that the owners were promised.
            if state.lentByteCount <= state.leastLentByteCount { state.contestedByteCount = 0 }
            let lent = max(state.lentByteCount, state.leastLentByteCount, state.contestedByteCount)
            guard count <= limit - state.workingByteCount - lent else {
                // Another owner's spare work may come back.
                state.owners[owner]?.isWaiting = true
                return false
            }
            state.owners[owner]?.spareWorkByteCount += count
            return true
        }
    }

    /// Whether an owner has to give back the additional bytes that were set aside for it.
    package func isSpareWorkWanted(of owner: Int) -> Bool {
        state.withLock { $0.owners[owner]?.isSpareWorkWanted ?? false }
    }

    /// Gives back additional bytes that were set aside.
    package func giveSpareWork(_ count: Int, of owner: Int) {
        let waiting = state.withLock { state in
            state.owners[owner]?.spareWorkByteCount -= count
            if state.owners[owner]?.spareWorkByteCount == 0 { state.owners[owner]?.isSpareWorkWanted = false }
            return state.takeWaiting()
        }
        for wake in waiting { wake() }
    }

    /// Adds a consumer: it shows one picture after the other, and waits for one at a time.
    ///
    /// While there are several, pictures ahead of their time leave room for one picture of each. Otherwise the queues
    /// of those that have enough could take all bytes from the one that the others wait for.
    ///
    /// - Parameter pictureByteCount: the bytes of one of its pictures.
    /// - Returns: its number, for ``setConsumer(_:pictureByteCount:)`` and ``removeConsumer(_:)``.
    package func addConsumer(pictureByteCount: Int = 0) -> Int {
        state.withLock { state in
            state.nextOwner += 1
            state.consumers[state.nextOwner] = bounded(pictureByteCount)
            state.noteWork()
            return state.nextOwner
        }
    }

    /// Sets the bytes of one picture of a consumer, where it shows something else now.
    package func setConsumer(_ number: Int, pictureByteCount: Int) {
        state.withLock { state in
            if state.consumers[number] != nil { state.consumers[number] = bounded(pictureByteCount) }
        }
    }

    private func bounded(_ count: Int) -> Int { max(0, min(count, limit)) }

    /// Takes a consumer out.
    package func removeConsumer(_ number: Int) {
        state.withLock { state in
            state.consumers[number] = nil
            state.noteWork()
        }
    }

    /// Lends bytes that are taken already to a caller, who may keep them for as long as it likes.
    ///
    /// - Parameter isAhead: whether nothing waits for them yet; see ``addConsumer(pictureByteCount:)``.
    /// - Returns: false if that would leave too little for the owners' work, or for pictures that consumers wait for.
    ///   Spare work is asked back if it is in the way of a picture that something waits for. The owner is told when
    ///   bytes come back.
    package func lend(_ count: Int, by owner: Int, isAhead: Bool = false) -> Bool {
        let (isLent, told) = state.withLock { state -> (Bool, [@Sendable () -> Void]) in
            guard state.canLend(count, by: owner, within: limit),
                !isAhead || state.hasRoomAhead(count, of: owner, within: limit)
            else {
                state.owners[owner]?.isWaiting = true
                return (false, isAhead ? [] : state.wantSpareWork(for: count, of: owner, within: limit))
            }
            // What an owner made before it left may still be handed out.
            if state.owners[owner] == nil { state.orphanedByteCount += count }
            state.owners[owner]?.lentByteCount += count
            return (true, [])
        }
        for wake in told { wake() }
        return isLent
    }

    /// Takes back lent bytes, after they were released.
    package func takeBack(_ count: Int, by owner: Int) {
        let waiting = state.withLock { state in
            if state.owners[owner] != nil {
                state.owners[owner]?.lentByteCount -= count
            } else {
                state.orphanedByteCount -= count
            }
            return state.takeWaiting()
        }
        for wake in waiting { wake() }
    }
}
