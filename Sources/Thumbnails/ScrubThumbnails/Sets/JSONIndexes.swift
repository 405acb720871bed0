internal import ScrubFileIO
internal import ScrubStoryboards

/// A set's JSON files for players and scripts: `thumbnails.json`, and `storyboard.json` if it can represent the set.
struct JSONIndexes {
    static let imagesName = "thumbnails.json"
    static let storyboardName = "storyboard.json"
    /// The names of all possible files.
    static let allNames = [imagesName, storyboardName]

    private let images: Storyboard.JSONImages
    /// Mux's format, which requires a single sheet with an absolute URL, and tiles of one size.
    private let storyboard: Storyboard.Tiles?

    /// Creates the indexes.
    ///
    /// - Throws: `usage` if the set's times cannot be represented in milliseconds or the base is not a URL.
    init(_ board: Storyboard, baseURL: String?) throws(ScrubError) {
        images = try Storyboard.JSONImages(board, baseURL: baseURL)
        do throws(ScrubError) {
            storyboard = try baseURL.map { base throws(ScrubError) in try Storyboard.Tiles(board, baseURL: base) }
        } catch  where error.code == .usage {
            storyboard = nil
        }
    }

    /// The names of the files to write. The one that is always written is last.
    var names: [String] { (storyboard == nil ? [] : [JSONIndexes.storyboardName]) + [JSONIndexes.imagesName] }

    /// Writes the files into the folder of the sheets.
    func write(into folder: String) throws(ScrubError) {
        if let storyboard {
            try AtomicFile.write(Array(storyboard.text.utf8), to: .staged(folder + "/" + JSONIndexes.storyboardName))
        }
        try AtomicFile.write(Array(images.text.utf8), to: .staged(folder + "/" + JSONIndexes.imagesName))
    }
}
