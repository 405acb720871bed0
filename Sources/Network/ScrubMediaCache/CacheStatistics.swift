package import ScrubBase

/// The contents of the cache and their use.
package struct CacheStatistics: Hashable, Sendable {
    /// Media.
    package var media = 0
    /// Indexes, previews, generated sets and the like.
    package var savedFiles = 0
    /// Recorded bytes of media, and the saved files'.
    package var bytes: Int64 = 0
    /// The same on the disk, with the bytes that are lost in blocks.
    package var allocatedBytes: Int64 = 0
    /// The saved files' share of ``bytes``.
    package var savedBytes: Int64 = 0
    /// Reads of media that the cache answered alone, and saved indexes that took the place of reading, since the
    /// catalogue was begun.
    package var hits: Int64 = 0
    /// Reads of media for which something was fetched.
    package var misses: Int64 = 0
    /// Bytes that were not fetched because they were there.
    package var bytesSaved: Int64 = 0
    /// Bytes that were fetched.
    package var bytesFetched: Int64 = 0
    /// Media that were removed to make room.
    package var evictions: Int64 = 0
    /// Pieces that were found to be wrong and dropped.
    package var damaged: Int64 = 0
    package var limits = MediaCacheLimits.standard()

    /// Everything that counts as an entry: media and saved files.
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
    /// The limits as an object.
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

/// One entry of the cache.
package struct CacheEntry: Hashable, Sendable {
    /// The kind of the entry: `media`, or a kind of saved file.
    package var kind: String
    /// A medium's address without credentials, or a file's name.
    package var name: String
    /// Recorded bytes.
    package var bytes: Int64
    /// Bytes on the disk.
    package var allocatedBytes: Int64
    /// Bytes of the whole medium; nil for a saved file.
    package var total: Int64?
    package var entityTag: String?
    package var lastModified: String?
    /// Which content of this address.
    package var generation: Int64?
    /// Seconds since 1970; nil for a saved file.
    package var created: Int64?
    /// The time of the last use, in seconds since 1970.
    package var used: Int64
    /// Until when the server is not asked; seconds since 1970.
    package var expires: Int64?
    package var hits: Int64 = 0
    package var misses: Int64 = 0
    package var bytesSaved: Int64 = 0
    package var bytesFetched: Int64 = 0
    package var damaged: Int64 = 0
    /// Whether some process has it open.
    package var isInUse = false

    /// The object that `scrub cache list --json` prints of it.
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
