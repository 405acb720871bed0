package import ScrubBase

extension Storyboard {
    /// Mux's JSON storyboard, which Vidstack's player also reads: one sheet and the position and start time of each
    /// tile.
    ///
    /// Thread safety: a value type.
    package struct Tiles: Hashable, Sendable {
        /// A tile.
        package struct Tile: Hashable, Sendable {
            /// The start of the tile's slot in seconds, to the millisecond.
            package var start: Rational
            /// The distance from the sheet's left edge in pixels.
            package var x: Int
            /// The distance from the sheet's top edge in pixels.
            package var y: Int

            /// Creates a tile.
            package init(start: Rational, x: Int, y: Int) { (self.start, self.x, self.y) = (start, x, y) }
        }

        /// The sheet's absolute URL, because players have no base folder for a relative one.
        package var url: String
        /// A tile's width in pixels.
        package var tileWidth: Int
        /// A tile's height in pixels.
        package var tileHeight: Int
        /// The video's duration in seconds, to the millisecond.
        package var duration: Rational
        /// The tiles, in time order.
        package var tiles: [Tile]

        /// Creates a storyboard.
        package init(url: String, tileWidth: Int, tileHeight: Int, duration: Rational, tiles: [Tile]) {
            (self.url, self.tileWidth, self.tileHeight) = (url, tileWidth, tileHeight)
            (self.duration, self.tiles) = (duration, tiles)
        }

        /// Creates the storyboard of a set on one sheet.
        ///
        /// - Parameter baseURL: the text to put before the sheet's name, beginning with `http://` or `https://`.
        /// - Throws: ``ScrubError/Code/usage`` if the set has several sheets or tiles of different sizes, or if the URL
        ///   is not absolute; ``ScrubError/Code/badData`` if the set is not valid.
        package init(_ storyboard: Storyboard, baseURL: String) throws(ScrubError) {
            try storyboard.validate()
            guard storyboard.sheets.count == 1 else {
                throw ScrubError(
                    .usage, "a JSON storyboard has one sheet, but this set has \(storyboard.sheets.count)",
                    advice: "use more columns and rows, or write WebVTT")
            }
            guard baseURL.hasPrefix("https://") || baseURL.hasPrefix("http://") else {
                throw ScrubError(
                    .usage, "a JSON storyboard needs its sheet's absolute URL, but '\(baseURL)' is not an http(s) URL",
                    advice: "specify the URL of the sheet's folder")
            }
            let (width, height) = (storyboard.tileWidth, storyboard.tileHeight)
            guard storyboard.thumbnails.allSatisfy({ $0.width == width && $0.height == height }) else {
                throw ScrubError(
                    .usage, "a JSON storyboard has tiles of one size, but these have different sizes",
                    advice: "write WebVTT")
            }
            let times = try storyboard.millisecondBorders().map { Rational(Int64($0), Rational.milliseconds) }
            self.init(
                url: try SheetURL.reference(storyboard.sheets[0].name, base: baseURL), tileWidth: width,
                tileHeight: height, duration: times[storyboard.thumbnails.count],
                tiles: zip(storyboard.thumbnails, times).map { Tile(start: $1, x: $0.x, y: $0.y) })
        }

        /// The file's text.
        package var text: String {
            var json = JSONText()
            json.add("url", url)
            json.add("tile_width", tileWidth)
            json.add("tile_height", tileHeight)
            json.add("duration", decimal: duration.decimal())
            json.add(
                "tiles",
                lines: tiles.map { tile in
                    var json = JSONText()
                    json.add("start", decimal: tile.start.slotText)
                    json.add("x", tile.x)
                    json.add("y", tile.y)
                    return json
                })
            return json.file
        }

        /// Parses a storyboard with the member names of Mux (`tile_width`, `start`) or those of Vidstack (`tileWidth`,
        /// `startTime`).
        ///
        /// - Throws: ``ScrubError/Code/badData`` with the place if the text is not a storyboard.
        package init(parsing text: String) throws(ScrubError) {
            let json = try JSONObject(try JSONReader.value(text))
            var tiles: [Tile] = []
            for tile in try json.objects("tiles") {
                let start = try tile.rational(tile.has("startTime") ? "startTime" : "start")
                tiles.append(Tile(start: start, x: try tile.integer("x"), y: try tile.integer("y")))
            }
            self.init(
                url: try json.string("url"),
                tileWidth: try json.integer(json.has("tileWidth") ? "tileWidth" : "tile_width"),
                tileHeight: try json.integer(json.has("tileHeight") ? "tileHeight" : "tile_height"),
                duration: try json.rational("duration"), tiles: tiles)
            guard tileWidth > 0, tileHeight > 0, duration > .zero else {
                throw ScrubError(
                    .badData, "the tile size \(tileWidth)x\(tileHeight) or the duration \(duration) s is out of range")
            }
            for (place, tile) in tiles.enumerated() {
                guard tile.x >= 0, tile.y >= 0, tile.start >= .zero, place == 0 || tiles[place - 1].start < tile.start
                else {
                    throw ScrubError(
                        .badData, "it starts outside the sheet or before the previous tile", place: "tiles[\(place)]")
                }
            }
        }
    }
}
