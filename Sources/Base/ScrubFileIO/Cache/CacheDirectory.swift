internal import Glibc
package import ScrubBase
internal import SystemPackage

/// A directory of files that can be made again. Removing the least recently used ones keeps it under a limit in bytes.
///
/// Several processes may share it: files are replaced by renaming, and removal of a file that another process has open
/// leaves that process its data. Only this user's own plain files are read, and only out of a folder that no other user
/// may write into. All others are reported once (``CacheWarnings``).
package struct CacheDirectory: Sendable {
    /// The directory's path; it is made on the first write.
    package let path: String
    /// The most bytes that the directory's entries may take together.
    package let byteLimit: Int64
    /// The suffix of the entries that belong to this cache; nothing else in the directory is ever touched.
    let suffix: String
    /// The most bytes of the entries of all ``suffixes`` together.
    let totalLimit: Int64
    /// Bytes of the file system that growing entries leave free; `nil` for ``floor(ofSize:)``.
    let freeSpaceFloor: Int64?
    /// Whether other files are removed where the limits ask for room; else what has no room is refused.
    package var removesOthers = true

    /// Returns the place for indexes: `SCRUB_CACHE_DIR`, else `$XDG_CACHE_HOME/scrub`, else `~/.cache/scrub` (XDG Base
    /// Directory Specification). `nil` when none of them is known.
    package static func standardPath(environment: (String) -> String? = environmentVariable) -> String? {
        if let own = environment("SCRUB_CACHE_DIR"), !own.isEmpty { return own }
        return userPath(environment: environment).map { $0 + "/scrub" }
    }

    /// Returns the user's cache directory: `$XDG_CACHE_HOME`, else `~/.cache`.
    package static func userPath(environment: (String) -> String? = environmentVariable) -> String? {
        // The specification says that a relative path is to be ignored.
        if let base = environment("XDG_CACHE_HOME"), base.hasPrefix("/") { return base }
        if let home = environment("HOME"), home.hasPrefix("/") { return home + "/.cache" }
        return nil
    }

    /// Returns a variable of the process's environment.
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

    /// Returns the path at which an entry is, or would be.
    package func path(of name: String) -> String { "\(path)/\(name)\(suffix)" }

    /// Returns the entry's bytes, or `nil` when no usable entry exists. Marks it as used now.
    package func load(_ name: String) -> [UInt8]? {
        guard let source = ownFile(name), source.byteCount <= byteLimit,
            let bytes = try? source.read(at: 0, count: Int(source.byteCount))
        else { return nil }
        markAsUsed(name)
        return bytes
    }

    /// Stores an entry, then removes the longest unused ones until the limits hold: of this suffix, then of all. An
    /// entry that is larger than a limit by itself is not stored. Only the user may read the files.
    ///
    /// In a folder of thousands of files only some of the stores look whether the limits hold
    /// (``looksAtAll(after:byteCount:inFolderOf:)``). Cost: on average the same for any number of files.
    ///
    /// - Throws: `unavailable` if the directory, or a file under the entry's name, is not this user's own.
    package func store(_ bytes: [UInt8], as name: String) throws(ScrubError) {
        if let distrust = distrust(ofEntry: name) { throw distrust }
        guard Int64(bytes.count) <= min(byteLimit, totalLimit) else {
            // The file from before is out of date now.
            return remove(name)
        }
        try makeDirectories()
        try AtomicFile.write(bytes, to: .kept(path(of: name)), isPrivate: true)
        if looksAtAll(after: name, byteCount: bytes.count, inFolderOf: CacheDirectory.ownByteCount(of: path)) {
            trim(keeping: name + suffix)
        }
    }

    /// Removes an entry if it is there.
    package func remove(_ name: String) { unlink(path(of: name)) }

    /// Returns the entries with their sizes, the longest unused first.
    package func entries() -> [SavedFile] {
        CacheDirectory.files(in: path) { $0.hasSuffix(suffix) }.sorted(by: SavedFile.isLongerUnused)
    }

    /// Returns the regular files of a folder whose names are wanted.
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
                system: reason, .inputOutput, doing: "the cache directory cannot be made", file: path,
                advice:
                    "say with $SCRUB_CACHE_DIR where things may be kept, or keep nothing (\(term: .keepsNothing))")
        }
    }
}
