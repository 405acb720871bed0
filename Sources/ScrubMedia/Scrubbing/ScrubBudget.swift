/// Bytes of decoded pictures that scrubbing sessions share and never exceed.
///
/// Everything counts: what decoders use for themselves, what is cached, what is on its way, and the pictures that
/// updates handed out, as long as somebody holds them. Each session keeps pictures in an equal share, so that one cannot
/// push out another's surroundings; a session that needs room for decoding lets its own cached pictures go first.
///
/// dav1d keeps AV1 pictures in memory of its own, at most ten for each decoder, which is not counted.
///
/// Thread safety: safe from any thread.
public final class ScrubBudget: Sendable {
    private struct Member: Sendable {
        let pictures: SessionPictures
        let workingByteCount: Int
    }

    let bytes: ByteBudget
    private let members = Locked<[Int: Member]>([:])

    /// - Parameter byteLimit: the most bytes of all pictures together. Default 256 MiB.
    public init(byteLimit: Int = 256 << 20) {
        precondition(byteLimit > 0, "a budget of \(byteLimit) bytes")
        bytes = ByteBudget(limit: byteLimit)
    }

    /// The most bytes.
    public var byteLimit: Int { bytes.limit }
    /// Bytes in use now.
    public var usedByteCount: Int { bytes.used }
    /// The most bytes that ever were in use.
    public var peakByteCount: Int { bytes.peak }

    /// Adds a session.
    ///
    /// - Throws: `unavailable` when the sessions could not all decode within the limit.
    func join(_ pictures: SessionPictures, workingByteCount: Int) throws(ScrubError) -> Int {
        let owner = bytes.join { pictures.evictOne() }
        let needed = members.withLock { members in
            members[owner] = Member(pictures: pictures, workingByteCount: workingByteCount)
            let needed = members.values.reduce(0) { $0 + $1.workingByteCount }
            if needed > bytes.limit { members[owner] = nil } else { share(members) }
            return needed
        }
        guard needed <= bytes.limit else {
            bytes.leave(owner)
            throw ScrubError(
                .unavailable, "decoding may need \(needed) bytes, and the budget has \(bytes.limit)",
                advice: "give a larger budget, or fewer decoders or sessions")
        }
        return owner
    }

    /// Takes a session out; its share goes to the others.
    func leave(_ owner: Int) {
        bytes.leave(owner)
        members.withLock { members in
            members[owner]?.pictures.limit(to: 0)
            members[owner] = nil
            share(members)
        }
    }

    private func share(_ members: [Int: Member]) {
        for member in members.values { member.pictures.limit(to: bytes.limit / members.count) }
    }
}
