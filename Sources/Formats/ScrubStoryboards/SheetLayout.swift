package import ScrubBase

extension Storyboard {
    /// The positions of a thumbnail set's tiles on its sheets, as pure arithmetic.
    ///
    /// Tiles are placed from left to right, then from top to bottom, then on the next sheet.
    ///
    /// Thread safety: a value type.
    package struct SheetLayout: Hashable, Sendable {
        /// The position of a tile.
        package struct Place: Hashable, Sendable {
            /// The number of the sheet, from 0.
            package let sheet: Int
            /// The distance from the sheet's left edge in pixels.
            package let x: Int
            /// The distance from the sheet's top edge in pixels.
            package let y: Int
        }

        /// The number of tiles.
        package let count: Int
        /// The number of tiles in a row.
        package let columns: Int
        /// The number of rows on a full sheet.
        package let rows: Int
        /// A tile's width in pixels.
        package let tileWidth: Int
        /// A tile's height in pixels.
        package let tileHeight: Int
        /// The treatment of the last sheet.
        package let lastSheet: SheetOptions.LastSheet

        /// Creates a layout.
        ///
        /// - Parameter largestSide: the maximum width and height of a sheet in pixels, if a profile requires less than
        ///   the format allows.
        /// - Throws: ``ScrubError/Code/usage`` if any value is below 1, or if a sheet would be larger than its format
        ///   allows.
        package init(
            count: Int, columns: Int, rows: Int, tileWidth: Int, tileHeight: Int, format: ImageFormat,
            lastSheet: SheetOptions.LastSheet = .trimmed, largestSide: Int? = nil
        ) throws(ScrubError) {
            for (name, value) in [
                ("tiles", count), ("columns", columns), ("rows", rows), ("pixels in width", tileWidth),
                ("pixels in height", tileHeight),
            ] where value < 1 {
                throw ScrubError(.usage, "a sheet cannot have \(value) \(name)", advice: "use at least 1")
            }
            let limit = min(format.largestSide, largestSide ?? format.largestSide)
            let lines = lastSheet == .trimmed ? min(rows, (count - 1) / columns + 1) : rows
            for (name, tiles, size) in [("wide", columns, tileWidth), ("high", lines, tileHeight)] {
                guard size <= limit / tiles else {
                    let most = limit / size
                    throw ScrubError(
                        .usage,
                        "a \(format.rawValue) sheet with \(tiles) tiles of \(size) pixels each is more than \(limit) pixels \(name)",
                        advice: most > 0
                            ? "at most \(most) \(name == "wide" ? "columns" : "rows") fit" : "make thumbnails smaller")
                }
            }
            (self.count, self.columns, self.rows) = (count, columns, rows)
            (self.tileWidth, self.tileHeight, self.lastSheet) = (tileWidth, tileHeight, lastSheet)
        }

        /// The maximum number of tiles on a sheet.
        package var tilesPerSheet: Int {
            // A grid with more tiles than exist results in one sheet, like a grid with exactly as many.
            let (product, overflow) = columns.multipliedReportingOverflow(by: rows)
            return overflow ? .max : product
        }

        /// The number of sheets.
        package var sheetCount: Int { (count - 1) / tilesPerSheet + 1 }

        /// Returns the position of a tile.
        ///
        /// - Precondition: `tile` is in 0..<``count``.
        package func place(of tile: Int) -> Place {
            precondition((0..<count).contains(tile), "there is no tile \(tile): use one of 0..<\(count)")
            return Place(
                sheet: tile / tilesPerSheet, x: tile % columns * tileWidth, y: tile / columns % rows * tileHeight)
        }

        /// Returns the number of tiles on a sheet.
        ///
        /// - Precondition: `sheet` is in 0..<``sheetCount``.
        package func tileCount(onSheet sheet: Int) -> Int {
            precondition((0..<sheetCount).contains(sheet), "there is no sheet \(sheet): use one of 0..<\(sheetCount)")
            return min(tilesPerSheet, count - sheet * tilesPerSheet)
        }

        /// Returns the size of a sheet in pixels.
        ///
        /// - Precondition: `sheet` is in 0..<``sheetCount``.
        package func size(ofSheet sheet: Int) -> (width: Int, height: Int) {
            let lines = lastSheet == .full ? rows : (tileCount(onSheet: sheet) - 1) / columns + 1
            return (columns * tileWidth, lines * tileHeight)
        }
    }
}
