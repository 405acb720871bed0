package import ScrubSourcesLogic
internal import ScrubFileIO
internal import Glibc
internal import GRDB
package import ScrubBase

extension MediaCache {
    /// The number of retries if another process removes or renews a medium at the same moment.
    private static let patience = 20

    /// Returns the entry of a medium; `nil` if it is not in the cache, or too old. While the result exists, no process
    /// removes it.
    ///
    /// Cost: one catalogue lookup, one opened file, two locks.
    package func medium(_ key: MediumKey) -> CachedMedium? {
        guard !distrusted.withLock({ $0.contains(key) }) else { return nil }
        for _ in 0..<Self.patience {
            guard let (found, epoch) = row(key), age(of: found) <= limits.maximumAge else { return nil }
            switch pin(found, epoch: epoch, isUse: true) {
            case .there(let medium): return medium
            case .missing: forget(found, epoch: epoch)
            case .tryAgain: PollingDelay.take()
            case .refused: return nil
            }
        }
        return nil
    }

    /// Opens a medium as a server has just described it. If the size or the validator differs from the known one, a new
    /// generation begins and the old pieces are removed. If neither response had a validator, the entry counts as the
    /// same only within its time to live.
    ///
    /// - Parameters:
    ///   - timeToLive: the time to live in seconds; `nil` for the default limit.
    ///   - isReplacing: whether the known content was just found to be different, although its validator cannot tell.
    ///     It is then never reused.
    /// - Throws: an error if recording is not possible; the caller then fetches without a cache.
    package func open(
        _ key: MediumKey, total: Int64, validator: Validator, timeToLive: Int64? = nil, isReplacing: Bool = false
    ) throws(ScrubError) -> CachedMedium {
        guard (0...largestMedium).contains(total) else {
            throw ScrubError(
                .unavailable, "a medium of \(total) bytes is too large for the media cache", file: key.shownURL,
                advice: "raise SCRUB_CACHE_LIMIT; until then, the medium is read without the cache")
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
                    PollingDelay.take()
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
            .unavailable, "the media cache is not accepting data", file: folder.path,
            advice: "check whether its disk is full, or other programs are using it; until then, the cache is bypassed")
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
        // Servers of a pool generate different tags; equal times prove equality if the content cannot have changed
        // within that second.
        case .tagsAlone: !isReplacing && known.isFresh && known.validator.isTimeStrong
        // An earlier, different description may belong to other content of the same length.
        case .unknown: !isReplacing && known.isFresh && known.validator == .none && validator == .none
        }
    }

    /// Returns the seconds since a medium was used; 0 if the clock went back.
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

    /// Returns a medium that is protected from removal, without counting as a use; `nil` if it was removed or has
    /// another generation.
    func pinned(_ row: MediumRow, epoch: String) -> CachedMedium? {
        for _ in 0..<Self.patience {
            switch pin(row, epoch: epoch, isUse: false) {
            case .there(let medium): return medium
            case .missing:
                forget(row, epoch: epoch)
                return nil
            case .refused: return nil
            case .tryAgain:
                // The medium now has another generation, or is being removed.
                guard ask({ (c) throws(CatalogueFailure) in try c.isCurrent(row.id, row.generation) }) == true else {
                    return nil
                }
                PollingDelay.take()
            }
        }
        return nil
    }

    /// Step 1: takes the lock that marks it as in use, then checks again whether it still exists.
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
            // At most once a minute, so that mere reading does not cause writes.
            if isUse, isWriting, now.subtractingReportingOverflow(row.used).partialValue >= 60 { medium.touch() }
            return .there(medium)
        } catch {
            return error.number == ENOENT ? .missing : .refused
        }
    }

    /// Forgets a medium whose file is missing: it was removed manually, or lost in a power failure.
    private func forget(_ row: MediumRow, epoch: String) {
        _ = record { database, catalogue in
            guard catalogue.epoch == epoch, try CacheDatabase.isCurrent(database, row.id, row.generation) else {
                return
            }
            try CacheDatabase.remove(database, row.id)
        }
    }

    /// Begins a generation: creates its row, and its file before others see the row.
    ///
    /// - Parameter seen: the existing row, which has different bytes; `nil` for no row.
    /// - Returns: `nil` if another process was faster, or if writing is not possible.
    private func begin(
        _ key: MediumKey, _ total: Int64, _ validator: Validator, _ timeToLive: Int64, instead seen: MediumRow?
    ) -> CachedMedium? {
        if seen == nil { makeRoomForOne() }
        let (now, url) = (now, key.shownURL)
        let begun = record { database, catalogue -> Begun? in
            let digest = key.digest(salt: catalogue.salt)
            let old = try CacheDatabase.medium(database, key: digest)
            guard old?.id == seen?.id, old?.generation == seen?.generation else { return nil }
            let row = try CacheDatabase.begin(
                database, digest, url: url, old: old, total: total, validator: validator, now: now,
                timeToLive: timeToLive)
            do {
                return Begun(
                    row: row, old: old, epoch: catalogue.epoch, file: try self.makeFile(catalogue.epoch, row))
            } catch let failure as SystemFailure {
                // The transaction has no effect.
                throw unsafe CatalogueFailure.unwritable(String(cString: strerror(failure.number)))
            } catch let error as ScrubError {
                throw CatalogueFailure.unwritable(error.cause)
            }
        }
        guard let begun, let begun else { return nil }
        // Readers of the old generation finish; the last of them, or the next sweep, removes its file.
        if let old = begun.old { removeUnused(epoch: begun.epoch, old.id, old.generation) }
        return CachedMedium(self, begun.row, epoch: begun.epoch, file: begun.file, isNew: true)
    }

    private struct Begun: Sendable {
        let row: MediumRow
        let old: MediumRow?
        let epoch: String
        let file: Int32
    }

    /// Returns a new file, marked as in use. An existing file of that name was left by a commit that was lost in a
    /// power failure.
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

extension CacheDatabase {
    /// Begins a medium's new generation, within the caller's transaction.
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
            throw CatalogueFailure.damaged("a new medium is missing")
        }
        return row
    }

    /// Removes a medium with all its records, within the caller's transaction.
    static func remove(_ database: Database, _ id: Int64) throws {
        try database.cachedStatement(sql: "DELETE FROM pieces WHERE media = ?").execute(arguments: [id])
        try database.cachedStatement(sql: "DELETE FROM media WHERE id = ?").execute(arguments: [id])
    }
}
