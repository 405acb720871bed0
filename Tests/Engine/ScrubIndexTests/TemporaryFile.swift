import ScrubFileIO
import ScrubTestSupport

/// A file in a folder of its own, removed with its last reference.
final class TemporaryFile {
    private let folder: TemporaryFolder
    var directory: String { folder.path }
    var path: String { folder.path(of: "file") }

    init(_ bytes: [UInt8]) throws {
        folder = try TemporaryFolder()
        try replace(bytes, modified: 1_000_000_000)
    }

    /// Gives the file another content and modification time.
    func replace(_ bytes: [UInt8], modified: Double) throws {
        try folder.write(bytes, to: "file")
        try folder.age("file", to: modified)
    }

    func open() throws -> MediaSource { try MediaSource(path: path) }
}
