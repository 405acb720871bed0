internal import FileIO
internal import Storyboards

/// A set's JSON files for players and scripts: `thumbnails.json`, and `storyboard.json` where that can say it.
struct JSONIndexes {
    static let imagesName = "thumbnails.json"
    static let storyboardName = "storyboard.json"

    private let images: JSONImages
    /// Mux's form has one sheet, named absolutely, and tiles of one size.
    private let storyboard: TileStoryboard?

    /// - Throws: `usage` when the set's times cannot be said in milliseconds or the base is no URL.
    init(_ board: Storyboard, baseURL: String?) throws(ScrubError) {
        images = try JSONImages(board, baseURL: baseURL)
        do throws(ScrubError) {
            storyboard = try baseURL.map { base throws(ScrubError) in try TileStoryboard(board, baseURL: base) }
        } catch  where error.code == .usage {
            storyboard = nil
        }
    }

    /// The names of the files that there will be, the one that there always is last.
    var names: [String] { (storyboard == nil ? [] : [JSONIndexes.storyboardName]) + [JSONIndexes.imagesName] }

    /// Writes the files into the folder of the sheets, which has the manifest of the set that was there before, if any: its
    /// storyboard goes where this set has none.
    func write(into folder: String) throws(ScrubError) {
        if let storyboard {
            try AtomicFile.write(Array(storyboard.text.utf8), to: folder + "/" + JSONIndexes.storyboardName)
        } else {
            JSONIndexes.removeStoryboard(in: folder)
        }
        try AtomicFile.write(Array(images.text.utf8), to: folder + "/" + JSONIndexes.imagesName)
    }

    /// Removes a storyboard whose sheet is one of the manifest beside it. Another one is not ours.
    private static func removeStoryboard(in folder: String) {
        let path = folder + "/" + storyboardName
        guard let bytes = try? Folder.contents(of: path, limit: 256 << 20),
            let text = String(validating: bytes, as: UTF8.self), let found = try? TileStoryboard(parsing: text),
            let name = SheetURL.file(found.url), let earlier = Storyboard.earlier(at: folder + "/manifest.json"),
            earlier.sheets.contains(where: { $0.name == name })
        else { return }
        try? FolderScope(path: folder).remove(storyboardName)
    }
}
