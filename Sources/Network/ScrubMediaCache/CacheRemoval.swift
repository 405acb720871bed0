/// The entries that were removed from the cache.
package struct CacheRemoval: Hashable, Sendable {
    /// Media that are gone.
    package var media = 0
    /// Indexes, previews and generated sets that are gone.
    package var savedFiles = 0
    /// Bytes on the disk that are free again.
    package var bytes: Int64 = 0
    /// Media that would have gone and are in use.
    package var kept = 0
    /// Bytes that killed processes and lost catalogues had left; they are among ``bytes``.
    package var leftBytes: Int64 = 0
}
