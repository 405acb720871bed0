extension MediaCache {
    /// Removes the selected media, but never one that is in use.
    ///
    /// - Parameter isMeant: receives a medium's address as in ``CacheEntry/name``, and the time of its last use, in
    ///   seconds since 1970; returns whether to remove it.
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

// The statistics of a cache that was never created.
extension CacheStatistics {
    /// The value for a cache that does not exist.
    package static let empty = CacheStatistics()
}

extension CacheVerification {
    /// The value for a cache that does not exist.
    package static let empty = CacheVerification()
}

extension CacheRemoval {
    /// The value for a cache that does not exist.
    package static let empty = CacheRemoval()
}
