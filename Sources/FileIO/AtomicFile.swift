internal import Glibc
package import ScrubBase
internal import SystemPackage

/// A file that appears under its name whole or not at all.
///
/// The bytes go to a temporary neighbour first, which is renamed over the target once everything is written; on
/// any failure the neighbour is removed. A reader therefore never sees half a picture or half an index.
package enum AtomicFile {
    /// Writes `bytes` to `path`.
    ///
    /// - Parameters:
    ///   - isPrivate: whether nobody but the owner may read it.
    ///   - makesFolders: whether the folders above it are made if need be.
    /// - Throws: ``ScrubError/Code/inputOutput`` with the failing step; ``ScrubError/Code/unavailable`` when the
    ///   disk is full.
    package static func write(_ bytes: [UInt8], to path: String, isPrivate: Bool = false, makesFolders: Bool = false)
        throws(ScrubError)
    {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw ScrubError(.inputOutput, "is not the name of a file", file: path)
        }
        if makesFolders, let above = Folder.folder(of: path) { try Folder.make(above) }
        let temporary = "\(path).\(getpid())-\(UInt32.random(in: .min ... .max)).tmp"
        do {
            let descriptor = try FileDescriptor.open(
                FilePath(temporary), .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
                permissions: isPrivate ? .ownerReadWrite : [.ownerReadWrite, .groupRead, .otherRead])
            do {
                try descriptor.closeAfter { _ = try bytes.withUnsafeBytes { try descriptor.writeAll($0) } }
                guard rename(temporary, path) == 0 else { throw Errno(rawValue: errno) }
            } catch {
                unlink(temporary)
                throw error
            }
        } catch {
            let reason = error as? Errno
            let code: ScrubError.Code = reason == .noSpace ? .unavailable : .inputOutput
            throw ScrubError(code, "cannot be written: \(reason?.description ?? "\(error)")", file: path)
        }
    }

    /// Writes a copy of a file, a megabyte at a time.
    ///
    /// - Throws: as ``write(_:to:isPrivate:)``; ``ScrubError/Code/noInput`` when there is no `source`.
    package static func copy(_ source: String, to path: String) throws(ScrubError) {
        let file = try FileSource(path: source)
        try copy(file, 0..<file.byteCount, to: path)
    }

    /// Writes some bytes of an open file, a megabyte at a time.
    ///
    /// - Throws: as ``write(_:to:isPrivate:)``; ``ScrubError/Code/badData`` when the bytes are not inside the file.
    package static func copy(_ file: FileSource, _ range: Range<Int64>, to path: String) throws(ScrubError) {
        var writer = try AtomicFileWriter(path: path)
        try writer.append(file, range)
        try writer.commit()
    }
}
