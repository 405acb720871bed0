internal import Glibc
package import ScrubBase
internal import SystemPackage

/// A file that gets lines at its end, each in one write, so that several processes of one machine may share it.
///
/// Thread safety: safe from any thread.
package final class LineLog: Sendable {
    private let file: FileDescriptor

    /// Opens a file, or makes it.
    ///
    /// - Throws: `inputOutput` when it can't be written.
    package init(path: String) throws(ScrubError) {
        do {
            file = try FileDescriptor.open(
                FilePath(systemName: path), .writeOnly, options: [.append, .create, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
        } catch {
            throw ScrubError(system: error, .inputOutput, doing: "the log cannot be written", file: path)
        }
    }

    deinit { try? file.close() }

    /// Adds a line. One that cannot be written is no reason to end what is told of.
    package func append(_ line: String) { _ = try? file.writeAll((line + "\n").utf8) }
}
