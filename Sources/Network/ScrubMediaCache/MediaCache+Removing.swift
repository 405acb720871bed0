extension MediaCache {
    /// Removes the selected media, never one that is in use.
    ///
    /// - Parameter isMeant: is told a medium's address as ``CacheEntry/name`` has it, and when it was last used, in
    ///   seconds since 1970.
    package func remove(where isMeant: (_ address: String, _ used: Int64) -> Bool) -> CacheRemoval {
        flush()
        var done = CacheRemoval()
        let known = ask { (catalogue) throws(CatalogueFailure) in (try catalogue.media(), catalogue.epoch) }
        for row in known?.0 ?? [] where isMeant(row.url, row.used) {
            guard let freed = evict(row, epoch: known?.1 ?? "", part: nil) else {
                done.kept += 1
                continue
            }
            done.media += 1
            done.bytes += freed.bytes
        }
        return done
    }
}

// The statistics of a cache that was never made.
extension CacheStatistics {
    /// Of a cache that is not there.
    package static let empty = CacheStatistics()
}

extension CacheVerification {
    /// Of a cache that is not there.
    package static let empty = CacheVerification()
}

extension CacheRemoval {
    /// Of a cache that is not there.
    package static let empty = CacheRemoval()
}
