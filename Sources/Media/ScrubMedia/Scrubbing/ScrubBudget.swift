/// Bytes of decoded pictures that sessions, generators and players share and never exceed.
///
/// Everything counts: decoders' own pictures, cached ones, those on their way, and the pictures that were handed out,
/// as long as a caller holds them. The decoders' possible need, and two pictures for callers, are set aside for each.
/// Pictures that callers hold (``heldByteCount``) take from the cache, and end where those parts begin. Then a session
/// answers ``ScrubSession/Update/Stage/awaitingMemory`` until callers release some, and a generator throws
/// `unavailable`. Each keeps pictures in an equal share, so that one cannot push out another's surroundings. For room
/// to decode, a member lets its own cached pictures go first, then a generator's, then a session's or a player's.
///
/// dav1d keeps AV1 pictures in memory of its own, at most ten for each decoder, which is not counted.
///
/// Thread safety: safe from any thread.
public final class ScrubBudget: Sendable {
    package let bytes: ByteBudget
    private let members = Locked<[Int: any BudgetedPictures]>([:])
    /// The lent bytes of pictures that wait in players' queues.
    package let waitingByteCount = Locked(0)

    /// The bytes of everything that decodes where an app names none, for each: 256 MiB, 80 pictures of 1080p.
    public static let defaultByteLimit = ByteBudget.defaultLimit

    // 1.0.0 promised this number in the signature; a test holds it to `defaultByteLimit`.
    /// - Parameter byteLimit: the most bytes of all pictures together. Default 256 MiB (``defaultByteLimit``).
    /// - Precondition: it is above 0.
    public init(byteLimit: Int = 256 << 20) {
        precondition(byteLimit > 0, "a budget of \(byteLimit) bytes: give 1 or more")
        bytes = ByteBudget(limit: byteLimit)
    }

    /// The most bytes.
    public var byteLimit: Int { bytes.limit }
    /// Bytes in use now.
    public var usedByteCount: Int { bytes.used }
    /// The most bytes that ever were in use.
    public var peakByteCount: Int { bytes.peak }

    /// Bytes of the pictures that were handed out and that callers still hold. Pictures in a player's queue were not
    /// handed out yet.
    public var heldByteCount: Int { max(0, bytes.lentByteCount - waitingByteCount.withLock { $0 }) }

    /// Adds a session, or something else that decodes.
    ///
    /// - Parameters:
    ///   - guarantee: the bytes that it can always have.
    ///   - isShown: true if its pictures go on a screen; else they are asked for, and pictures on a screen go before
    ///     them.
    ///   - wake: told that memory came back after some was refused.
    /// - Throws: `unavailable` when not all of them could decode within the limit.
    package func join(
        _ pictures: some BudgetedPictures, _ guarantee: MemoryGuarantee, isShown: Bool = true,
        wake: @escaping @Sendable () -> Void
    ) throws(ScrubError) -> BudgetMember {
        guard let member = bytes.join(guarantee, isShown: isShown, wake: wake) else {
            throw ScrubError(
                .unavailable,
                "decoding needs up to \(guarantee.work) bytes and two pictures need \(guarantee.loans), and the budget of \(bytes.limit) bytes has too few left",
                advice: "give a larger budget, or fewer decoders, sessions or generators")
        }
        member.evict(.pictures) { pictures.evictOne() }
        members.withLock { members in
            members[member.number] = pictures
            share(members)
        }
        return member
    }

    /// Takes a session out; its share goes to the others.
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

/// Pictures that are kept in a budget's bytes. Asked from any thread.
package protocol BudgetedPictures: Sendable {
    /// Sets the most bytes of all pictures together; pictures beyond that go at once.
    func limit(to bytes: Int)
    /// Lets the picture go that is worth least.
    ///
    /// - Returns: false if it keeps no picture.
    func evictOne() -> Bool
}
