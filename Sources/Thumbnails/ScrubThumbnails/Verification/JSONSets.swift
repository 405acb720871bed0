internal import ScrubStoryboards

/// A reader of a set's JSON files for players and scripts.
enum JSONSets {
    /// Returns the set of a JSON file; `nil` if its name is not one of these.
    ///
    /// - Parameters:
    ///   - text: the file's text.
    ///   - sheet: returns the location of the picture at a URL.
    /// - Throws: `badData` if it is a known format and cannot be read, its slots leave gaps, or an image is not part of
    ///   a sheet.
    static func set(
        _ file: String, text: () throws(ScrubError) -> String, sheet: (String) throws(ScrubError) -> String
    ) throws(ScrubError) -> ParsedThumbnailSet? {
        switch file.lastPathComponent {
        case JSONIndexes.imagesName: try images(file, try Storyboard.JSONImages(parsing: try text()), sheet)
        case JSONIndexes.storyboardName: try tiles(file, try Storyboard.Tiles(parsing: try text()), sheet)
        default: nil
        }
    }

    private static func images(
        _ file: String, _ array: Storyboard.JSONImages, _ sheet: (String) throws(ScrubError) -> String
    ) throws(ScrubError) -> ParsedThumbnailSet {
        let images = array.images
        var set = ParsedThumbnailSet(file: file, format: "json-images")
        set.filmEnd = array.filmEnd
        var last = Rational.zero
        for (number, image) in images.enumerated() {
            guard image.start == last else {
                throw ScrubError(
                    .badData,
                    "image \(number) begins at \(image.start.secondsText) s, but the previous one ends at \(last.secondsText) s"
                )
            }
            guard let region = image.region else {
                throw ScrubError(.badData, "image \(number) does not state its position on the sheet")
            }
            // If the last one has no end, none is reported.
            last = image.end ?? (number + 1 < images.count ? images[number + 1].start : image.start)
            set.tiles.append(
                .init(
                    place: .sheet(
                        path: try sheet(image.url), x: region.x, y: region.y, width: region.width,
                        height: region.height), start: image.start, end: last))
        }
        return set
    }

    private static func tiles(
        _ file: String, _ board: Storyboard.Tiles, _ sheet: (String) throws(ScrubError) -> String
    ) throws(ScrubError) -> ParsedThumbnailSet {
        var set = ParsedThumbnailSet(file: file, format: "json-storyboard")
        let path = try sheet(board.url)
        let ends = board.tiles.dropFirst().map(\.start) + [board.duration]
        for (number, (tile, end)) in zip(board.tiles, ends).enumerated() {
            // Players show no thumbnail before the first tile.
            guard number > 0 || tile.start == .zero, tile.start < end else {
                throw ScrubError(
                    .badData,
                    "tile \(number) is shown from \(tile.start.secondsText) s to \(end.secondsText) s; the first must begin at 0 s, and each must end later than it begins"
                )
            }
            set.tiles.append(
                .init(
                    place: .sheet(path: path, x: tile.x, y: tile.y, width: board.tileWidth, height: board.tileHeight),
                    start: tile.start, end: end))
        }
        return set
    }
}
