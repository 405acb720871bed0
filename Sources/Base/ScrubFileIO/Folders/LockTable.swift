internal import CScrubSparseFiles
internal import Glibc
package import ScrubBase
internal import SystemPackage

/// Locks shared by many processes, implemented as locks on bytes of an empty file: lock N is the byte at offset N.
///
/// No cleanup is needed, because a lock ends with its owner, however the owner ends (fcntl(2), F_OFD_SETLK). On NFS,
/// the locks also work between machines. On a file system without locks, every request succeeds.
///
/// Thread safety: safe from any thread. Locks taken through the same object do not exclude each other.
package final class LockTable: Sendable {
    private let file: FileDescriptor
    /// Whether locks work on this file system.
    private let isKept: Locked<Bool>

    /// Opens or creates the file.
    ///
    /// - Throws: `inputOutput` if the file can be neither opened nor created.
    package init(path: String) throws(ScrubError) {
        do {
            file = try FileDescriptor.open(
                FilePath(systemName: path), .readWrite, options: [.create, .closeOnExec, .noFollow],
                permissions: [.ownerReadWrite, .groupReadWrite, .otherRead])
        } catch {
            throw ScrubError(system: error, .inputOutput, doing: "the lock file cannot be created", file: path)
        }
        isKept = Locked(true)
    }

    deinit { try? file.close() }

    /// Whether the file system supports such locks, as far as is known.
    package var keepsOthersOut: Bool { isKept.withLock { $0 } }

    /// Takes a lock if it is free, without waiting.
    ///
    /// - Parameter number: the lock's number, 0 or more.
    package func take(_ number: Int64) -> Bool {
        let status = scrub_lock_bytes(file.rawValue, Int32(SCRUB_LOCK_EXCLUSIVE), number, 1)
        if status == EAGAIN { return false }
        if status != 0 { isKept.withLock { $0 = false } }
        return true
    }

    /// Releases a lock.
    package func release(_ number: Int64) { _ = scrub_lock_bytes(file.rawValue, Int32(SCRUB_UNLOCK), number, 1) }
}
