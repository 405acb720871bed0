internal import CScrubSparseFiles
internal import Glibc
package import ScrubBase
internal import SystemPackage

/// Locks that many processes share, as bytes of one file that has none: number N is the byte at N.
///
/// Nothing has to be cleaned up: a lock ends with its owner, however that ends (fcntl(2), F_OFD_SETLK). On NFS they
/// hold between machines too; where a file system has none, everybody gets every lock.
///
/// Thread safety: safe from any thread. One object's locks do not keep each other out.
package final class LockTable: Sendable {
    private let file: FileDescriptor
    /// Whether locks work on this file system.
    private let isKept: Locked<Bool>

    /// - Throws: `inputOutput` when the file can neither be opened nor made.
    package init(path: String) throws(ScrubError) {
        do {
            file = try FileDescriptor.open(
                FilePath(systemName: path), .readWrite, options: [.create, .closeOnExec, .noFollow],
                permissions: [.ownerReadWrite, .groupReadWrite, .otherRead])
        } catch {
            throw ScrubError(system: error, .inputOutput, doing: "the file of locks cannot be made", file: path)
        }
        isKept = Locked(true)
    }

    deinit { try? file.close() }

    /// Whether the file system has such locks, as far as is known.
    package var keepsOthersOut: Bool { isKept.withLock { $0 } }

    /// Takes a lock if it is free; never waits.
    ///
    /// - Parameter number: 0 or more.
    package func take(_ number: Int64) -> Bool {
        let status = scrub_lock_bytes(file.rawValue, Int32(SCRUB_LOCK_EXCLUSIVE), number, 1)
        if status == EAGAIN { return false }
        if status != 0 { isKept.withLock { $0 = false } }
        return true
    }

    /// Releases a lock.
    package func release(_ number: Int64) { _ = scrub_lock_bytes(file.rawValue, Int32(SCRUB_UNLOCK), number, 1) }
}
