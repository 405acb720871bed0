package import ScrubBase

extension Storyboard {
    /// Sheets as an HLS Image Media Playlist (version 0.4), for Roku, Shaka and Bitmovin.
    ///
    /// Thread safety: a value type.
    package struct HLSImagePlaylist: Hashable, Sendable {
        /// The grid on a sheet: `EXT-X-TILES`.
        package struct Tiles: Hashable, Sendable {
            /// A tile's width in pixels.
            package var width: Int
            /// A tile's height in pixels.
            package var height: Int
            /// The number of tiles in a row.
            package var columns: Int
            /// The number of rows.
            package var rows: Int
            /// The time in seconds for which a tile is shown.
            package var duration: Rational

            /// Creates a grid.
            package init(width: Int, height: Int, columns: Int, rows: Int, duration: Rational) {
                (self.width, self.height, self.columns, self.rows) = (width, height, columns, rows)
                self.duration = duration
            }
        }

        /// A sheet.
        package struct Segment: Hashable, Sendable {
            /// The image's URL, as written in the file.
            package var uri: String
            /// The bytes of the image file that contain the sheet; `nil` for the entire file.
            package var byteRange: Range<Int>?
            /// The time in seconds from the sheet's first tile to the next sheet's first tile, or to the end.
            package var duration: Rational
            /// The sheet's grid.
            package var tiles: Tiles
            /// Whether there is no image: `EXT-X-GAP`.
            package var isGap: Bool

            /// Creates a segment.
            package init(
                uri: String, byteRange: Range<Int>? = nil, duration: Rational, tiles: Tiles, isGap: Bool = false
            ) {
                (self.uri, self.byteRange, self.duration, self.tiles) = (uri, byteRange, duration, tiles)
                self.isGap = isGap
            }
        }

        /// The sheets in time order.
        package var segments: [Segment]

        /// Creates a playlist from segments.
        package init(segments: [Segment]) { self.segments = segments }

        /// Creates the playlist of an evenly spaced set.
        ///
        /// Times are truncated to the nanosecond at sheet boundaries, so that rounding errors in the durations never
        /// accumulate.
        ///
        /// - Parameter baseURL: the text to put before the sheets' names; without it, they are relative to the file.
        /// - Throws: ``ScrubError/Code/usage`` if the set is not evenly spaced or not in a grid,
        ///   ``ScrubError/Code/badData`` if it is not valid.
        package init(_ storyboard: Storyboard, baseURL: String? = nil) throws(ScrubError) {
            let storyboard = storyboard.countedFromFirstFrame
            let interval = try storyboard.evenInterval(for: "an HLS image playlist")
            let layout = try storyboard.grid(for: "an HLS image playlist", needsFull: false)
            let tiles = Tiles(
                width: layout.tileWidth, height: layout.tileHeight, columns: layout.columns, rows: layout.rows,
                duration: try HLSImagePlaylist.seconds(interval.rounded(Rational.nanoseconds)))
            let borders =
                (0..<layout.sheetCount).map { storyboard.thumbnails[$0 * layout.tilesPerSheet].start } + [
                    storyboard.end
                ]
            let times = borders.map { $0.rounded(Rational.nanoseconds) }
            var segments: [Segment] = []
            for (sheet, (start, end)) in zip(storyboard.sheets, zip(times, times.dropFirst())) {
                segments.append(
                    Segment(
                        uri: try SheetURL.reference(sheet.name, base: baseURL),
                        duration: try HLSImagePlaylist.seconds(end - start), tiles: tiles))
            }
            self.init(segments: segments)
        }

        private static func seconds(_ nanoseconds: Int128) throws(ScrubError) -> Rational {
            guard nanoseconds > 0, let time = Rational(reducing: nanoseconds, Int128(Rational.nanoseconds)) else {
                throw ScrubError(
                    .usage, "a duration of \(nanoseconds) ns cannot be written",
                    advice: "use a duration above 0 and below 100 years")
            }
            return time
        }

        /// The playlist's text.
        package var text: String {
            let target = PlaylistTimes.target(segments.map(\.duration))
            var text = "#EXTM3U\n#EXT-X-TARGETDURATION:\(target)\n#EXT-X-VERSION:7\n#EXT-X-MEDIA-SEQUENCE:0\n"
            text += "#EXT-X-PLAYLIST-TYPE:VOD\n#EXT-X-IMAGES-ONLY\n"
            for segment in segments {
                let tiles = segment.tiles
                text += "#EXTINF:\(segment.duration.decimal(atLeast: 3)),\n"
                if let range = segment.byteRange { text += "#EXT-X-BYTERANGE:\(range.count)@\(range.lowerBound)\n" }
                if segment.isGap { text += "#EXT-X-GAP\n" }
                text += "#EXT-X-TILES:RESOLUTION=\(tiles.width)x\(tiles.height),LAYOUT=\(tiles.columns)x\(tiles.rows),"
                text += "DURATION=\(tiles.duration.decimal(atLeast: 3))\n\(segment.uri)\n"
            }
            return text + "#EXT-X-ENDLIST\n"
        }

        /// Parses a playlist.
        ///
        /// - Throws: ``ScrubError/Code/badData`` with the line if the text is not such a playlist or if a segment has
        ///   no duration or grid.
        package init(parsing text: String) throws(ScrubError) {
            var reader = try PlaylistReader(text)
            var (segments, isImages): ([Segment], Bool) = ([], false)
            var (duration, tiles, range): (Rational?, Tiles?, Range<Int>?)
            var (isGap, next): (Bool, Int?) = (false, nil)
            var count: Int128 = 0
            while let line = reader.next() {
                switch line {
                case .tag("#EXT-X-IMAGES-ONLY", _): isImages = true
                case .tag("#EXTINF", let value): duration = try reader.duration(value)
                case .tag("#EXT-X-BYTERANGE", let value): range = try reader.byteRange(value, next: next)
                case .tag("#EXT-X-GAP", _): isGap = true
                case .tag("#EXT-X-TILES", let value): tiles = try HLSImagePlaylist.tiles(value, reader)
                case .tag: break
                case .uri(let uri):
                    guard let length = duration, let grid = tiles else {
                        throw reader.fault("'\(uri)' has no EXTINF or no EXT-X-TILES")
                    }
                    // As many as the times make, at most all of the grid: no byte stands for each.
                    let all = Int128(grid.columns * grid.rows)
                    count += min(all, length.divided(by: grid.duration)?.roundedUp(1) ?? all)
                    guard count <= Storyboard.mostThumbnails else {
                        throw reader.fault("the playlist has more than \(Storyboard.mostThumbnails) tiles")
                    }
                    segments.append(Segment(uri: uri, byteRange: range, duration: length, tiles: grid, isGap: isGap))
                    (duration, tiles, next, range, isGap) = (nil, nil, range?.upperBound, nil, false)
                }
            }
            guard isImages else { throw reader.fault("it is not an image playlist: EXT-X-IMAGES-ONLY is missing") }
            self.init(segments: segments)
        }

        private static func tiles(_ text: String, _ reader: PlaylistReader) throws(ScrubError) -> Tiles {
            let attributes = try reader.attributes(text)
            guard let (width, height) = attributes["RESOLUTION"]?.pair,
                let (columns, rows) = attributes["LAYOUT"]?.pair,
                [width, height].allSatisfy(Storyboard.sides.contains),
                [columns, rows].allSatisfy(Storyboard.grids.contains),
                let duration = Rational(decimal: attributes["DURATION"] ?? ""),
                duration > .zero
            else { throw reader.fault("EXT-X-TILES needs RESOLUTION, LAYOUT and DURATION") }
            return Tiles(width: width, height: height, columns: columns, rows: rows, duration: duration)
        }
    }
}
