internal import Glibc
package import ScrubBase
internal import SystemPackage

/// A file that gets lines at its end, each in one write, so that several processes of one machine may share it.
///
/// Thread safety: safe from any thread.
package final class LineLog: Sendable {
    private let path: String
    private let file: FileDescriptor

    /// Opens a file, or makes it.
    ///
    /// - Throws: `inputOutput` when it can't be written.
    package init(path: String) throws(ScrubError) {
        self.path = path
        do {
            file = try FileDescriptor.open(
                FilePath(systemName: path), .writeOnly, options: [.append, .create, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
        } catch {
            throw ScrubError(system: error, .inputOutput, doing: "the log cannot be written", file: path)
        }
    }

    deinit { try? file.close() }

    /// Adds a line.
    ///
    /// - Throws: `inputOutput` when it can't be written, or not all of it; the next line is tried all the same.
    package func append(_ line: String) throws(ScrubError) {
        do { try file.writeAll((line + "\n").utf8) } catch {
            throw ScrubError(system: error, .inputOutput, doing: "a line of the log cannot be written", file: path)
        }
    }
}
