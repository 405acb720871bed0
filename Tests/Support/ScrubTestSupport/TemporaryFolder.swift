package import Foundation

/// A folder of its own for one test, removed with its last reference. All temporary files of tests are in one.
package final class TemporaryFolder: Sendable {
    package let path: String

    private init(path: String) { self.path = path }

    /// Makes a folder.
    package convenience init() throws {
        self.init(path: TemporaryFolder.freePath)
        // Whatever this user's umask is: a cache that others may write into is not used.
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    }

    /// Returns a folder that is not there yet, for code that makes its own.
    package static func unmade() -> TemporaryFolder { TemporaryFolder(path: freePath) }

    private static var freePath: String {
        FileManager.default.temporaryDirectory.appending(path: "scrub-test-\(UUID().uuidString)").path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a name in the folder.
    package func path(of name: String) -> String { path + "/" + name }

    /// The names in the folder, sorted; none when it is not there.
    package var contents: [String] { TemporaryFolder.names(path) }

    /// The names in any folder, sorted; none when it is not there.
    package static func names(_ path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    /// The paths of files and folders in the folder and below, sorted; none when it is not there.
    package var files: [String] { ((try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []).sorted() }

    /// Makes a file and gives its path.
    @discardableResult
    package func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
        try Data(bytes).write(to: URL(filePath: path(of: name)))
        return path(of: name)
    }

    /// A file's bytes.
    package func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: path(of: name))) }

    /// A file's text.
    package func text(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }

    /// Sets a file's modification time, in seconds since 1970.
    package func age(_ name: String, to seconds: Double) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: seconds)], ofItemAtPath: path(of: name))
    }
}
