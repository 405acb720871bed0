internal import Glibc
package import ScrubBase
internal import SystemPackage

/// One of the library's own files, under its own name, readable and writable at any offset. It never follows a link,
/// and rejects a file with a second hard link, which belongs to another program.
///
/// The caller records elsewhere which bytes are valid after a run is killed.
///
/// Thread safety: safe from any thread; writes to the same offset must be ordered by the caller.
package final class PrivateFile: Sendable {
    /// The path, also used in messages.
    package let path: String
    /// The size in bytes when it was opened.
    package let earlierByteCount: Int
    let file: FileDescriptor

    /// Opens a file, or creates an empty one.
    ///
    /// - Throws: ``ScrubError/Code/inputOutput`` if it cannot be opened, or belongs to another program.
    package convenience init(path: String) throws(ScrubError) {
        let opened: FileDescriptor
        do {
            opened = try FileDescriptor.open(
                FilePath(systemName: path), .readWrite, options: [.create, .closeOnExec, .noFollow],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
        } catch {
            if error as? Errno == .tooManySymbolicLinkLevels { throw PrivateFile.stranger("a link", path) }
            throw PrivateFile.failure(error, path)
        }
        try self.init(opened, path: path)
    }

    /// Opens an existing file for reading only.
    ///
    /// - Throws: the errors of ``init(path:)``.
    package convenience init(reading path: String) throws(ScrubError) {
        let opened: FileDescriptor
        do {
            opened = try FileDescriptor.open(
                FilePath(systemName: path), .readOnly, options: [.closeOnExec, .noFollow, .nonBlocking])
        } catch {
            throw PrivateFile.failure(error, path)
        }
        try self.init(opened, path: path)
    }

    /// Takes ownership of an open file. It is closed even if this initializer throws.
    ///
    /// - Throws: the errors of ``init(path:)``.
    init(_ opened: FileDescriptor, path: String) throws(ScrubError) {
        (self.path, file) = (path, opened)
        var facts = stat()
        let status = unsafe fstat(file.rawValue, &facts)
        earlierByteCount = Int(facts.st_size)
        guard status == 0 else { throw PrivateFile.failure(Errno(rawValue: errno), path) }
        guard facts.st_mode & S_IFMT == S_IFREG else { throw PrivateFile.stranger("not a file", path) }
        guard facts.st_nlink <= 1 else { throw PrivateFile.stranger("a file with more than one hard link", path) }
    }

    deinit { try? file.close() }

    /// Removes the file from its folder.
    package func remove() { unlink(path) }

    /// Truncates the file, or extends it with zeros.
    ///
    /// - Throws: `inputOutput`.
    package func resize(to byteCount: Int64) throws(ScrubError) {
        do { try file.resize(to: byteCount) } catch { throw PrivateFile.failure(error, path) }
    }

    /// Returns bytes of the file.
    ///
    /// - Throws: `inputOutput` if they do not exist.
    package func bytes(at offset: Int64, count: Int) throws(ScrubError) -> [UInt8] {
        guard count > 0 else { return [] }
        var failure: (any Error)?
        let found = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do {
                while filled < count {
                    let rest = unsafe UnsafeMutableRawBufferPointer(
                        rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
                    let got = try unsafe file.read(fromAbsoluteOffset: offset + Int64(filled), into: rest)
                    if got == 0 { return }
                    filled += got
                }
            } catch { failure = error }
        }
        if let failure { throw PrivateFile.failure(failure, path) }
        guard found.count == count else { throw ScrubError(.inputOutput, "was truncated while in use", file: path) }
        return found
    }

    /// Writes bytes at an offset.
    ///
    /// - Throws: `inputOutput`, including when the disk is full.
    package func write(_ bytes: [UInt8], at offset: Int64) throws(ScrubError) {
        do {
            _ = try unsafe bytes.withUnsafeBytes { try unsafe file.writeAll(toAbsoluteOffset: offset, $0) }
        } catch {
            throw PrivateFile.failure(error, path)
        }
    }

    private static func stranger(_ what: String, _ path: String) -> ScrubError {
        ScrubError(.inputOutput, "is \(what), and would be overwritten", file: path, advice: "remove it")
    }

    private static func failure(_ error: any Error, _ path: String) -> ScrubError {
        ScrubError(system: error, .inputOutput, doing: "cannot be used", file: path)
    }
}
