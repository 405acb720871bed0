internal import ScrubSourcesLogic
internal import ScrubFileIO
internal import ScrubBase

extension MediaCache {
    /// Returns the contents of the cache and its usage. It lists the saved files, and waits for bytes that are being
    /// recorded.
    package func statistics() -> CacheStatistics {
        flush()
        var result = CacheStatistics()
        result.limits = limits
        for file in CacheDirectory.savedFiles(in: path) {
            result.savedFiles += 1
            result.savedBytes += file.byteCount
        }
        (result.bytes, result.allocatedBytes) = (result.savedBytes, result.savedBytes)
        let known = ask { (catalogue) throws(CatalogueFailure) in (try catalogue.media(), try catalogue.totals()) }
        guard let (media, totals) = known else { return result }
        result.media = media.count
        for row in media {
            result.bytes += row.bytes
            result.allocatedBytes += row.allocated
        }
        (result.hits, result.misses) = (totals.counters.hits, totals.counters.misses)
        (result.bytesSaved, result.bytesFetched) = (totals.counters.bytesFromCache, totals.counters.bytesFetched)
        (result.evictions, result.damaged) = (totals.evictions, totals.counters.damaged)
        return result
    }

    /// Returns all entries, the least recently used first.
    package func entries() -> [CacheEntry] {
        flush()
        let known = ask { (catalogue) throws(CatalogueFailure) in (try catalogue.media(), catalogue.epoch) }
        var found = known?.0.map { entry($0, epoch: known?.1 ?? "") } ?? []
        for file in CacheDirectory.savedFiles(in: path) {
            found.append(
                CacheEntry(
                    kind: SavedKind(name: file.name)?.rawValue ?? "", name: file.name, bytes: file.byteCount,
                    allocatedBytes: file.byteCount, used: file.used / 1_000_000_000))
        }
        return found.sorted { ($0.used, $0.name) < ($1.used, $1.name) }
    }

    private func entry(_ row: MediumRow, epoch: String) -> CacheEntry {
        var entry = CacheEntry(
            kind: "media", name: row.url, bytes: row.bytes, allocatedBytes: row.allocated, used: row.used)
        entry.total = row.total
        (entry.entityTag, entry.lastModified) = (row.validator.entityTag, row.validator.lastModified)
        (entry.generation, entry.created) = (row.generation, row.created)
        entry.expires = row.checked.addingReportingOverflow(row.timeToLive).partialValue
        (entry.hits, entry.misses) = (row.counters.hits, row.counters.misses)
        (entry.bytesSaved, entry.bytesFetched) = (row.counters.bytesFromCache, row.counters.bytesFetched)
        entry.damaged = row.counters.damaged
        entry.isInUse = isInUse(row, epoch: epoch)
        return entry
    }

    /// Returns whether a process, including this one, has a medium open.
    private func isInUse(_ row: MediumRow, epoch: String) -> Bool {
        let path = folder.data(epoch: epoch, id: row.id, generation: row.generation)
        guard let file = try? files.open(path, isNew: false) else { return false }
        defer { files.close(file) }
        do throws(SystemFailure) {
            try files.lock(file, .exclusive, CachedMedium.pin)
            try files.lock(file, .none, CachedMedium.pin)
            return false
        } catch {
            return true
        }
    }
}
