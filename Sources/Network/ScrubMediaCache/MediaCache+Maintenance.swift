internal import ScrubFileIO
internal import GRDB
internal import ScrubBase

extension MediaCache {
    /// Reads the whole cache and compares it with its checksums. Damaged entries are removed; they are fetched again
    /// when needed.
    ///
    /// Other processes continue in the meantime. Cost: it reads everything once.
    ///
    /// It stops between pieces if the work on this thread is cancelled.
    package func verify() -> CacheVerification {
        flush()
        var result = CacheVerification()
        let check = ask { (catalogue) throws(CatalogueFailure) -> String in
            try catalogue.read { database in
                try Row.fetchOne(database, sql: "PRAGMA quick_check(1)")?.text(0) ?? "no answer"
            }
        }
        result.checked += 1
        if check != "ok" {
            result.add("the catalogue was damaged and is being recreated: \(check ?? "it cannot be read")")
            if check != nil, let catalogue { replace(catalogue) }
        }
        let media = ask { (catalogue) throws(CatalogueFailure) in (try catalogue.media(), catalogue.epoch) }
        for row in media?.0 ?? [] where !Cancellation.isCurrentCancelled {
            verify(row, epoch: media?.1 ?? "", &result)
        }
        for file in CacheDirectory.savedFiles(in: path) where !Cancellation.isCurrentCancelled {
            guard let kind = SavedKind(name: file.name) else { continue }
            // A missing one was removed or replaced in the meantime.
            guard let found = kind.check(path + "/" + file.name) else { continue }
            result.savedFiles += 1
            result.checked += found.parts
            result.bytes += file.byteCount
            guard !found.isSound else { continue }
            result.add("\(file.name) is damaged")
            try? files.remove(path + "/" + file.name)
        }
        result.leftBytes = sweep()
        return result
    }

    private func verify(
        _ row: MediumRow, epoch: String, _ result: inout CacheVerification
    ) {
        guard let medium = pinned(row, epoch: epoch) else { return }
        let pieces = ask { (catalogue) throws(CatalogueFailure) in
            try catalogue.pieces(row.id, row.generation, total: row.total)
        }
        result.media += 1
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(Piece.byteLimit), alignment: 16)
        defer { unsafe buffer.deallocate() }
        for piece in pieces ?? [] where !Cancellation.isCurrentCancelled {
            let whole = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<piece.range.count])
            result.checked += 1
            result.bytes += Int64(piece.range.count)
            guard unsafe !medium.isSound(piece, in: whole) else { continue }
            // A piece removed by a new generation meanwhile is not damaged.
            guard ask({ (c) throws(CatalogueFailure) in try c.isCurrent(row.id, row.generation) }) == true else {
                return
            }
            result.add(
                "\(row.url): bytes \(piece.range.lowerBound) to \(piece.range.upperBound) do not match their checksum")
            medium.drop(piece)
        }
    }

    /// Enforces the limits: removes entries that are too old, too many or too large, and leftovers of killed processes.
    /// It never removes an entry in use.
    package func prune() -> CacheRemoval {
        flush()
        let now = now
        // Future times were written under a wrong clock, and would never expire.
        _ = record { database, _ in
            try database.execute(
                sql: "UPDATE media SET used = ? WHERE used > ?", arguments: [now, now &+ 86_400])
        }
        let left = sweep()
        let sum = ask { (catalogue) throws(CatalogueFailure) in try catalogue.sum() }
        let taken = (sum?.allocated ?? 0) + CacheDirectory.savedBytes(in: path)
        let lacking = files.space(at: folder.path).map { floor(ofSize: $0.size) - $0.free } ?? 0
        var removal = evict(
            EvictionNeed(
                bytes: max(taken - limits.byteLimit, lacking, 0),
                entries: max(0, (sum?.count ?? 0) - max(0, limits.entryLimit))))
        removal.bytes += left
        removal.leftBytes = left
        return removal
    }

    /// Removes everything that is not in use: media, indexes, previews and generated sets.
    ///
    /// - Parameter includesSaved: whether to also remove indexes, previews and generated sets.
    package func clear(includesSaved: Bool = true) -> CacheRemoval {
        flush()
        var removal = evict(EvictionNeed(isAll: true, sparesSaved: !includesSaved))
        removal.leftBytes = sweep()
        removal.bytes += removal.leftBytes
        for suffix in ["-wal", "-shm", ""] { try? files.remove(folder.damagedCatalogue + suffix) }
        return removal
    }
}
