public import ScrubBase

extension Storyboard {
    /// Sheets where a Jellyfin server looks for trickplay pictures: `<video>.trickplay/<width> - <columns>x<rows>/<n>.jpg`.
    ///
    /// The server believes its own interval setting, whatever the pictures were made with: both must be the same number
    /// of seconds.
    ///
    /// Thread safety: a value.
    public struct JellyfinTrickplay: Hashable, Sendable {
        /// A tile's width in pixels, even.
        public let width: Int
        /// Tiles in a row.
        public let columns: Int
        /// Rows on each sheet.
        public let rows: Int

        init(width: Int, columns: Int, rows: Int) { (self.width, self.columns, self.rows) = (width, columns, rows) }

        /// Proves that a set is one that the server reads rightly, and makes its names.
        ///
        /// - Throws: ``ScrubError/Code/usage`` if pictures are not JPEG or not even in width, or sheets are not all
        ///   full. The same goes for an interval that is not whole seconds (but one thumbnail alone is shown all the
        ///   time). ``ScrubError/Code/badData`` if the set is not valid.
        public init(_ storyboard: Storyboard) throws(ScrubError) {
            let layout = try storyboard.grid(for: "Jellyfin", needsFull: true)
            guard storyboard.format == .jpeg else {
                throw ScrubError(
                    .usage, "Jellyfin's sheets are JPEG, not \(storyboard.format.rawValue)",
                    advice: "\(term: .jpegPictures)")
            }
            guard layout.tileWidth % 2 == 0 else {
                throw ScrubError(
                    .usage, "Jellyfin's thumbnails have an even width, \(layout.tileWidth) is not",
                    advice: "take \(layout.tileWidth + 1) pixels")
            }
            let interval = try storyboard.evenInterval(for: "Jellyfin")
            guard interval.denominator == 1 || layout.count == 1 else {
                throw ScrubError(
                    .usage, "Jellyfin's interval is whole seconds, \(interval) s is not",
                    advice: "make a thumbnail every so many seconds as the server's setting says")
            }
            self.init(width: layout.tileWidth, columns: layout.columns, rows: layout.rows)
        }

        /// Reads the name of a folder as the server does: `^(\d+) - (\d+)x(\d+)$`. `nil` if it is not such a name, or
        /// has numbers that no sheet has.
        public init?(folderName: String) {
            let parts = folderName.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).map {
                String(decoding: $0, as: UTF8.self)
            }
            guard parts.count == 3, parts[1] == "-", let width = parts[0].naturalNumber,
                Storyboard.sides.contains(width)
            else { return nil }
            // A multiplication sign is no `x` to the server.
            guard parts[2].utf8.allSatisfy({ $0 < 0x80 }), let (columns, rows) = parts[2].pair,
                Storyboard.grids.contains(columns), Storyboard.grids.contains(rows)
            else { return nil }
            self.init(width: width, columns: columns, rows: rows)
        }

        /// The name of the folder with the sheets.
        public var folderName: String { "\(width) - \(columns)x\(rows)" }

        /// Returns the name of a sheet's file.
        ///
        /// - Parameter number: the sheet's number, from 0.
        public static func fileName(sheet number: Int) -> String { "\(number).jpg" }

        /// Returns the name of the folder beside a video that holds the folders of all widths.
        ///
        /// - Parameter base: the video's file name without its suffix.
        public static func mediaFolderName(base: String) -> String { "\(base).trickplay" }
    }
}
