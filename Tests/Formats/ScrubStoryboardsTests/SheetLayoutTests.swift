import ScrubBase
import ScrubStoryboards
import Testing

@Suite struct SheetLayoutTests {
    @Test func tilesRunAlongRowsThenSheets() throws {
        let layout = try Storyboard.SheetLayout(
            count: 32, columns: 5, rows: 3, tileWidth: 160, tileHeight: 90, format: .jpeg)
        #expect(layout.sheetCount == 3)
        let rows: [(tile: Int, sheet: Int, x: Int, y: Int)] = [
            (0, 0, 0, 0), (4, 0, 640, 0), (5, 0, 0, 90), (14, 0, 640, 180), (15, 1, 0, 0), (29, 1, 640, 180),
            (30, 2, 0, 0), (31, 2, 160, 0),
        ]
        for row in rows {
            let place = layout.place(of: row.tile)
            #expect((place.sheet, place.x, place.y) == (row.sheet, row.x, row.y))
        }
        #expect(layout.size(ofSheet: 1) == (800, 270))
        #expect(layout.size(ofSheet: 2) == (800, 90))
        #expect(layout.tileCount(onSheet: 2) == 2)
    }

    @Test func aFullLastSheetIsAsLargeAsTheOthers() throws {
        let layout = try Storyboard.SheetLayout(
            count: 1, columns: 10, rows: 10, tileWidth: 320, tileHeight: 180, format: .jpeg, lastSheet: .full)
        #expect(layout.size(ofSheet: 0) == (3200, 1800))
        #expect(layout.sheetCount == 1)
    }

    @Test(arguments: [
        (ImageFormat.jpeg, 65_500), (.webp, 16_383), (.avif, 16_384), (.png, 0x7FFF_FFFF),
    ])
    func theFormatsLimitIsTheLastSizeThatFits(format: ImageFormat, limit: Int) throws {
        for (columns, rows) in [(limit, 1), (1, limit)] {
            _ = try Storyboard.SheetLayout(
                count: .max, columns: columns, rows: rows, tileWidth: 1, tileHeight: 1, format: format)
            let error = #expect(throws: ScrubError.self) {
                try Storyboard.SheetLayout(
                    count: .max, columns: columns + columns / limit, rows: rows + rows / limit, tileWidth: 1,
                    tileHeight: 1, format: format)
            }
            #expect(error?.code == .usage)
            #expect(error?.advice?.contains("at most \(limit)") == true)
        }
    }

    @Test func aProfilesLimitCountsWhenItIsSmaller() throws {
        let error = #expect(throws: ScrubError.self) {
            try Storyboard.SheetLayout(
                count: 100, columns: 4, rows: 3, tileWidth: 312, tileHeight: 176, format: .jpeg, largestSide: 1080)
        }
        #expect(error?.advice == "at most 3 columns fit")
    }

    /// Rows that a trimmed sheet does not have cannot be too high.
    @Test func emptyRowsOfATrimmedSheetDoNotCount() throws {
        let layout = try Storyboard.SheetLayout(
            count: 3, columns: 2, rows: .max, tileWidth: 100, tileHeight: 100, format: .webp)
        #expect(layout.size(ofSheet: 0) == (200, 200))
    }

    @Test(arguments: [(0, 1, 1, 1, 1), (1, 0, 1, 1, 1), (1, 1, -1, 1, 1), (1, 1, 1, 0, 1), (1, 1, 1, 1, .min)])
    func nothingBelowOne(count: Int, columns: Int, rows: Int, width: Int, height: Int) {
        #expect(throws: ScrubError.self) {
            try Storyboard.SheetLayout(
                count: count, columns: columns, rows: rows, tileWidth: width, tileHeight: height, format: .png)
        }
    }
}
