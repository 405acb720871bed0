/// A limit on the memory used by decoded pictures. It is shared by sessions, generators and players, and is never
/// exceeded.
///
/// All pictures count: the decoders' own, cached ones, those in transit, and those handed out for as long as a caller
/// holds them. For each member, the budget reserves the most that one decoder may need and two pictures for callers.
/// Pictures that callers hold (``heldByteCount``) can take memory from the cache, but never from these reservations.
/// When held pictures have taken up all other memory, a session reports ``ScrubSession/Update/Stage/awaitingMemory``
/// until callers release pictures, and a generator throws `unavailable`. Members cache equal shares, so that no member
/// can evict the frames around another's position. To make room for decoding, a member first evicts its own cached
/// pictures, then a generator's, then a session's or a player's.
///
/// Memory that dav1d allocates itself, at most ten AV1 pictures per decoder, is not counted.
///
/// Thread safety: safe from any thread.
package final class ScrubBudget: Sendable {
    package let bytes: ByteBudget
    private let members = Locked<[Int: any BudgetedPictures]>([:])
    /// The bytes of lent pictures that wait in players' queues.
    package let waitingByteCount = Locked(0)

    /// The default limit for each object that decodes: 256 MiB, or 80 pictures of 1080p.
    package static let defaultByteLimit = ByteBudget.defaultLimit

    // The signature in 1.0.0 promised this number; a test checks that it equals `defaultByteLimit`.
    /// Creates a budget.
    ///
    /// - Parameter byteLimit: the maximum total size of all pictures in bytes. Default 256 MiB (``defaultByteLimit``).
    /// - Precondition: `byteLimit` is above 0.
    package init(byteLimit: Int = 256 << 20) {
        precondition(byteLimit > 0, "the budget is \(byteLimit) bytes: use 1 or more")
        bytes = ByteBudget(limit: byteLimit)
    }

    /// The maximum number of bytes.
    package var byteLimit: Int { bytes.limit }
    /// The number of bytes in use.
    package var usedByteCount: Int { bytes.used }
    /// The peak number of bytes in use.
    package var peakByteCount: Int { bytes.peak }

    /// The bytes of pictures that callers still hold. Pictures in a player's queue do not count until they are handed
    /// out.
    package var heldByteCount: Int { max(0, bytes.lentByteCount - waitingByteCount.withLock { $0 }) }

    /// Adds a session or another decoding member.
    ///
    /// - Parameters:
    ///   - guarantee: the bytes that are guaranteed to it.
    ///   - isShown: whether its pictures are shown on a screen. Pictures on a screen take priority over requested ones.
    ///   - wake: called when memory was released after an allocation was refused.
    /// - Throws: `unavailable` if the limit is too low for all members to decode.
    package func join(
        _ pictures: some BudgetedPictures, _ guarantee: MemoryGuarantee, isShown: Bool = true,
        wake: @escaping @Sendable () -> Void
    ) throws(ScrubError) -> BudgetMember {
        guard let member = bytes.join(guarantee, isShown: isShown, wake: wake) else {
            throw ScrubError(
                .unavailable,
                "decoding needs up to \(guarantee.work) bytes, and pictures for callers need \(guarantee.loans), but the budget of \(bytes.limit) bytes does not have enough left",
                advice: "use a larger budget, or fewer decoders, sessions or generators")
        }
        member.evict(.pictures) { pictures.evictOne() }
        members.withLock { members in
            members[member.number] = pictures
            share(members)
        }
        return member
    }

    /// Removes a member. Its share goes to the others.
    package func leave(_ member: BudgetMember) {
        member.leave()
        members.withLock { members in
            members.removeValue(forKey: member.number)?.limit(to: 0)
            share(members)
        }
    }

    private func share(_ members: [Int: any BudgetedPictures]) {
        for member in members.values { member.limit(to: bytes.limit / members.count) }
    }
}

/// Cached pictures that count toward a budget. Safe from any thread.
package protocol BudgetedPictures: Sendable {
    /// Sets the byte limit for all pictures. Pictures beyond it are evicted at once.
    func limit(to bytes: Int)
    /// Evicts the least valuable picture.
    ///
    /// - Returns: false if there is none.
    func evictOne() -> Bool
}
