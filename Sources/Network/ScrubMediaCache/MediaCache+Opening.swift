package import ScrubSourcesLogic
internal import ScrubFileIO
internal import Glibc
internal import GRDB
package import ScrubBase

extension MediaCache {
    /// The number of times that a medium is looked for again if another process removes or renews it at the same
    /// moment.
    private static let patience = 20

    /// Returns the entry of a medium; nil if it is not in the cache, or too old. While the result lives no process
    /// removes it.
    ///
    /// Cost: one look into the catalogue, one file opened, two locks.
    package func medium(_ key: MediumKey) -> CachedMedium? {
        guard !distrusted.withLock({ $0.contains(key) }) else { return nil }
        for _ in 0..<Self.patience {
            guard let (found, epoch) = row(key), age(of: found) <= limits.maximumAge else { return nil }
            switch pin(found, epoch: epoch, isUse: true) {
            case .there(let medium): return medium
            case .missing: forget(found, epoch: epoch)
            case .tryAgain: BriefPause.take()
            case .refused: return nil
            }
        }
        return nil
    }

    /// Opens a medium as a server has just described it. If total or validator differ from the known ones, a new
    /// generation begins and the old pieces are gone. If neither answer had a validator the entry counts as the same
    /// only within its time to live.
    ///
    /// - Parameters:
    ///   - timeToLive: seconds; nil for the limits' own.
    ///   - isReplacing: whether the known content was just found to be another one, although its validator cannot tell:
    ///     it is never taken for this one then.
    /// - Throws: if nothing can be recorded: the caller fetches without a cache.
    package func open(
        _ key: MediumKey, total: Int64, validator: Validator, timeToLive: Int64? = nil, isReplacing: Bool = false
    ) throws(ScrubError) -> CachedMedium {
        guard (0...largestMedium).contains(total) else {
            throw ScrubError(
                .unavailable, "\(total) bytes are too many for the media cache", file: key.shownURL,
                advice: "raise SCRUB_CACHE_LIMIT; it is read without the cache meanwhile")
        }
        for _ in 0..<Self.patience {
            let looked = row(key)
            if let (found, epoch) = looked, found.total == total, age(of: found) <= limits.maximumAge {
                switch pin(found, epoch: epoch, isUse: true) {
                case .there(let known) where isSame(known, validator, isReplacing):
                    known.renew()
                    return known
                case .there: break
                case .missing:
                    forget(found, epoch: epoch)
                    continue
                case .tryAgain:
                    BriefPause.take()
                    continue
                case .refused: throw takesNothing
                }
            }
            guard isWriting else { break }
            if let made = begin(key, total, validator, timeToLive ?? limits.timeToLive, instead: looked?.row) {
                distrusted.withLock { _ = $0.remove(key) }
                return made
            }
        }
        if isReplacing { distrusted.withLock { _ = $0.insert(key) } }
        throw takesNothing
    }

    private var takesNothing: ScrubError {
        ScrubError(
            .unavailable, "the media cache takes nothing now", file: folder.path,
            advice: "see whether its disk is full or other programs use it; it is read without the cache meanwhile")
    }

    /// Makes room for one more medium.
    private func makeRoomForOne() {
        guard limits.entryLimit > 0, let count = ask({ (c) throws(CatalogueFailure) in try c.sum().count }),
            count >= limits.entryLimit
        else { return }
        _ = evict(EvictionNeed(entries: count - limits.entryLimit + 1))
    }

    private func isSame(_ known: CachedMedium, _ validator: Validator, _ isReplacing: Bool) -> Bool {
        switch known.validator.agreement(with: validator) {
        case .same: true
        case .different: false
        // Pools of servers make tags of their own; equal times prove it where nothing can have changed within their
        // second.
        case .tagsAlone: !isReplacing && known.isFresh && known.validator.isTimeStrong
        // An earlier, different description may be of another content of the same length.
        case .unknown: !isReplacing && known.isFresh && known.validator == .none && validator == .none
        }
    }

    /// Returns seconds since a medium was used; none where the clock went back.
    func age(of row: MediumRow) -> Int64 {
        let (age, overflow) = now.subtractingReportingOverflow(row.used)
        return overflow ? 0 : max(0, age)
    }

    private func row(_ key: MediumKey) -> (row: MediumRow, epoch: String)? {
        let found = ask { (catalogue) throws(CatalogueFailure) in
            let row = try catalogue.medium(key: key.digest(salt: catalogue.salt))
            return row.map { ($0, catalogue.epoch) }
        }
        return found ?? nil
    }

    private enum Pinning {
        case there(CachedMedium), missing, tryAgain, refused
    }

    /// Returns a medium that is kept from removal, without counting as a use; nil when it is gone or has another
    /// generation.
    func pinned(_ row: MediumRow, epoch: String) -> CachedMedium? {
        for _ in 0..<Self.patience {
            switch pin(row, epoch: epoch, isUse: false) {
            case .there(let medium): return medium
            case .missing:
                forget(row, epoch: epoch)
                return nil
            case .refused: return nil
            case .tryAgain:
                // It has another generation by now, or is being removed.
                guard ask({ (c) throws(CatalogueFailure) in try c.isCurrent(row.id, row.generation) }) == true else {
                    return nil
                }
                BriefPause.take()
            }
        }
        return nil
    }

    /// Step 1: the lock that says that it is in use, then another look whether it is still there.
    private func pin(_ row: MediumRow, epoch: String, isUse: Bool) -> Pinning {
        let path = folder.data(epoch: epoch, id: row.id, generation: row.generation)
        do throws(SystemFailure) {
            let file = try files.open(path, isNew: false)
            do throws(SystemFailure) {
                try files.step(.pin)
                try files.lock(file, .shared, CachedMedium.pin)
            } catch {
                files.close(file)
                return error.number == EAGAIN ? .tryAgain : .refused
            }
            let isCurrent = ask { (catalogue) throws(CatalogueFailure) in
                guard catalogue.epoch == epoch else { return false }
                return try catalogue.isCurrent(row.id, row.generation)
            }
            guard isCurrent == true else {
                files.close(file)
                return isCurrent == nil ? .refused : .tryAgain
            }
            let medium = CachedMedium(self, row, epoch: epoch, file: file, isNew: false)
            // At most once a minute, so that reading alone does not write.
            if isUse, isWriting, now.subtractingReportingOverflow(row.used).partialValue >= 60 { medium.touch() }
            return .there(medium)
        } catch {
            return error.number == ENOENT ? .missing : .refused
        }
    }

    /// Forgets a medium whose file is gone: it was removed by hand, or lost in a power failure.
    private func forget(_ row: MediumRow, epoch: String) {
        _ = record { database, catalogue in
            guard catalogue.epoch == epoch, try Catalogue.isCurrent(database, row.id, row.generation) else { return }
            try Catalogue.remove(database, row.id)
        }
    }

    /// Begins a generation: its row, and its file before others see the row.
    ///
    /// - Parameter seen: the row that was found and is of other bytes; nil for no row.
    /// - Returns: nil when another process was quicker, or nothing can be written.
    private func begin(
        _ key: MediumKey, _ total: Int64, _ validator: Validator, _ timeToLive: Int64, instead seen: MediumRow?
    ) -> CachedMedium? {
        if seen == nil { makeRoomForOne() }
        let (now, url) = (now, key.shownURL)
        let begun = record { database, catalogue -> Begun? in
            let digest = key.digest(salt: catalogue.salt)
            let old = try Catalogue.medium(database, key: digest)
            guard old?.id == seen?.id, old?.generation == seen?.generation else { return nil }
            let row = try Catalogue.begin(
                database, digest, url: url, old: old, total: total, validator: validator, now: now,
                timeToLive: timeToLive)
            do {
                return Begun(
                    row: row, old: old, epoch: catalogue.epoch, file: try self.makeFile(catalogue.epoch, row))
            } catch let failure as SystemFailure {
                // Nothing of this happens.
                throw unsafe CatalogueFailure.unwritable(String(cString: strerror(failure.number)))
            } catch let error as ScrubError {
                throw CatalogueFailure.unwritable(error.cause)
            }
        }
        guard let begun, let begun else { return nil }
        // Readers of the old one finish; the last of them, or the next sweep, lets its file go.
        if let old = begun.old { removeUnused(epoch: begun.epoch, old.id, old.generation) }
        return CachedMedium(self, begun.row, epoch: begun.epoch, file: begun.file, isNew: true)
    }

    private struct Begun: Sendable {
        let row: MediumRow
        let old: MediumRow?
        let epoch: String
        let file: Int32
    }

    /// Returns a new file, in use. A file of that name is left from a commit that was lost in a power failure.
    private func makeFile(_ epoch: String, _ row: MediumRow) throws -> Int32 {
        try files.step(.create)
        try folder.makeFolder(epoch: epoch, id: row.id)
        let path = folder.data(epoch: epoch, id: row.id, generation: row.generation)
        let file: Int32
        do throws(SystemFailure) {
            file = try files.open(path, isNew: true)
        } catch {
            guard error.number == EEXIST else { throw error }
            try files.remove(path)
            file = try files.open(path, isNew: true)
        }
        do throws(SystemFailure) {
            try files.lock(file, .shared, CachedMedium.pin)
        } catch {
            files.close(file)
            throw error
        }
        return file
    }
}

extension Catalogue {
    /// Begins a medium's new generation, in a transaction of the caller's.
    static func begin(
        _ database: Database, _ key: String, url: String, old: MediumRow?, total: Int64, validator: Validator,
        now: Int64, timeToLive: Int64
    ) throws -> MediumRow {
        let facts: [(any DatabaseValueConvertible)?] = [
            validator.entityTag, validator.lastModified, validator.isTimeStrong ? 1 : 0, total, now, now, timeToLive,
        ]
        if let old {
            try database.cachedStatement(sql: "DELETE FROM pieces WHERE media = ?").execute(arguments: [old.id])
            try database.cachedStatement(
                sql: """
                    UPDATE media SET generation = generation + 1, etag = ?, modified = ?, strong = ?, total = ?,
                        used = max(used, ?), checked = ?, lifetime = ?, bytes = 0, allocated = 0
                    WHERE id = ?
                    """
            ).execute(arguments: StatementArguments(facts + [old.id]))
        } else {
            try database.cachedStatement(
                sql: """
                    INSERT INTO media (etag, modified, strong, total, used, checked, lifetime, key, url, generation, created)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)
                    """
            ).execute(arguments: StatementArguments(facts + [key, url, now]))
        }
        guard let row = try medium(database, key: key) else {
            throw CatalogueFailure.damaged("a new medium is not there")
        }
        return row
    }

    /// Removes a medium with all that is known of it, in a transaction of the caller's.
    static func remove(_ database: Database, _ id: Int64) throws {
        try database.cachedStatement(sql: "DELETE FROM pieces WHERE media = ?").execute(arguments: [id])
        try database.cachedStatement(sql: "DELETE FROM media WHERE id = ?").execute(arguments: [id])
    }
}
