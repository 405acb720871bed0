internal import ScrubFileIO
internal import ScrubBase

/// The state of the budget between two checks.
struct Room: Sendable {
    /// The size of indexes, previews and generated sets when they were last listed.
    var savedBytes: Int64?
    /// The bytes promised to this process's claims since then.
    var promisedSince: Int64 = 0
    /// The bytes currently held by this process's claims.
    var promised: Int64 = 0
    /// The time until which the room is not checked again, because there was none.
    var lackingUntil: Int64?
    /// Whether leftovers of killed processes were searched for.
    var hasSwept = false

    /// The number of written bytes after which the indexes are listed again.
    static let stride: Int64 = 64 << 20
}

extension MediaCache {
    /// Whether there may be room. A check that found no room is not repeated for a moment.
    var hasRoom: Bool {
        let now = now
        return room.withLock { room in
            guard let until = room.lackingUntil else { return true }
            // A clock that went back must not cause a delay either.
            return now >= until || now < until - 10
        }
    }

    /// Returns the bytes of the file system to leave free.
    func floor(ofSize size: Int64) -> Int64 { limits.freeSpaceFloor ?? CacheDirectory.floor(ofSize: size) }

    /// Makes room for bytes that are about to be fetched, evicting the least recently used first.
    ///
    /// - Returns: false if there is no room: everything is in use, or the disk is too full.
    func makeRoom(_ count: Int64) -> Bool {
        room.withLock { room in
            if room.savedBytes == nil || room.promisedSince >= Room.stride {
                room.savedBytes = CacheDirectory.savedBytes(in: path)
                room.promisedSince = 0
            }
            var isDiskFull = false
            for attempt in 0..<2 {
                guard let sum = ask({ (catalogue) throws(CatalogueFailure) in try catalogue.sum() }) else {
                    return false
                }
                let space = files.space(at: folder.path)
                // None of these comes near the limit of 64 bits, except the requested count.
                let taken = sum.allocated + (room.savedBytes ?? 0) + room.promised
                let (wanted, overflow) = taken.addingReportingOverflow(count)
                let overBudget = overflow ? Int64.max : wanted - limits.byteLimit
                let overFloor = space.map { count - ($0.free - floor(ofSize: $0.size)) } ?? 0
                if overBudget <= 0, overFloor <= 0 {
                    room.promised += count
                    room.promisedSince += count
                    room.lackingUntil = nil
                    return true
                }
                isDiskFull = overFloor > 0
                guard attempt == 0, count <= limits.byteLimit else { break }
                // Slightly more than needed, so that the next claim need not check again.
                let slack = limits.byteLimit / 64
                if !room.hasSwept { _ = sweep() }
                room.hasSwept = true
                _ = evict(EvictionNeed(bytes: max(overBudget, overFloor) + slack))
                room.savedBytes = CacheDirectory.savedBytes(in: path)
            }
            if isDiskFull {
                warn(
                    "the media cache cannot store more data: its disk is full",
                    advice: "free some space, or set SCRUB_CACHE_DIR to a folder on another disk")
            }
            room.lackingUntil = now + 10
            return false
        }
    }

    /// Records that a claim has ended.
    func giveBack(_ count: Int64) { room.withLock { $0.promised -= count } }
}
