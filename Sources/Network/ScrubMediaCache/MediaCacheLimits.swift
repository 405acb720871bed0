internal import ScrubFileIO

/// The limits of the cache. There is one budget: media, indexes, previews and generated sets count together.
package struct MediaCacheLimits: Hashable, Sendable {
    /// The maximum number of bytes on disk of everything in the cache directory. 0 keeps nothing.
    package var byteLimit: Int64
    /// The maximum number of media.
    package var entryLimit: Int
    /// Seconds after which an unused medium is removed.
    package var maximumAge: Int64
    /// The seconds during which a medium is used without asking the server whether it is still the same.
    package var timeToLive: Int64
    /// The bytes of the file system to leave free: no write may use them, and the least recently used entries are
    /// evicted first. `nil` for one GiB, or a twentieth of a file system smaller than 20 GiB.
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
    /// Returns the default limits: `SCRUB_CACHE_LIMIT` bytes in total, else 10 GiB.
    package static func standard(
        environment: (String) -> String? = CacheDirectory.environmentVariable
    ) -> MediaCacheLimits {
        MediaCacheLimits(byteLimit: CacheDirectory.totalLimit(environment: environment))
    }
}
