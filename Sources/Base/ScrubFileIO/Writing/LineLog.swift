internal import Glibc
package import ScrubBase
internal import SystemPackage

/// A file to which lines are appended, each in one write, so that several processes on one machine may share it. A line
/// truncated by a full disk is terminated before the next one. If the reader of a pipe has closed its end, the result
/// is an error and no signal.
///
/// Thread safety: safe from any thread.
package final class LineLog: Sendable {
    private let path: String
    private let file: FileDescriptor
    /// Whether the last line may be unterminated.
    private let isTorn: Locked<Bool>

    /// Opens or creates an output. Lines are appended only to a file that is a log.
    ///
    /// - Throws: the errors of ``OutputFile`` if it is now a different file; `inputOutput` if it cannot be written.
    package convenience init(_ output: OutputFile) throws(ScrubError) {
        try self.init(path: output.path)
        guard let facts = facts, facts.kind == .file else { return }
        try OutputFile.checkIsNotRead(path, facts)
        guard facts.byteCount == 0 || (try? FileSource(path: descriptorPath)).map(output.kind.begins) == true else {
            throw output.isNotALog
        }
    }

    /// Opens or creates one of the library's own files.
    ///
    /// - Throws: `inputOutput` if it cannot be written.
    package convenience init(_ path: InternalPath) throws(ScrubError) { try self.init(path: path.path) }

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

    /// Appends a line.
    ///
    /// - Throws: `inputOutput` if it cannot be written completely; the next line can still be appended.
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
            throw ScrubError(system: failure, .inputOutput, doing: "a log line cannot be written", file: path)
        }
    }
}
