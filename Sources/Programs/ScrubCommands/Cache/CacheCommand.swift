#if CommandLine
internal import ScrubBase
internal import ArgumentParser
internal import ScrubFileIO
internal import ScrubSourcesLogic
internal import ScrubMediaCache
internal import Scrub

/// `scrub cache`: the files that are kept between runs.
struct CacheCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Show and remove cached network media, indexes and previews.",
        discussion: """
            Fetched media, indexes, previews and generated sets are kept in $SCRUB_CACHE_DIR, or else \
            $XDG_CACHE_HOME/scrub, or else ~/.cache/scrub, within the limits that scrub cache stats shows. The least \
            recently used entries are evicted first. Everything can be removed at any time, even while other \
            processes are using it.
            """,
        subcommands: [
            CacheListCommand.self, CacheStatsCommand.self, CacheVerifyCommand.self, CachePruneCommand.self,
            CacheClearCommand.self,
        ])
}

/// The cache that all runs of a user share.
struct SharedCache {
    /// Its folder.
    let path: String

    /// - Throws: `unavailable` for a user without a home.
    init() throws(ScrubError) {
        guard let path = CacheDirectory.standardPath() else {
            throw ScrubError(
                .unavailable, "there is no cache folder", advice: "set HOME, XDG_CACHE_HOME or SCRUB_CACHE_DIR")
        }
        self.path = path
    }

    /// Opens the cache; `nil`, without creating it, if nothing has been kept yet.
    func open(limits: MediaCacheLimits = .standard()) throws(ScrubError) -> MediaCache? {
        guard Folder.resolved(path) != nil else { return nil }
        return try MediaCache(path: path, limits: limits, warning: { CacheWarnings.shared.tell($0) })
    }

    /// Returns an address in the form of the cache's entries.
    static func entryName(_ address: String) throws(ScrubError) -> String {
        do throws(ScrubError) {
            return MediumKey(try RemoteURL(address)).shownURL
        } catch {
            throw error.inFile(address.saidName)
        }
    }
}

extension Amount {
    /// Returns the number of files that are kept besides fetched media, as text.
    static func ofSavedFiles(_ count: Int) -> String {
        of(count, "index, set or preview file", "indexes, sets and preview files")
    }

    /// Returns the time since a moment, in the largest unit that fits.
    static func age(_ seconds: Int64) -> String {
        let units: [(Int64, String)] = [(86_400, "day"), (3600, "hour"), (60, "minute")]
        for (length, name) in units where seconds >= length { return of(seconds / length, name) + " ago" }
        return "just now"
    }
}

extension CacheRemoval {
    /// For people.
    var text: String {
        var parts = [Amount.of(media, "medium", "media")]
        if savedFiles > 0 { parts.append(Amount.ofSavedFiles(savedFiles)) }
        var text = "removed \(parts.joined(separator: " and ")), \(Amount.size(bytes)) freed"
        if leftBytes > 0 { text += ", \(Amount.size(leftBytes)) of it left behind by interrupted runs" }
        if kept > 0 { text += "; \(Amount.of(kept, "medium is", "media are")) in use" }
        return text
    }
}
#endif
