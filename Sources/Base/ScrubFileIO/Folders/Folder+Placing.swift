internal import CScrubSparseFiles
internal import Glibc
package import ScrubBase
internal import SystemPackage

extension Folder {
    /// Renames a complete folder to the name of an existing one or to a free name. Readers see either the old folder or
    /// the new one.
    ///
    /// If the file system cannot exchange names (EINVAL: NFS and others), the earlier folder is first renamed. For a
    /// moment, no folder has the name. If the run is killed at that moment, the earlier folder keeps its temporary
    /// name.
    ///
    /// - Parameters:
    ///   - work: the folder, on the same file system.
    ///   - target: the new name. An existing file of that name is removed.
    /// - Throws: `inputOutput`; in that case, the folder stays where it was.
    package static func place(_ work: String, at target: String) throws(ScrubError) {
        func failure(_ number: Int32) -> ScrubError {
            ScrubError(
                system: Errno(rawValue: number), .inputOutput, doing: "the result cannot be moved to this path",
                file: target)
        }
        // rename(2) also replaces an empty folder.
        guard rename(work, target) != 0 else { return }
        guard [ENOTEMPTY, EEXIST].contains(errno) else { throw failure(errno) }
        switch exchangeNames(work, target) {
        case 0: removeTree(work)
        case EINVAL, ENOSYS:
            let aside = work + ".earlier"
            removeTree(aside)
            guard rename(target, aside) == 0 else { throw failure(errno) }
            guard rename(work, target) == 0 else {
                let number = errno
                _ = rename(aside, target)
                throw failure(number)
            }
            removeTree(aside)
        case let number: throw failure(number)
        }
    }

    static func exchangeNames(_ one: String, _ other: String) -> Int32 {
        unsafe FilePath(systemName: one).withPlatformString { one in
            unsafe FilePath(systemName: other).withPlatformString { unsafe scrub_exchange_names(one, $0) }
        }
    }

    /// Waits until everything that was written to a folder's file system is on its disk.
    ///
    /// - Throws: `inputOutput` if some of the data could not be written.
    package static func synchronizeFileSystem(of path: String) throws(ScrubError) {
        let opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else {
            throw ScrubError(
                system: Errno(rawValue: errno), .inputOutput, doing: "the folder cannot be opened", file: path)
        }
        defer { close(opened) }
        let status = scrub_sync_file_system(opened)
        guard status == 0 else {
            throw ScrubError(
                system: Errno(rawValue: status), .inputOutput, doing: "the written data cannot be flushed to disk",
                file: path)
        }
    }

    /// Returns whether a folder is on another machine's file system, where SQLite's locks are unreliable.
    package static func isRemote(_ path: String) -> Bool {
        let opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { return false }
        defer { close(opened) }
        return scrub_is_remote(opened) == 1
    }
}
