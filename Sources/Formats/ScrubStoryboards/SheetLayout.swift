public import ScrubBase

extension Storyboard {
    /// The places of a thumbnail set's tiles on its sheets, as pure arithmetic.
    ///
    /// Tiles are laid from left to right, then from top to bottom, then on the next sheet.
    ///
    /// Thread safety: a value.
    public struct SheetLayout: Hashable, Sendable {
        /// The treatment of rows of the last sheet that have no tile.
        public enum LastSheet: Hashable, Sendable {
            /// They are left out: the sheet is less high.
            case trimmed
            /// They are there without a picture: all sheets have one size, which DASH and Jellyfin rely on.
            case full
        }

        /// The place of a tile.
        public struct Place: Hashable, Sendable {
            /// The number of the sheet, from 0.
            public let sheet: Int
            /// Pixels from the sheet's left edge.
            public let x: Int
            /// Pixels from the sheet's upper edge.
            public let y: Int
        }

        /// The number of tiles.
        public let count: Int
        /// Tiles in a row.
        public let columns: Int
        /// Rows on a full sheet.
        public let rows: Int
        /// A tile's width in pixels.
        public let tileWidth: Int
        /// A tile's height in pixels.
        public let tileHeight: Int
        /// The treatment of the last sheet.
        public let lastSheet: LastSheet

        /// Makes a layout.
        ///
        /// - Parameter largestSide: the most pixels in a sheet's width and height, where a profile asks for less than
        ///   the format allows.
        /// - Throws: ``ScrubError/Code/usage`` when something is below 1, or a sheet would be larger than its format
        ///   allows.
        public init(
            count: Int, columns: Int, rows: Int, tileWidth: Int, tileHeight: Int, format: ImageFormat,
            lastSheet: LastSheet = .trimmed, largestSide: Int? = nil
        ) throws(ScrubError) {
            for (name, value) in [
                ("tiles", count), ("columns", columns), ("rows", rows), ("pixels in width", tileWidth),
                ("pixels in height", tileHeight),
            ] where value < 1 {
                throw ScrubError(.usage, "\(value) \(name) make no sheet", advice: "give at least 1")
            }
            let limit = min(format.largestSide, largestSide ?? format.largestSide)
            let lines = lastSheet == .trimmed ? min(rows, (count - 1) / columns + 1) : rows
            for (name, tiles, size) in [("wide", columns, tileWidth), ("high", lines, tileHeight)] {
                guard size <= limit / tiles else {
                    let most = limit / size
                    throw ScrubError(
                        .usage, "a \(format.rawValue) sheet of \(tiles) x \(size) pixels is more than \(limit) \(name)",
                        advice: most > 0
                            ? "at most \(most) \(name == "wide" ? "columns" : "rows") fit" : "make thumbnails smaller")
                }
            }
            (self.count, self.columns, self.rows) = (count, columns, rows)
            (self.tileWidth, self.tileHeight, self.lastSheet) = (tileWidth, tileHeight, lastSheet)
        }

        /// The most tiles on a sheet.
        public var tilesPerSheet: Int {
            // More tiles than there are make one sheet as well as exactly as many do.
            let (product, overflow) = columns.multipliedReportingOverflow(by: rows)
            return overflow ? .max : product
        }

        /// The number of sheets.
        public var sheetCount: Int { (count - 1) / tilesPerSheet + 1 }

        /// Returns the place of a tile.
        ///
        /// - Precondition: `tile` is in 0..<``count``.
        public func place(of tile: Int) -> Place {
            precondition((0..<count).contains(tile), "there is no tile \(tile): name one of 0..<\(count)")
            return Place(
                sheet: tile / tilesPerSheet, x: tile % columns * tileWidth, y: tile / columns % rows * tileHeight)
        }

        /// Returns the number of tiles on a sheet.
        ///
        /// - Precondition: `sheet` is in 0..<``sheetCount``.
        public func tileCount(onSheet sheet: Int) -> Int {
            precondition((0..<sheetCount).contains(sheet), "there is no sheet \(sheet): name one of 0..<\(sheetCount)")
            return min(tilesPerSheet, count - sheet * tilesPerSheet)
        }

        /// Returns the size of a sheet in pixels.
        ///
        /// - Precondition: `sheet` is in 0..<``sheetCount``.
        public func size(ofSheet sheet: Int) -> (width: Int, height: Int) {
            let lines = lastSheet == .full ? rows : (tileCount(onSheet: sheet) - 1) / columns + 1
            return (columns * tileWidth, lines * tileHeight)
        }
    }
}
