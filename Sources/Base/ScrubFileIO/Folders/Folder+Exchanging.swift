internal import CScrubSparseFiles
internal import Glibc
package import ScrubBase
internal import SystemPackage

extension Folder {
    /// Gives a file or folder a name that must be free.
    ///
    /// - Returns: whether the name was free. If it was not, nothing changed.
    /// - Throws: `inputOutput` if it cannot be renamed.
    package static func placeNew(_ work: String, at target: String) throws(ScrubError) -> Bool {
        let number = unsafe FilePath(systemName: work).withPlatformString { work in
            unsafe FilePath(systemName: target).withPlatformString { unsafe scrub_rename_new(work, $0) }
        }
        switch number {
        case 0: return true
        case EEXIST, ENOTEMPTY: return false
        case EINVAL, ENOSYS: break
        default: throw refusal(number, target)
        }
        // On file systems without this feature, this uses a hard link, which is created only under a free name, or a
        // folder rename, which replaces only an empty folder.
        if link(work, target) == 0 {
            unlink(work)
            return true
        }
        if errno == EEXIST { return false }
        guard FileFacts(path: target, followsLinks: false) == nil else { return false }
        guard rename(work, target) != 0 else { return true }
        guard ![EEXIST, ENOTEMPTY].contains(errno) else { return false }
        throw refusal(errno, target)
    }

    /// Exchanges the names of two files or folders. On file systems that cannot do this atomically, the second name is
    /// missing for a moment.
    ///
    /// - Throws: `inputOutput`; in that case, both keep their names.
    package static func exchange(_ one: String, with other: String) throws(ScrubError) {
        let number = exchangeNames(one, other)
        switch number {
        case 0: return
        case EINVAL, ENOSYS: break
        default: throw refusal(number, other)
        }
        let aside = one + ".earlier"
        removeTree(aside)
        guard rename(other, aside) == 0 else { throw refusal(errno, other) }
        guard rename(one, other) == 0 else {
            let number = errno
            _ = rename(aside, other)
            throw refusal(number, other)
        }
        _ = rename(aside, one)
    }

    /// Returns whether the user may create and remove names in a folder, according to its mode and its file system.
    package static func isWritable(_ path: String) -> Bool { unsafe access(path, W_OK | X_OK) == 0 }

    private static func refusal(_ number: Int32, _ target: String) -> ScrubError {
        ScrubError(
            system: Errno(rawValue: number), .inputOutput, doing: "the result cannot be moved to this path",
            file: target)
    }
}
