internal import ScrubFileIO
internal import ScrubBase
internal import ScrubStoryboards
internal import ScrubStripElement

extension Storyboard {
    /// Writes the set's manifest, and records the files that only an earlier set under the same manifest had. Players
    /// that read a folder rather than an index, such as Jellyfin, would show them, and indexes would assign other times
    /// to the new sheets.
    ///
    /// Only files that the earlier manifest names are removed, but not those behind a link. Without a readable
    /// manifest, no files are removed. The indexes of an identical set stay, because it may have been written in other
    /// formats too.
    ///
    /// - Parameters:
    ///   - name: the manifest's name.
    ///   - place: the folder in which the set is written, and its final one.
    ///   - lacking: other files that the writer of this set supports but did not write this time.
    ///   - files: returns the names of a set's files relative to the manifest's folder; by default, the sheets.
    func writeManifest(
        _ name: String, in place: (work: String, final: String), of output: OutputFolder, lacking: [String] = [],
        files: (Storyboard) -> [String] = { $0.sheets.map(\.name) }
    ) throws(ScrubError) {
        var board = self
        if let earlier = Storyboard.earlier(at: place.final + "/" + name) {
            output.recognize([name] + files(earlier) + earlier.otherFiles, in: place.final)
            // A manifest may come from anywhere, so only names in Scrub's own scheme may be removed.
            let others = earlier.otherFiles.filter { Storyboard.otherFileNames.contains($0) }
            if earlier.hasSamePictures(as: self) {
                board.otherFiles += others.filter { !otherFiles.contains($0) && !lacking.contains($0) }
                output.replace(lacking.filter { others.contains($0) && !otherFiles.contains($0) }, in: place.final)
            } else {
                let kept = Set(files(self) + otherFiles)
                output.replace((files(earlier) + others).filter { !kept.contains($0) }, in: place.final)
            }
        }
        let text = try Storyboard.JSON.manifest(board) + "\n"
        try AtomicFile.write(Array(text.utf8), to: .staged(place.work + "/" + name))
    }

    private func hasSamePictures(as other: Storyboard) -> Bool {
        var (own, other) = (self, other)
        (own.otherFiles, other.otherFiles) = ([], [])
        (own.sourceIdentifier, other.sourceIdentifier) = (nil, nil)
        return own == other
    }

    /// Returns the set of an existing manifest; `nil` if there is no readable one.
    static func earlier(at path: String) -> Storyboard? {
        guard let bytes = try? Folder.contents(of: path, limit: 256 << 20),
            let text = String(validating: bytes, as: UTF8.self)
        else { return nil }
        return try? Storyboard.JSON.storyboard(parsing: text)
    }

    /// The names of a set's files other than sheets.
    private static let otherFileNames: Set<String> = [
        "thumbnails.vtt", JSONIndexes.imagesName, JSONIndexes.storyboardName, "index.html", "players.html",
        StripElement.fileName, "preview.webp", "images.m3u8", "iframes.m3u8", "master.m3u8", "keyframes.mp4",
        ThumbnailTrack.playlistName, ThumbnailTrack.movieName, "manifest.mpd",
    ]
}

extension OutputFolder {
    /// Checks, before any work, that a set's files may have their names. Files named by the manifest of an earlier set
    /// may be replaced.
    ///
    /// - Parameters:
    ///   - names: the names in the set, except for the manifest.
    ///   - folder: the manifest's final folder.
    ///   - files: returns the names of a set's files relative to the manifest's folder; by default, the sheets.
    /// - Throws: `usage` if a name belongs to a file that must not be replaced.
    func check(
        _ names: [String], manifest: String, in folder: String,
        files: (Storyboard) -> [String] = { $0.sheets.map(\.name) }
    ) throws(ScrubError) {
        if let earlier = Storyboard.earlier(at: folder + "/" + manifest) {
            recognize([manifest] + files(earlier) + earlier.otherFiles, in: folder)
        }
        try check(names + [manifest], in: folder)
    }
}
