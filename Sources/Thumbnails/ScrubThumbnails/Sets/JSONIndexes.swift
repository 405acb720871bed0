internal import ScrubFileIO
internal import ScrubStoryboards

/// A set's JSON files for players and scripts: `thumbnails.json`, and `storyboard.json` where that can say it.
struct JSONIndexes {
    static let imagesName = "thumbnails.json"
    static let storyboardName = "storyboard.json"
    /// The names of all files that there may be.
    static let allNames = [imagesName, storyboardName]

    private let images: Storyboard.JSONImages
    /// Mux's form has one sheet, named absolutely, and tiles of one size.
    private let storyboard: Storyboard.Tiles?

    /// - Throws: `usage` when the set's times cannot be said in milliseconds or the base is not a URL.
    init(_ board: Storyboard, baseURL: String?) throws(ScrubError) {
        images = try Storyboard.JSONImages(board, baseURL: baseURL)
        do throws(ScrubError) {
            storyboard = try baseURL.map { base throws(ScrubError) in try Storyboard.Tiles(board, baseURL: base) }
        } catch  where error.code == .usage {
            storyboard = nil
        }
    }

    /// The names of the files that there will be, the one that there always is last.
    var names: [String] { (storyboard == nil ? [] : [JSONIndexes.storyboardName]) + [JSONIndexes.imagesName] }

    /// Writes the files into the folder of the sheets.
    func write(into folder: String) throws(ScrubError) {
        if let storyboard {
            try AtomicFile.write(Array(storyboard.text.utf8), to: .staged(folder + "/" + JSONIndexes.storyboardName))
        }
        try AtomicFile.write(Array(images.text.utf8), to: .staged(folder + "/" + JSONIndexes.imagesName))
    }
}
