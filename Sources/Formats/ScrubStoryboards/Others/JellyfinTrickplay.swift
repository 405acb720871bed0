package import ScrubBase

extension Storyboard {
    /// Sheets in the location where a Jellyfin server looks for trickplay pictures: `<video>.trickplay/<width> - <columns>x<rows>/<n>.jpg`.
    ///
    /// The server uses its own interval setting, whatever interval the pictures were made with. Both must be the same
    /// number of seconds.
    ///
    /// Thread safety: a value type.
    package struct JellyfinTrickplay: Hashable, Sendable {
        /// A tile's width in pixels, even.
        package let width: Int
        /// The number of tiles in a row.
        package let columns: Int
        /// The number of rows on each sheet.
        package let rows: Int

        init(width: Int, columns: Int, rows: Int) { (self.width, self.columns, self.rows) = (width, columns, rows) }

        /// Checks that the server will read a set correctly, and creates the set's names.
        ///
        /// - Throws: ``ScrubError/Code/usage`` if pictures are not JPEG or have an odd width, if sheets are not all
        ///   full, or if the interval is not a whole number of seconds (a single thumbnail is always shown).
        ///   ``ScrubError/Code/badData`` if the set is not valid.
        package init(_ storyboard: Storyboard) throws(ScrubError) {
            let layout = try storyboard.grid(for: "Jellyfin", needsFull: true)
            guard storyboard.format == .jpeg else {
                throw ScrubError(
                    .usage, "Jellyfin's sheets must be JPEG, but these are \(storyboard.format.rawValue)",
                    advice: "\(term: .jpegPictures)")
            }
            guard layout.tileWidth % 2 == 0 else {
                throw ScrubError(
                    .usage, "Jellyfin's thumbnails must have an even width, but \(layout.tileWidth) is odd",
                    advice: "use \(layout.tileWidth + 1) pixels")
            }
            let interval = try storyboard.evenInterval(for: "Jellyfin")
            guard interval.denominator == 1 || layout.count == 1 else {
                throw ScrubError(
                    .usage, "Jellyfin's interval must be in whole seconds, but it is \(interval) s",
                    advice: "use the interval in seconds that is set on the server")
            }
            self.init(width: layout.tileWidth, columns: layout.columns, rows: layout.rows)
        }

        /// Parses the name of a folder as the server does: `^(\d+) - (\d+)x(\d+)$`. Returns `nil` if the name does not
        /// match or has numbers that are impossible for a sheet.
        package init?(folderName: String) {
            let parts = folderName.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).map {
                String(decoding: $0, as: UTF8.self)
            }
            guard parts.count == 3, parts[1] == "-", let width = parts[0].naturalNumber,
                Storyboard.sides.contains(width)
            else { return nil }
            // The server does not accept a multiplication sign as an `x`.
            guard parts[2].utf8.allSatisfy({ $0 < 0x80 }), let (columns, rows) = parts[2].pair,
                Storyboard.grids.contains(columns), Storyboard.grids.contains(rows)
            else { return nil }
            self.init(width: width, columns: columns, rows: rows)
        }

        /// The name of the folder with the sheets.
        package var folderName: String { "\(width) - \(columns)x\(rows)" }

        /// Returns the name of a sheet's file.
        ///
        /// - Parameter number: the sheet's number, from 0.
        package static func fileName(sheet number: Int) -> String { "\(number).jpg" }

        /// Returns the name of the folder next to a video that contains the folders of all widths.
        ///
        /// - Parameter base: the video's file name without its extension.
        package static func mediaFolderName(base: String) -> String { "\(base).trickplay" }
    }
}
