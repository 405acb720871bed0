internal import Glibc
package import ScrubBase
internal import SystemPackage

// Cached files are believed without a look at the film, so they must come from this user. An index decides which frames
// exist, and a pipe in its place would make the program wait.
extension CacheDirectory {
    /// The mode bits of who may write beside the owner: group and others.
    private static let othersMayWrite: mode_t = 0o022
    /// The mode bits that let other users into a folder.
    private static let othersMayEnter: mode_t = 0o011

    /// Returns the reason why a folder is not used as a cache; `nil` if it is this user's own, or is not there yet. A
    /// link to it is followed.
    package static func distrust(of path: String) -> ScrubError? {
        guard let facts = facts(of: path, follows: true), facts.st_mode & S_IFMT == S_IFDIR else { return nil }
        if facts.st_uid != geteuid() {
            return ScrubError(
                .unavailable, "the cache folder belongs to another user: nothing is read from it or kept in it",
                file: path,
                advice: "set SCRUB_CACHE_DIR to a folder of your own, or keep nothing (\(term: .keepsNothing))")
        }
        if facts.st_mode & othersMayWrite != 0 {
            return ScrubError(
                .unavailable, "others may write into the cache folder: nothing is read from it or kept in it",
                file: path, advice: "run chmod go-w on it, or set SCRUB_CACHE_DIR to a folder of your own")
        }
        return nil
    }

    /// Returns the reason why a file in a folder of the cache is not used; `nil` if it is this user's own plain file,
    /// or is not there.
    ///
    /// A file that others may write to is taken where they cannot reach it: the folders that are made here are closed
    /// to other users.
    package static func distrust(ofFile path: String, in folder: String) -> ScrubError? {
        guard let facts = facts(of: path, follows: false) else { return nil }
        return distrust(facts, path, isReachable: isReachable(folder))
    }

    private static func distrust(_ facts: stat, _ path: String, isReachable: Bool) -> ScrubError? {
        let cause: String? =
            switch facts.st_mode & S_IFMT {
            case S_IFREG where facts.st_uid != geteuid(): "belongs to another user"
            case S_IFREG where isReachable && facts.st_mode & othersMayWrite != 0: "may be written by others"
            case S_IFREG: nil
            case S_IFDIR: "is a folder"
            case S_IFIFO: "is a named pipe"
            case S_IFLNK: "is a link"
            case S_IFSOCK: "is a socket"
            default: "is a device"
            }
        return cause.map {
            ScrubError(
                .unavailable, "\($0), where a file of the cache should be: it is not used", file: path,
                advice: "remove it, and it is made again")
        }
    }

    private static func isReachable(_ folder: String) -> Bool {
        facts(of: folder, follows: true).map { $0.st_mode & othersMayEnter != 0 } ?? true
    }

    private static func facts(of path: String, follows: Bool) -> stat? {
        var facts = stat()
        guard !path.utf8.contains(0),
            unsafe fstatat(AT_FDCWD, path, &facts, follows ? 0 : AT_SYMLINK_NOFOLLOW) == 0
        else { return nil }
        return facts
    }

    /// Returns the reason why an entry is neither read nor written; `nil` if it may be.
    func distrust(ofEntry name: String) -> ScrubError? {
        CacheDirectory.distrust(of: path) ?? CacheDirectory.distrust(ofFile: path(of: name), in: path)
    }

    /// Returns the entry, open for reading; `nil` if it does not exist, or is not this user's own; the latter is
    /// reported once. Never waits: the opened file is judged, not the one that had its name before.
    func ownFile(_ name: String) -> FileSource? {
        guard let opened = ownDescriptor(name, O_RDONLY).opened else { return nil }
        return try? FileSource(opened, path: path(of: name))
    }

    /// Opens an entry.
    ///
    /// - Parameter flags: of open(2); with `O_CREAT` it is made for this user alone if it does not exist.
    /// - Returns: the file, as ``ownFile(_:)`` says; else the system's reason, `nil` when what is there is not used.
    func ownDescriptor(_ name: String, _ flags: Int32) -> (opened: FileDescriptor?, reason: Errno?) {
        let place = path(of: name)
        guard !place.utf8.contains(0) else { return (nil, nil) }
        if let distrust = CacheDirectory.distrust(of: path) {
            CacheWarnings.shared.tell(distrust)
            return (nil, nil)
        }
        let opened = open(place, flags | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC, 0o600)
        var facts = stat()
        guard opened >= 0, unsafe fstat(opened, &facts) == 0 else {
            let reason = errno
            if opened >= 0 { close(opened) }
            // A link, or a socket (open(2)). A missing entry is not reported.
            if reason != ENOENT, let distrust = CacheDirectory.distrust(ofFile: place, in: path) {
                CacheWarnings.shared.tell(distrust)
                return (nil, nil)
            }
            return (nil, Errno(rawValue: reason))
        }
        if let distrust = CacheDirectory.distrust(facts, place, isReachable: CacheDirectory.isReachable(path)) {
            close(opened)
            CacheWarnings.shared.tell(distrust)
            return (nil, nil)
        }
        return (FileDescriptor(rawValue: opened), nil)
    }

    /// Recency is the modification time: access times are often switched off.
    func markAsUsed(_ name: String) { utimensat(AT_FDCWD, path(of: name), nil, AT_SYMLINK_NOFOLLOW) }
}
