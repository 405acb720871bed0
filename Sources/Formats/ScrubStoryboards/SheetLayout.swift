public import ScrubBase

extension Storyboard {
    /// The positions of a thumbnail set's tiles on its sheets, as pure arithmetic.
    ///
    /// Tiles are placed from left to right, then from top to bottom, then on the next sheet.
    ///
    /// Thread safety: a value type.
    public struct SheetLayout: Hashable, Sendable {
        /// The treatment of rows without tiles on the last sheet.
        public enum LastSheet: Hashable, Sendable {
            /// The rows are omitted, so the sheet is shorter.
            case trimmed
            /// The rows are present but empty. All sheets have the same size, which DASH and Jellyfin rely on.
            case full
        }

        /// The position of a tile.
        public struct Place: Hashable, Sendable {
            /// The number of the sheet, from 0.
            public let sheet: Int
            /// The distance from the sheet's left edge in pixels.
            public let x: Int
            /// The distance from the sheet's top edge in pixels.
            public let y: Int
        }

        /// The number of tiles.
        public let count: Int
        /// The number of tiles in a row.
        public let columns: Int
        /// The number of rows on a full sheet.
        public let rows: Int
        /// A tile's width in pixels.
        public let tileWidth: Int
        /// A tile's height in pixels.
        public let tileHeight: Int
        /// The treatment of the last sheet.
        public let lastSheet: LastSheet

        /// Creates a layout.
        ///
        /// - Parameter largestSide: the maximum width and height of a sheet in pixels, if a profile requires less than
        ///   the format allows.
        /// - Throws: ``ScrubError/Code/usage`` if any value is below 1, or if a sheet would be larger than its format
        ///   allows.
        public init(
            count: Int, columns: Int, rows: Int, tileWidth: Int, tileHeight: Int, format: ImageFormat,
            lastSheet: LastSheet = .trimmed, largestSide: Int? = nil
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
                        .usage, "a \(format.rawValue) sheet of \(tiles) x \(size) pixels is over \(limit) px \(name)",
                        advice: most > 0
                            ? "at most \(most) \(name == "wide" ? "columns" : "rows") fit" : "make thumbnails smaller")
                }
            }
            (self.count, self.columns, self.rows) = (count, columns, rows)
            (self.tileWidth, self.tileHeight, self.lastSheet) = (tileWidth, tileHeight, lastSheet)
        }

        /// The maximum number of tiles on a sheet.
        public var tilesPerSheet: Int {
            // A grid with more tiles than exist results in one sheet, like a grid with exactly as many.
            let (product, overflow) = columns.multipliedReportingOverflow(by: rows)
            return overflow ? .max : product
        }

        /// The number of sheets.
        public var sheetCount: Int { (count - 1) / tilesPerSheet + 1 }

        /// Returns the position of a tile.
        ///
        /// - Precondition: `tile` is in 0..<``count``.
        public func place(of tile: Int) -> Place {
            precondition((0..<count).contains(tile), "there is no tile \(tile): use one of 0..<\(count)")
            return Place(
                sheet: tile / tilesPerSheet, x: tile % columns * tileWidth, y: tile / columns % rows * tileHeight)
        }

        /// Returns the number of tiles on a sheet.
        ///
        /// - Precondition: `sheet` is in 0..<``sheetCount``.
        public func tileCount(onSheet sheet: Int) -> Int {
            precondition((0..<sheetCount).contains(sheet), "there is no sheet \(sheet): use one of 0..<\(sheetCount)")
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
