internal import FileIO
internal import ScrubBase
internal import Storyboards

extension Storyboard {
    /// Writes the set's manifest, then removes files that only an earlier set under the same manifest had: players that read
    /// a folder rather than an index, such as Jellyfin, would show them.
    ///
    /// Only what the earlier manifest names is removed, nothing behind a link, and nothing when there is none that can be read.
    ///
    /// - Parameters:
    ///   - path: the manifest's.
    ///   - files: what a set's files are called from the manifest's folder; the sheets, unless something else is said.
    func writeManifest(
        to path: String, files: (Storyboard) -> [String] = { $0.sheets.map(\.name) }
    ) throws(ScrubError) {
        let earlier = Storyboard.earlier(at: path).map(files) ?? []
        try AtomicFile.write(Array((try StoryboardJSON.manifest(self) + "\n").utf8), to: path)
        let folder = try FolderScope(path: path.pathOfFolder ?? ".")
        let kept = Set(files(self))
        for name in earlier where !kept.contains(name) { folder.remove(name) }
    }

    /// The set of a manifest that is there; `nil` when none can be read.
    static func earlier(at path: String) -> Storyboard? {
        guard let bytes = try? Folder.contents(of: path, limit: 256 << 20),
            let text = String(validating: bytes, as: UTF8.self)
        else { return nil }
        return try? StoryboardJSON.storyboard(parsing: text)
    }
}
