import ScrubFileIO
import Foundation
@testable import ScrubThumbnails
import ScrubPictures
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Sheets are looked at as rarely as can be.
@Suite struct SheetReaderTests {
    /// A sheet is decoded once for its size and its tiles, for all indexes that name it.
    @Test func sheetsAreDecodedOnce() throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let scratch = TemporaryFolder.unmade()
        var options = ThumbnailStrip.Options(ThumbnailPlan.Request(.count(12)))
        options.thumbnails.widths = [96]
        (options.sheets.columns, options.sheets.rows) = (2, 2)
        let report = try clip.asset.writeStrip(into: scratch.path, options: options)
        let board = try #require(report.storyboards.first)
        let places = board.thumbnails.map { thumbnail in
            ParsedThumbnailSet.Place.sheet(
                path: board.sheets[thumbnail.sheet].name, x: thumbnail.x, y: thumbnail.y, width: thumbnail.width,
                height: thumbnail.height)
        }
        var reader = SheetReader(try ConfinedFolder(path: scratch.path))
        // Two of the three sheets have tiles that are compared.
        let asked = [places[0], places[2], places[5]]
        for index in 0..<3 {
            reader.expect(asked)
            for sheet in board.sheets {
                let size = reader.size(of: sheet.name)
                #expect(size?.width == sheet.width && size?.height == sheet.height)
            }
            for place in asked {
                let tile = reader.tile(place)
                #expect(tile?.width == board.tileWidth && tile?.height == board.tileHeight)
            }
            #expect(reader.looks.sheets == 3 && reader.looks.pixels == 2, "index \(index)")
        }
        // The same pixels as without having been asked for before.
        var plain = SheetReader(try ConfinedFolder(path: scratch.path))
        for place in asked {
            let (one, other) = (plain.tile(place), reader.tile(place))
            #expect(one != nil && one?.bytes == other?.bytes)
        }
    }

    /// A missing sheet is looked for once, and places past a sheet's edges have no pixels.
    @Test func missingSheetsAndPlaces() throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let scratch = TemporaryFolder.unmade()
        var options = ThumbnailStrip.Options(ThumbnailPlan.Request(.count(4)))
        options.thumbnails.widths = [96]
        let board = try #require(try clip.asset.writeStrip(into: scratch.path, options: options).storyboards.first)
        let sheet = board.sheets[0]
        try Data("no picture".utf8).write(to: URL(filePath: scratch.path + "/none.jpg"))
        var reader = SheetReader(try ConfinedFolder(path: scratch.path))
        for name in ["none.jpg", "missing.jpg"] {
            reader.expect([.sheet(path: name, x: 0, y: 0, width: 8, height: 8)])
            for _ in 0..<2 {
                let size = reader.size(of: name)
                let tile = reader.tile(.sheet(path: name, x: 0, y: 0, width: 8, height: 8))
                #expect(size == nil && tile == nil)
            }
        }
        #expect(reader.looks.sheets == 2)
        for (x, y, width, height) in [
            (-1, 0, 8, 8), (0, -1, 8, 8), (sheet.width - 7, 0, 8, 8), (0, sheet.height - 7, 8, 8), (0, 0, 0, 8),
            (0, 0, .max, 8), (.max, 0, 8, 8),
        ] {
            let place = ParsedThumbnailSet.Place.sheet(path: sheet.name, x: x, y: y, width: width, height: height)
            reader.expect([place])
            let (size, tile) = (reader.size(of: sheet.name), reader.tile(place))
            #expect(size != nil && tile == nil)
        }
    }
}
