/// The entries that were removed from the cache.
package struct CacheRemoval: Hashable, Sendable {
    /// The number of removed media.
    package var media = 0
    /// The number of removed indexes, previews and generated sets.
    package var savedFiles = 0
    /// The number of freed bytes on disk.
    package var bytes: Int64 = 0
    /// The number of media that were to be removed but are in use.
    package var kept = 0
    /// The bytes left behind by killed processes and lost catalogues, which are included in ``bytes``.
    package var leftBytes: Int64 = 0
}
