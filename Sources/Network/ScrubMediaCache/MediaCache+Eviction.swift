internal import ScrubFileIO
internal import Glibc
internal import GRDB
internal import ScrubBase

/// The bytes and entries to evict.
struct EvictionNeed: Sendable {
    /// The number of bytes on disk.
    var bytes: Int64 = 0
    /// The number of media.
    var entries = 0
    /// Whether to evict everything that is not in use.
    var isAll = false
    /// Whether to keep indexes, previews and generated sets.
    var sparesSaved = false
}

extension MediaCache {
    /// Evicts the least recently used entries, and everything that is too old, but never an entry in use.
    ///
    /// Each entry is tried once: it does not wait for one that another process is removing.
    func evict(_ need: EvictionNeed) -> CacheRemoval {
        var done = CacheRemoval()
        var rest = need
        for candidate in candidates() {
            guard need.isAll || candidate.age > limits.maximumAge || rest.bytes > 0 || rest.entries > 0 else { break }
            switch candidate.what {
            case .saved(let file):
                // Its readers have it in memory or open.
                guard !need.sparesSaved, rest.bytes > 0 || need.isAll || candidate.age > limits.maximumAge,
                    (try? files.remove(path + "/" + file.name)) != nil
                else { continue }
                done.savedFiles += 1
                done.bytes += file.byteCount
                rest.bytes -= file.byteCount
            case .medium(let row, let epoch):
                let part =
                    isHuge(row) && !need.isAll && rest.entries <= 0 && candidate.age <= limits.maximumAge
                    ? rest.bytes : nil
                guard let freed = evict(row, epoch: epoch, part: part) else {
                    done.kept += 1
                    continue
                }
                if freed.isWhole { done.media += 1 }
                done.bytes += freed.bytes
                rest.bytes -= freed.bytes
                rest.entries -= freed.isWhole ? 1 : 0
            }
        }
        return done
    }

    private struct Candidate {
        enum What { case medium(MediumRow, epoch: String), saved(CacheDirectory.SavedFile) }
        let what: What
        let used: Int64
        let age: Int64
    }

    /// Returns everything that could be evicted, the least recently used first.
    private func candidates() -> [Candidate] {
        let now = now
        func age(_ used: Int64) -> Int64 {
            let (age, overflow) = now.subtractingReportingOverflow(used)
            return overflow ? 0 : max(0, age)
        }
        let media =
            ask { (catalogue) throws(CatalogueFailure) in (try catalogue.media(), catalogue.epoch) } ?? ([], "")
        return
            (media.0.map { Candidate(what: .medium($0, epoch: media.1), used: $0.used, age: age($0.used)) }
            + CacheDirectory.savedFiles(in: path).map { file in
                let used = file.used / 1_000_000_000
                return Candidate(what: .saved(file), used: used, age: age(used))
            }).sorted { $0.used < $1.used }
    }

    /// Returns whether a medium takes so much of the budget that only a part of it is removed.
    private func isHuge(_ row: MediumRow) -> Bool { row.allocated > limits.byteLimit / 4 }

    /// Removes a medium, or its oldest pieces: from the catalogue first, then from the disk.
    ///
    /// - Returns: `nil` if it is in use or cannot be removed.
    func evict(_ row: MediumRow, epoch: String, part: Int64?) -> (bytes: Int64, isWhole: Bool)? {
        let path = folder.data(epoch: epoch, id: row.id, generation: row.generation)
        var file: Int32?
        do throws(SystemFailure) {
            try files.step(.evictLock)
            file = try files.open(path, isNew: false)
        } catch {
            guard error.number == ENOENT else { return nil }
        }
        defer { if let file { files.close(file) } }
        if let file {
            guard (try? files.lock(file, .exclusive, CachedMedium.pin)) != nil else { return nil }
            if let part, let freed = shrink(row, epoch: epoch, file: file, by: part) { return (freed, false) }
        }
        guard (try? files.step(.evictRecord)) != nil else { return nil }
        let isOut = record { database, catalogue -> Bool in
            guard catalogue.epoch == epoch, try CacheDatabase.isCurrent(database, row.id, row.generation) else {
                return false
            }
            try CacheDatabase.remove(database, row.id)
            try database.execute(sql: "UPDATE cache SET evictions = evictions + 1 WHERE one = 1")
            return true
        }
        guard isOut == true, (try? files.step(.evictUnlink)) != nil else { return nil }
        let bytes = file.map { files.allocated($0) } ?? 0
        try? files.remove(path)
        try? files.step(.evicted)
        return (bytes, true)
    }

    /// Removes the earliest recorded pieces of an unused medium: their rows, then their blocks.
    private func shrink(_ row: MediumRow, epoch: String, file: Int32, by count: Int64) -> Int64? {
        let before = files.allocated(file)
        let found = ask { (catalogue) throws(CatalogueFailure) in
            try catalogue.pieces(row.id, row.generation, total: row.total)
        }
        var (gone, bytes): ([Piece], Int64) = ([], 0)
        for piece in found ?? [] where bytes < count {
            gone.append(piece)
            bytes += Int64(piece.range.count)
        }
        guard bytes >= count, bytes < row.bytes else { return nil }
        let isOut = record { [gone] database, catalogue -> Bool in
            guard catalogue.epoch == epoch, try CacheDatabase.isCurrent(database, row.id, row.generation) else {
                return false
            }
            let removed = try CacheDatabase.remove(gone, database, row.id, row.generation)
            try CacheDatabase.account(database, row.id, more: -removed, allocated: max(0, before - removed))
            return true
        }
        guard isOut == true else { return nil }
        for piece in gone { try? files.release(file, piece.range) }
        let after = files.allocated(file)
        _ = record { database, _ in try CacheDatabase.account(database, row.id, more: 0, allocated: after) }
        return max(0, before - after)
    }

    /// Removes the file of an outdated generation, if it has no readers.
    ///
    /// - Returns: the number of bytes that it used.
    @discardableResult
    func removeUnused(epoch: String, _ id: Int64, _ generation: Int64) -> Int64 {
        let path = folder.data(epoch: epoch, id: id, generation: generation)
        guard let file = try? files.open(path, isNew: false) else { return 0 }
        defer { files.close(file) }
        guard (try? files.lock(file, .exclusive, CachedMedium.pin)) != nil else { return 0 }
        let bytes = files.allocated(file)
        return (try? files.remove(path)) == nil ? 0 : bytes
    }

    /// Removes leftovers of killed processes and lost catalogues: unused data files without a row.
    ///
    /// - Returns: the number of bytes that they used.
    func sweep() -> Int64 {
        guard let catalogue else { return 0 }
        var bytes: Int64 = 0
        for epoch in folder.epochs {
            for file in folder.dataFiles(epoch: epoch) {
                guard epoch == catalogue.epoch else {
                    bytes += removeUnused(epoch: epoch, file.id, file.generation)
                    continue
                }
                let isKnown = ask { (catalogue) throws(CatalogueFailure) in
                    try catalogue.isCurrent(file.id, file.generation)
                }
                guard isKnown == false else { continue }
                // In a transaction, because a new medium's file is created slightly before its row.
                bytes +=
                    record { database, _ -> Int64 in
                        guard try !CacheDatabase.isCurrent(database, file.id, file.generation) else { return 0 }
                        return self.removeUnused(epoch: epoch, file.id, file.generation)
                    } ?? 0
            }
            if epoch != catalogue.epoch { folder.removeEmptyFolders(epoch: epoch) }
        }
        return bytes
    }
}
