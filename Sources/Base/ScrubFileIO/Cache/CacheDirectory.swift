internal import Glibc
package import ScrubBase
internal import SystemPackage

/// A directory of files that can be recreated. It is kept within a byte limit by evicting the least recently used
/// files.
///
/// Several processes may share it: files are replaced by renaming, and a file that is removed while another process has
/// it open keeps its data for that process. Only regular files of this user are read, and only from a folder that no
/// other user may write to. All others are reported once (``CacheWarnings``).
package struct CacheDirectory: Sendable {
    /// The directory's path. The directory is created on the first write.
    package let path: String
    /// The maximum total size of the directory's entries in bytes.
    package let byteLimit: Int64
    /// The suffix of the entries that belong to this cache. No other files in the directory are ever touched.
    let suffix: String
    /// The maximum total size in bytes of the entries with any of ``suffixes``.
    let totalLimit: Int64
    /// The number of bytes that growing entries leave free on the file system; `nil` for ``floor(ofSize:)``.
    let freeSpaceFloor: Int64?
    /// Whether other files are evicted when the limits require making room. Otherwise, an entry that does not fit is
    /// rejected.
    package var removesOthers = true

    /// Returns the directory for indexes: `SCRUB_CACHE_DIR`, else `$XDG_CACHE_HOME/scrub`, else `~/.cache/scrub` (XDG
    /// Base Directory Specification). `nil` if none of these is known.
    package static func standardPath(environment: (String) -> String? = environmentVariable) -> String? {
        if let own = environment("SCRUB_CACHE_DIR"), !own.isEmpty { return own }
        return userPath(environment: environment).map { $0 + "/scrub" }
    }

    /// Returns the user's cache directory: `$XDG_CACHE_HOME`, else `~/.cache`.
    package static func userPath(environment: (String) -> String? = environmentVariable) -> String? {
        // The specification requires ignoring a relative path.
        if let base = environment("XDG_CACHE_HOME"), base.hasPrefix("/") { return base }
        if let home = environment("HOME"), home.hasPrefix("/") { return home + "/.cache" }
        return nil
    }

    /// Returns an environment variable of the process.
    package static func environmentVariable(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(systemName: $0) }
    }

    package init(
        path: String, suffix: String, byteLimit: Int64, totalLimit: Int64 = .max, freeSpaceFloor: Int64? = nil
    ) {
        self.path = path
        self.freeSpaceFloor = freeSpaceFloor
        self.suffix = suffix
        self.byteLimit = byteLimit
        self.totalLimit = totalLimit
    }

    /// Returns the path of an entry, whether or not it exists.
    package func path(of name: String) -> String { "\(path)/\(name)\(suffix)" }

    /// Returns the entry's bytes, or `nil` if there is no usable entry. Marks the entry as used now.
    package func load(_ name: String) -> [UInt8]? {
        guard let source = ownFile(name), source.byteCount <= byteLimit,
            let bytes = try? source.read(at: 0, count: Int(source.byteCount))
        else { return nil }
        markAsUsed(name)
        return bytes
    }

    /// Stores an entry, then evicts the least recently used ones until the limits are met: first of this suffix, then
    /// of all. An entry that alone exceeds a limit is not stored. Only the user may read the files.
    ///
    /// In a folder of thousands of files, only some of the stores check the limits
    /// (``looksAtAll(after:byteCount:inFolderOf:)``). Cost: on average the same for any number of files.
    ///
    /// - Throws: `unavailable` if the directory, or a file with the entry's name, does not belong to this user.
    package func store(_ bytes: [UInt8], as name: String) throws(ScrubError) {
        if let distrust = distrust(ofEntry: name) { throw distrust }
        guard Int64(bytes.count) <= min(byteLimit, totalLimit) else {
            // The previous file is now out of date.
            return remove(name)
        }
        try makeDirectories()
        try AtomicFile.write(bytes, to: .kept(path(of: name)), isPrivate: true)
        if looksAtAll(after: name, byteCount: bytes.count, inFolderOf: CacheDirectory.ownByteCount(of: path)) {
            trim(keeping: name + suffix)
        }
    }

    /// Removes an entry if it exists.
    package func remove(_ name: String) { unlink(path(of: name)) }

    /// Returns the entries with their sizes, the least recently used first.
    package func entries() -> [SavedFile] {
        CacheDirectory.files(in: path) { $0.hasSuffix(suffix) }.sorted(by: SavedFile.isLongerUnused)
    }

    /// Returns the regular files of a folder whose names satisfy a predicate.
    static func files(in path: String, _ isWanted: (String) -> Bool) -> [SavedFile] {
        var found: [SavedFile] = []
        for name in Folder.names(in: path) ?? [] where isWanted(name) {
            var facts = stat()
            guard unsafe lstat("\(path)/\(name)", &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { continue }
            let used = Int64(facts.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(facts.st_mtim.tv_nsec)
            found.append(SavedFile(name: name, byteCount: Int64(facts.st_size), used: used))
        }
        return found
    }

    func makeDirectories() throws(ScrubError) {
        for end in path.utf8.indices.dropFirst() where path.utf8[end] == UInt8(ascii: "/") {
            try makeDirectory(String(path[..<end]))
        }
        try makeDirectory(path)
    }

    private func makeDirectory(_ path: String) throws(ScrubError) {
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            let reason = Errno(rawValue: errno)
            throw ScrubError(
                system: reason, .inputOutput, doing: "the cache directory cannot be created", file: path,
                advice:
                    "set SCRUB_CACHE_DIR to a writable folder, or turn the cache off (\(term: .keepsNothing))")
        }
    }
}
