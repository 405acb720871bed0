import Foundation

/// The places of the repository's files.
package enum Repository {
    /// The folder with `Package.swift`.
    package static let root: String = {
        var folder = URL(filePath: #filePath).deletingLastPathComponent()
        while folder.path != "/" {
            if FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path) { break }
            folder = folder.deletingLastPathComponent()
        }
        return folder.path
    }()

    /// The clips, by the names in `testdata/manifest.json`.
    package static let clips = root + "/testdata/clips"
}
