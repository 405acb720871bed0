internal import ScrubFileIO
internal import ScrubBase

/// The state of the budget between two looks.
struct Room: Sendable {
    /// The bytes of indexes, previews and generated sets when they were last listed.
    var savedBytes: Int64?
    /// Bytes that claims of this process were promised since.
    var promisedSince: Int64 = 0
    /// Bytes that claims of this process hold now.
    var promised: Int64 = 0
    /// Until when it is not looked for again: there was none.
    var lackingUntil: Int64?
    /// Whether leftovers of killed processes were looked for.
    var hasSwept = false

    /// Bytes after whose writing the indexes are listed again.
    static let stride: Int64 = 64 << 20
}

extension MediaCache {
    /// Whether there may be room. A look that found no room is not repeated for a moment.
    var hasRoom: Bool {
        let now = now
        return room.withLock { room in
            guard let until = room.lackingUntil else { return true }
            // A clock that went back holds nothing up either.
            return now >= until || now < until - 10
        }
    }

    /// Returns the bytes of the file system that are left free.
    func floor(ofSize size: Int64) -> Int64 { limits.freeSpaceFloor ?? CacheDirectory.floor(ofSize: size) }

    /// Makes room for bytes that are about to be fetched, the longest unused first.
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
                // None of these comes near the limit of 64 bits but the count that is asked for.
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
                // A little more than needed, so that the next claim need not look again.
                let slack = limits.byteLimit / 64
                if !room.hasSwept { _ = sweep() }
                room.hasSwept = true
                _ = evict(EvictionNeed(bytes: max(overBudget, overFloor) + slack))
                room.savedBytes = CacheDirectory.savedBytes(in: path)
            }
            if isDiskFull {
                warn(
                    "nothing more is kept in the media cache: its disk is full",
                    advice: "free some of it, or set SCRUB_CACHE_DIR to a folder of another disk")
            }
            room.lackingUntil = now + 10
            return false
        }
    }

    /// A claim has ended.
    func giveBack(_ count: Int64) { room.withLock { $0.promised -= count } }
}
