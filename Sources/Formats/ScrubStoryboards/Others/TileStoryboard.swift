public import ScrubBase

extension Storyboard {
    /// The JSON storyboard of Mux, which Vidstack's player reads too: one sheet and where each tile begins.
    ///
    /// Thread safety: a value.
    public struct Tiles: Hashable, Sendable {
        /// A tile.
        public struct Tile: Hashable, Sendable {
            /// The beginning of its slot, in seconds, to the millisecond.
            public var start: Rational
            /// Pixels from the sheet's left edge.
            public var x: Int
            /// Pixels from the sheet's upper edge.
            public var y: Int

            /// Makes a tile.
            public init(start: Rational, x: Int, y: Int) { (self.start, self.x, self.y) = (start, x, y) }
        }

        /// The sheet's URL, absolute: players know no folder to look in.
        public var url: String
        /// A tile's width in pixels.
        public var tileWidth: Int
        /// A tile's height in pixels.
        public var tileHeight: Int
        /// The video's seconds, to the millisecond.
        public var duration: Rational
        /// The tiles, in the order of their times.
        public var tiles: [Tile]

        /// Makes a storyboard.
        public init(url: String, tileWidth: Int, tileHeight: Int, duration: Rational, tiles: [Tile]) {
            (self.url, self.tileWidth, self.tileHeight) = (url, tileWidth, tileHeight)
            (self.duration, self.tiles) = (duration, tiles)
        }

        /// Makes the storyboard of a set on one sheet.
        ///
        /// - Parameter baseURL: the text before the sheet's name, beginning with `http://` or `https://`.
        /// - Throws: ``ScrubError/Code/usage`` when the set has several sheets or tiles of several sizes, or the URL is
        ///   not absolute; ``ScrubError/Code/badData`` when the set is not valid.
        public init(_ storyboard: Storyboard, baseURL: String) throws(ScrubError) {
            try storyboard.validate()
            guard storyboard.sheets.count == 1 else {
                throw ScrubError(
                    .usage, "a JSON storyboard has one sheet, and this set has \(storyboard.sheets.count)",
                    advice: "give more columns and rows, or write WebVTT")
            }
            guard baseURL.hasPrefix("https://") || baseURL.hasPrefix("http://") else {
                throw ScrubError(
                    .usage, "a JSON storyboard names its sheet absolutely, and '\(baseURL)' is not an http(s) URL",
                    advice: "give the URL of the sheet's folder")
            }
            let (width, height) = (storyboard.tileWidth, storyboard.tileHeight)
            guard storyboard.thumbnails.allSatisfy({ $0.width == width && $0.height == height }) else {
                throw ScrubError(
                    .usage, "a JSON storyboard has tiles of one size, and these have several", advice: "write WebVTT")
            }
            let times = try storyboard.millisecondBorders().map { Rational(Int64($0), Rational.milliseconds) }
            self.init(
                url: try SheetURL.reference(storyboard.sheets[0].name, base: baseURL), tileWidth: width,
                tileHeight: height, duration: times[storyboard.thumbnails.count],
                tiles: zip(storyboard.thumbnails, times).map { Tile(start: $1, x: $0.x, y: $0.y) })
        }

        /// The file's text.
        public var text: String {
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

        /// Reads a storyboard, with the names of Mux (`tile_width`, `start`) or those of Vidstack (`tileWidth`,
        /// `startTime`).
        ///
        /// - Throws: ``ScrubError/Code/badData`` with the place if the text is not a storyboard.
        public init(parsing text: String) throws(ScrubError) {
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
                throw ScrubError(.badData, "\(tileWidth)x\(tileHeight) pixels in \(duration) s")
            }
            for (place, tile) in tiles.enumerated() {
                guard tile.x >= 0, tile.y >= 0, tile.start >= .zero, place == 0 || tiles[place - 1].start < tile.start
                else {
                    throw ScrubError(
                        .badData, "it lies before the sheet or the tile before it", place: "tiles[\(place)]")
                }
            }
        }
    }
}
