import FileIO
import Foundation

/// A file in a directory of its own, removed with its last reference.
final class TemporaryFile {
    let directory: String
    var path: String { directory + "/file" }

    init(_ bytes: [UInt8]) throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("scrub-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        directory = url.path
        try replace(bytes, modified: 1_000_000_000)
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    /// Gives the file another content and modification time.
    func replace(_ bytes: [UInt8], modified: Double) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: modified)], ofItemAtPath: path)
    }

    func open() throws -> FileSource { try FileSource(path: path) }
}
