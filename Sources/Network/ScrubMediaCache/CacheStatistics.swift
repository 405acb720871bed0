package import ScrubBase

/// The contents of the cache and its usage.
package struct CacheStatistics: Hashable, Sendable {
    /// The number of media.
    package var media = 0
    /// The number of indexes, previews, generated sets and other saved files.
    package var savedFiles = 0
    /// The recorded bytes of media, and the bytes of saved files.
    package var bytes: Int64 = 0
    /// The size on disk, including unused bytes of blocks.
    package var allocatedBytes: Int64 = 0
    /// The saved files' share of ``bytes``.
    package var savedBytes: Int64 = 0
    /// The number of reads of media that the cache alone answered, and of saved indexes that made reading unnecessary,
    /// since the catalogue was created.
    package var hits: Int64 = 0
    /// The number of reads of media that required fetching.
    package var misses: Int64 = 0
    /// The number of bytes that did not have to be fetched.
    package var bytesSaved: Int64 = 0
    /// The number of fetched bytes.
    package var bytesFetched: Int64 = 0
    /// The number of media evicted to make room.
    package var evictions: Int64 = 0
    /// The number of damaged pieces that were dropped.
    package var damaged: Int64 = 0
    package var limits = MediaCacheLimits.standard()

    /// The number of entries: media and saved files.
    package var entries: Int { media + savedFiles }

    /// The object that `scrub cache stats --json` prints.
    package var json: JSONText {
        var object = JSONText()
        object.add("entries", entries)
        object.add("media", media)
        object.add("savedFiles", savedFiles)
        object.add("bytes", bytes)
        object.add("allocatedBytes", allocatedBytes)
        object.add("savedBytes", savedBytes)
        object.add("hits", hits)
        object.add("misses", misses)
        object.add("bytesSaved", bytesSaved)
        object.add("bytesFetched", bytesFetched)
        object.add("evictions", evictions)
        object.add("damaged", damaged)
        object.add("limits", .object(limits.json))
        return object
    }
}

extension MediaCacheLimits {
    /// The limits as a JSON object.
    package var json: JSONText {
        var object = JSONText()
        object.add("bytes", byteLimit)
        object.add("entries", entryLimit)
        object.add("maximumAgeSeconds", maximumAge)
        object.add("timeToLiveSeconds", timeToLive)
        object.add("freeSpaceFloorBytes", freeSpaceFloor.map(JSONText.Value.integer) ?? .null)
        return object
    }
}

/// An entry of the cache.
package struct CacheEntry: Hashable, Sendable {
    /// The kind of the entry: `media`, or a kind of saved file.
    package var kind: String
    /// A medium's address without credentials, or a file's name.
    package var name: String
    /// The number of recorded bytes.
    package var bytes: Int64
    /// The number of bytes on disk.
    package var allocatedBytes: Int64
    /// The size of the whole medium in bytes; `nil` for a saved file.
    package var total: Int64?
    package var entityTag: String?
    package var lastModified: String?
    /// The generation of the content at this address.
    package var generation: Int64?
    /// The creation time in seconds since 1970; `nil` for a saved file.
    package var created: Int64?
    /// The time of the last use, in seconds since 1970.
    package var used: Int64
    /// The time until which the server is not asked, in seconds since 1970.
    package var expires: Int64?
    package var hits: Int64 = 0
    package var misses: Int64 = 0
    package var bytesSaved: Int64 = 0
    package var bytesFetched: Int64 = 0
    package var damaged: Int64 = 0
    /// Whether a process has it open.
    package var isInUse = false

    /// The object that `scrub cache list --json` prints for it.
    package var json: JSONText {
        var object = JSONText()
        object.add("kind", kind)
        object.add("name", name)
        object.add("bytes", bytes)
        object.add("allocatedBytes", allocatedBytes)
        object.add("used", used)
        guard let total else { return object }
        object.add("total", total)
        object.add("etag", entityTag)
        object.add("lastModified", lastModified)
        object.add("generation", generation.map(JSONText.Value.integer) ?? .null)
        object.add("created", created.map(JSONText.Value.integer) ?? .null)
        object.add("expires", expires.map(JSONText.Value.integer) ?? .null)
        object.add("hits", hits)
        object.add("misses", misses)
        object.add("bytesSaved", bytesSaved)
        object.add("bytesFetched", bytesFetched)
        object.add("damaged", damaged)
        object.add("inUse", isInUse)
        return object
    }
}
