internal import ScrubFileIO

/// A reader of the web profile's page, ``ThumbnailPage``.
enum ThumbnailPageFile {
    /// Returns the page's tiles; `nil` if it is another page.
    ///
    /// - Throws: `badData` if it is a known page and a tile is incomplete.
    static func set(_ file: String, _ text: String) throws(ScrubError) -> ParsedThumbnailSet? {
        guard let size = text.firstMatch(of: /\n\.tile div{width:(\d+)px;height:(\d+)px/), let width = Int(size.1),
            let height = Int(size.2), text.contains("<figure class=\"tile")
        else { return nil }
        var set = ParsedThumbnailSet(file: file, format: "page")
        let folder = file.pathComponents.dropLast()
        // Created once: parsing the expression costs more than matching a line.
        let tile =
            /data-start="([\d.]+)" title="frame (\d+), [^\n]*?url\('([^']+)'\);background-position:-(\d+)px -(\d+)px/
        for line in text.split(separator: "\n") where line.hasPrefix("<figure class=\"tile") {
            let number = set.tiles.count
            // The expression takes quadratic time in a line's length; a line with the longest name has about a hundred
            // characters.
            guard line.utf8.count <= 4096 else {
                throw ScrubError(
                    .badData, "the line of tile \(number) has \(line.utf8.count) bytes, which is not plausible")
            }
            guard let found = line.firstMatch(of: tile), let start = Rational(exactDecimal: found.1),
                let frame = Int(found.2), let x = Int(found.4), let y = Int(found.5)
            else { throw ScrubError(.badData, "tile \(number) lacks a time, frame or position") }
            let sheet = PlainText.text(ofMarkup: found.3)
            guard sheet.utf8.first != UInt8(ascii: "/") else {
                throw ScrubError(.badData, "'\(sheet)' is outside the set's folder")
            }
            let inside = try ConfinedFolder.components(of: (folder + [sheet]).joined(separator: "/"))
                .joined(separator: "/")
            set.tiles.append(
                .init(
                    place: .sheet(
                        path: inside, x: x, y: y, width: width,
                        height: height), start: start, end: start, frame: frame))
        }
        return set
    }
}

extension Rational {
    /// Parses a decimal number with at most nine decimals.
    fileprivate init?(exactDecimal text: Substring) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let whole = Int64(parts[0]), whole < 1 << 32 else { return nil }
        let digits = parts.count == 2 ? parts[1] : ""
        guard digits.utf8.count <= 9, let rest = Int64("0" + digits) else { return nil }
        let scale = digits.reduce(into: Int64(1)) { scale, _ in scale *= 10 }
        self.init(checked: whole * scale + rest, scale)
    }
}
