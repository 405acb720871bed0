internal import Glibc
package import ScrubBase
internal import SystemPackage

// Cached files are trusted without checking the video, so they must belong to this user. An index determines which
// frames exist, and a pipe in its place would make the program wait.
extension CacheDirectory {
    /// The mode bits that let users other than the owner write: group and others.
    private static let othersMayWrite: mode_t = 0o022
    /// The mode bits that let other users enter a folder.
    private static let othersMayEnter: mode_t = 0o011

    /// Returns the reason why a folder is not used as a cache; `nil` if it belongs to this user, or does not exist yet.
    /// Links are followed.
    package static func distrust(of path: String) -> ScrubError? {
        guard let facts = facts(of: path, follows: true), facts.st_mode & S_IFMT == S_IFDIR else { return nil }
        if facts.st_uid != geteuid() {
            return ScrubError(
                .unavailable, "the cache folder belongs to another user, so Scrub does not use it",
                file: path,
                advice: "set SCRUB_CACHE_DIR to a folder that you own, or turn the cache off (\(term: .keepsNothing))")
        }
        if facts.st_mode & othersMayWrite != 0 {
            return ScrubError(
                .unavailable, "other users can write to the cache folder, so Scrub does not use it",
                file: path, advice: "run chmod go-w on it, or set SCRUB_CACHE_DIR to a folder that you own")
        }
        return nil
    }

    /// Returns the reason why a file in a cache folder is not used; `nil` if it is a regular file of this user, or does
    /// not exist.
    ///
    /// A file that others may write to is accepted if they cannot reach it: folders created here are closed to other
    /// users.
    package static func distrust(ofFile path: String, in folder: String) -> ScrubError? {
        guard let facts = facts(of: path, follows: false) else { return nil }
        return distrust(facts, path, isReachable: isReachable(folder))
    }

    private static func distrust(_ facts: stat, _ path: String, isReachable: Bool) -> ScrubError? {
        let cause: String? =
            switch facts.st_mode & S_IFMT {
            case S_IFREG where facts.st_uid != geteuid(): "belongs to another user"
            case S_IFREG where isReachable && facts.st_mode & othersMayWrite != 0: "is writable by other users"
            case S_IFREG: nil
            case S_IFDIR: "is a folder"
            case S_IFIFO: "is a named pipe"
            case S_IFLNK: "is a link"
            case S_IFSOCK: "is a socket"
            default: "is a device"
            }
        return cause.map {
            ScrubError(
                .unavailable, "\($0), so it is not used as a cache file", file: path,
                advice: "remove it; Scrub will create a new one")
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

    /// Returns the entry, open for reading; `nil` if it does not exist, or does not belong to this user, which is
    /// reported once. This never waits, and it checks the opened file, not one that had the name before.
    func ownFile(_ name: String) -> FileSource? {
        guard let opened = ownDescriptor(name, O_RDONLY).opened else { return nil }
        return try? FileSource(opened, path: path(of: name))
    }

    /// Opens an entry.
    ///
    /// - Parameter flags: the flags of open(2). With `O_CREAT`, it is created for this user only if it does not exist.
    /// - Returns: the file, as for ``ownFile(_:)``, or else the system's error, which is `nil` if an existing file is
    ///   not used.
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

    /// The modification time marks the last use, because access times are often disabled.
    func markAsUsed(_ name: String) { utimensat(AT_FDCWD, path(of: name), nil, AT_SYMLINK_NOFOLLOW) }
}
