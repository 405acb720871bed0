internal import Glibc
package import ScrubBase
internal import SystemPackage

/// A file of the library's own under its own name, read and written at any place. It never follows a link, and refuses
/// a file with a second name, which belongs to another program.
///
/// Its caller records elsewhere which bytes count after a run that was killed.
///
/// Thread safety: safe from any thread; writes to one place need an order of their own.
package final class OwnedFile: Sendable {
    /// The name, for messages too.
    package let path: String
    /// Bytes that were there when it was opened.
    package let earlierByteCount: Int
    let file: FileDescriptor

    /// Opens a file, or makes an empty one.
    ///
    /// - Throws: ``ScrubError/Code/inputOutput`` when it cannot be opened, or is another program's.
    package convenience init(path: String) throws(ScrubError) {
        let opened: FileDescriptor
        do {
            opened = try FileDescriptor.open(
                FilePath(systemName: path), .readWrite, options: [.create, .closeOnExec, .noFollow],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
        } catch {
            if error as? Errno == .tooManySymbolicLinkLevels { throw OwnedFile.stranger("a link", path) }
            throw OwnedFile.failure(error, path)
        }
        try self.init(opened, path: path)
    }

    /// Opens a file that exists, for reading alone.
    ///
    /// - Throws: as ``init(path:)``.
    package convenience init(reading path: String) throws(ScrubError) {
        let opened: FileDescriptor
        do {
            opened = try FileDescriptor.open(
                FilePath(systemName: path), .readOnly, options: [.closeOnExec, .noFollow, .nonBlocking])
        } catch {
            throw OwnedFile.failure(error, path)
        }
        try self.init(opened, path: path)
    }

    /// Takes a file that is open; it is closed also when it is refused.
    ///
    /// - Throws: as ``init(path:)``.
    init(_ opened: FileDescriptor, path: String) throws(ScrubError) {
        (self.path, file) = (path, opened)
        var facts = stat()
        let status = unsafe fstat(file.rawValue, &facts)
        earlierByteCount = Int(facts.st_size)
        guard status == 0 else { throw OwnedFile.failure(Errno(rawValue: errno), path) }
        guard facts.st_mode & S_IFMT == S_IFREG else { throw OwnedFile.stranger("no file", path) }
        guard facts.st_nlink <= 1 else { throw OwnedFile.stranger("a file with two names", path) }
    }

    deinit { try? file.close() }

    /// Removes the file from its folder.
    package func remove() { unlink(path) }

    /// Cuts the file, or makes it longer with zeros.
    ///
    /// - Throws: `inputOutput`.
    package func resize(to byteCount: Int64) throws(ScrubError) {
        do { try file.resize(to: byteCount) } catch { throw OwnedFile.failure(error, path) }
    }

    /// Bytes of the file.
    ///
    /// - Throws: `inputOutput` when they are not there.
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
        if let failure { throw OwnedFile.failure(failure, path) }
        guard found.count == count else { throw ScrubError(.inputOutput, "was cut while it was in use", file: path) }
        return found
    }

    /// Writes bytes at a place.
    ///
    /// - Throws: `inputOutput`, also when the disk is full.
    package func write(_ bytes: [UInt8], at offset: Int64) throws(ScrubError) {
        do {
            _ = try unsafe bytes.withUnsafeBytes { try unsafe file.writeAll(toAbsoluteOffset: offset, $0) }
        } catch {
            throw OwnedFile.failure(error, path)
        }
    }

    private static func stranger(_ what: String, _ path: String) -> ScrubError {
        ScrubError(.inputOutput, "is \(what), and would be written over", file: path, advice: "remove it")
    }

    private static func failure(_ error: any Error, _ path: String) -> ScrubError {
        ScrubError(system: error, .inputOutput, doing: "cannot be used", file: path)
    }
}
