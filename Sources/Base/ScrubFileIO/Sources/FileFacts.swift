internal import Glibc
package import ScrubBase

/// The system's facts about a file or folder, without opening it (stat(2)).
package struct FileFacts: Hashable, Sendable {
    package enum Kind: Sendable { case file, folder, link, other }

    package let kind: Kind
    /// The file's file system, which identifies it together with the inode number: two names with equal values are the
    /// same file.
    package let device: UInt64
    package let inode: UInt64
    package let byteCount: Int64
    /// The time of the last change of the contents, in nanoseconds since 1970. The writer may have set it.
    package let modified: Int64
    /// The time of the last change of the contents or the metadata, in nanoseconds since 1970. Programs cannot set it.
    package let changed: Int64

    package init(
        kind: Kind, device: UInt64, inode: UInt64, byteCount: Int64, modified: Int64, changed: Int64
    ) {
        (self.kind, self.device, self.inode) = (kind, device, inode)
        (self.byteCount, self.modified, self.changed) = (byteCount, modified, changed)
    }

    /// The facts of a name without a file.
    package static let ofNothing = FileFacts(kind: .other, device: 0, inode: 0, byteCount: 0, modified: 0, changed: 0)

    /// Reads the facts of a path.
    ///
    /// - Parameter followsLinks: whether the facts of a link are those of its target.
    /// - Returns: `nil` if there is no file, or if it may not be examined.
    package init?(path: String, followsLinks: Bool = true) {
        var facts = stat()
        // A name with a NUL would be truncated and refer to a different file.
        guard !path.utf8.contains(0),
            unsafe fstatat(AT_FDCWD, path, &facts, followsLinks ? 0 : AT_SYMLINK_NOFOLLOW) == 0
        else { return nil }
        self.init(facts)
    }

    /// Returns whether both values describe the same file with unchanged contents.
    func isSameFile(_ other: FileFacts) -> Bool {
        (kind, device, inode, byteCount, modified)
            == (other.kind, other.device, other.inode, other.byteCount, other.modified)
    }

    init(_ facts: stat) {
        func nanoseconds(_ time: timespec) -> Int64 {
            Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
        }
        let kind: Kind =
            switch facts.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFLNK: .link
            default: .other
            }
        self.init(
            kind: kind, device: UInt64(facts.st_dev), inode: UInt64(facts.st_ino), byteCount: Int64(facts.st_size),
            modified: nanoseconds(facts.st_mtim), changed: nanoseconds(facts.st_ctim))
    }
}

extension Folder {
    /// Returns the names in a folder in byte order, without `.` and `..`.
    ///
    /// - Throws: `noInput` if it cannot be read.
    package static func sortedNames(in path: String) throws(ScrubError) -> [String] {
        guard let names = names(in: path) else {
            throw ScrubError(.noInput, "the folder cannot be read", file: path)
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
