internal import Glibc
package import ScrubBase
internal import SystemPackage

/// A file that gets lines at its end, each in one write, so that several processes of one machine may share it. A line
/// that a full disk cut off is ended before the next. A reader that closed its end of a pipe is an error and no signal.
///
/// Thread safety: safe from any thread.
package final class LineLog: Sendable {
    private let path: String
    private let file: FileDescriptor
    /// Whether the last line may have no end.
    private let isTorn: Locked<Bool>

    /// Opens an output, or creates it. Lines are appended only to a file that is a log.
    ///
    /// - Throws: as ``OutputFile`` if it is a different file now; `inputOutput` if it can't be written.
    package convenience init(_ output: OutputFile) throws(ScrubError) {
        try self.init(path: output.path)
        guard let facts = facts, facts.kind == .file else { return }
        try OutputFile.checkIsNotRead(path, facts)
        guard facts.byteCount == 0 || (try? FileSource(path: descriptorPath)).map(output.kind.begins) == true else {
            throw output.isNotALog
        }
    }

    /// Opens one of the library's own files, or creates it.
    ///
    /// - Throws: `inputOutput` when it can't be written.
    package convenience init(_ path: OwnPath) throws(ScrubError) { try self.init(path: path.path) }

    private init(path: String) throws(ScrubError) {
        self.path = path
        do {
            file = try FileDescriptor.open(
                FilePath(systemName: path), .writeOnly, options: [.append, .create, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
        } catch {
            throw ScrubError(system: error, .inputOutput, doing: "the log cannot be written", file: path)
        }
        isTorn = Locked(LineLog.hasOpenLine(path))
    }

    private var descriptorPath: String { "/proc/self/fd/\(file.rawValue)" }

    private var facts: FileFacts? { FileFacts(path: descriptorPath) }

    private static func hasOpenLine(_ path: String) -> Bool {
        guard Folder.byteCount(of: path) ?? 0 > 0, let file = try? FileSource(path: path) else { return false }
        return (try? file.read(at: file.byteCount - 1, count: 1)) != [UInt8(ascii: "\n")]
    }

    deinit { try? file.close() }

    /// Adds a line.
    ///
    /// - Throws: `inputOutput` when it can't be written, or not all of it; the next line is tried all the same.
    package func append(_ line: String) throws(ScrubError) {
        let failure = isTorn.withLock { isTorn -> Errno? in
            let text = (isTorn ? "\n" : "") + line + "\n"
            let failure = BrokenPipe.unsignalled {
                do { try file.writeAll(text.utf8) } catch { return error as? Errno ?? .ioError }
                return nil
            }
            isTorn = failure != nil
            return failure
        }
        if let failure {
            throw ScrubError(system: failure, .inputOutput, doing: "a line of the log cannot be written", file: path)
        }
    }
}
