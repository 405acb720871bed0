internal import ScrubFileIO

/// The limits of the cache. One budget: media, indexes, previews and generated sets count together.
package struct MediaCacheLimits: Hashable, Sendable {
    /// The most bytes on disk of everything in the cache directory. 0 keeps nothing.
    package var byteLimit: Int64
    /// The most media.
    package var entryLimit: Int
    /// Seconds after which an unused medium is removed.
    package var maximumAge: Int64
    /// Seconds during which a medium is used without asking the server whether it is still the same.
    package var timeToLive: Int64
    /// Bytes of the file system that are left free: nothing is written that would take them, and the longest unused
    /// goes first. Nil for a GiB, or a twentieth of a file system that has less than 20.
    package var freeSpaceFloor: Int64?

    package init(
        byteLimit: Int64 = 10 << 30, entryLimit: Int = 10_000, maximumAge: Int64 = 90 * 86_400,
        timeToLive: Int64 = 7 * 86_400, freeSpaceFloor: Int64? = nil
    ) {
        self.byteLimit = byteLimit
        self.entryLimit = entryLimit
        self.maximumAge = maximumAge
        self.timeToLive = timeToLive
        self.freeSpaceFloor = freeSpaceFloor
    }
}

extension MediaCacheLimits {
    /// Returns the limits without options: `SCRUB_CACHE_LIMIT` bytes in all, else 10 GiB.
    package static func standard(
        environment: (String) -> String? = CacheDirectory.environmentVariable
    ) -> MediaCacheLimits {
        MediaCacheLimits(byteLimit: CacheDirectory.totalLimit(environment: environment))
    }
}
