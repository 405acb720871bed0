package import ScrubBase

extension Storyboard {
    /// Sheets as an image adaptation set of a DASH presentation (DASH-IF IOP 4.2 and later, 6.2.6), for dash.js, Shaka
    /// and televisions.
    ///
    /// Sheets are files with numbered names and equal size. Each tile is shown for an equal part of its sheet's
    /// time.
    ///
    /// Thread safety: a value type.
    package struct DASHTiles: Hashable, Sendable {
        /// The identifier of the representation.
        package var id: String
        /// The media type of the sheets.
        package var mimeType: String
        /// The maximum bit rate of any sheet, in bits per second.
        package var bandwidth: Int
        /// A sheet's width in pixels.
        package var width: Int
        /// A sheet's height in pixels.
        package var height: Int
        /// The number of tiles in a row.
        package var columns: Int
        /// The number of rows on each sheet.
        package var rows: Int
        /// The sheets' URL which contains `$Number$` or `$Number%0<digits>d$` (ISO/IEC 23009-1, 5.3.9.4.4).
        package var media: String
        /// The number of the first sheet.
        package var startNumber: Int
        /// The time in seconds for which a full sheet is shown.
        package var sheetDuration: Rational
        /// The total duration of all slots in seconds; the last sheet covers the remainder.
        package var duration: Rational

        /// Creates a set from values.
        package init(
            id: String, mimeType: String, bandwidth: Int, width: Int, height: Int, columns: Int, rows: Int,
            media: String,
            startNumber: Int, sheetDuration: Rational, duration: Rational
        ) {
            (self.id, self.mimeType, self.bandwidth) = (id, mimeType, bandwidth)
            (self.width, self.height, self.columns, self.rows) = (width, height, columns, rows)
            (self.media, self.startNumber) = (media, startNumber)
            (self.sheetDuration, self.duration) = (sheetDuration, duration)
        }

        /// The namespace of the tile property.
        static let property = "http://dashif.org/guidelines/thumbnail_tile"
        /// The namespace from early drafts, which is still in use.
        static let legacyProperty = "http://dashif.org/thumbnail_tile"

        /// Creates the description of an evenly spaced set.
        ///
        /// - Parameter baseURL: the text to put before the sheets' names; without it, they are relative to the file.
        /// - Throws: ``ScrubError/Code/usage`` if the set is not evenly spaced, not in a grid of full sheets, or not in
        ///   numbered files. ``ScrubError/Code/badData`` if it is not valid.
        package init(_ storyboard: Storyboard, baseURL: String? = nil) throws(ScrubError) {
            let storyboard = storyboard.countedFromFirstFrame
            let interval = try storyboard.evenInterval(for: "DASH")
            let layout = try storyboard.grid(for: "DASH", needsFull: true)
            guard let time = interval.multiplied(by: Rational(Int64(layout.tilesPerSheet))) else {
                throw ScrubError(
                    .usage, "a sheet of \(layout.tilesPerSheet) thumbnails, \(interval) s each, is too long",
                    advice: "put fewer thumbnails on a sheet")
            }
            let names = try SheetNumbering(storyboard.sheets.map(\.name))
            let template = { (text: String) in
                text.split(separator: "$", omittingEmptySubsequences: false).joined(separator: "$$")
            }
            // Only the base can contain a dollar sign, because paths are encoded.
            let prefix = template(try SheetURL.reference(names.prefix, base: baseURL))
            let number = names.digits > 1 ? "$Number%0\(names.digits)d$" : "$Number$"
            let bandwidth = PlaylistTimes.bandwidth(
                storyboard.sheets.map { ($0.byteCount, min(time, storyboard.end)) })
            self.init(
                id: "thumbnails_\(layout.tileWidth)x\(layout.tileHeight)", mimeType: storyboard.format.mimeType,
                bandwidth: bandwidth, width: layout.columns * layout.tileWidth, height: layout.rows * layout.tileHeight,
                columns: layout.columns, rows: layout.rows, media: prefix + number + SheetURL.encoded(names.suffix),
                startNumber: names.first, sheetDuration: time, duration: storyboard.end)
        }

        /// The number of sheets.
        package var sheetCount: Int {
            guard sheetDuration > .zero else { return 1 }
            // Each has 126 bits; the quotient as a ratio may not fit.
            let count = Rational.floor(
                -Int128(duration.numerator) * Int128(sheetDuration.denominator),
                Int128(duration.denominator) * Int128(sheetDuration.numerator))
            return max(1, Int(clamping: -count))
        }

        /// Returns a sheet's URL.
        ///
        /// - Parameter number: the sheet's number, from 0.
        /// - Precondition: the sum of ``startNumber`` and `number` fits in an integer.
        package func url(ofSheet number: Int) -> String {
            // The text between dollar signs is at odd indexes; nothing between them means a dollar sign.
            media.split(separator: "$", omittingEmptySubsequences: false).enumerated().map { place, part in
                guard place % 2 == 1 else { return String(part) }
                if part == "RepresentationID" { return id }
                if part == "Number" { return String(startNumber + number) }
                if part.hasPrefix("Number%0"), part.hasSuffix("d"),
                    let digits = part.dropFirst(8).dropLast().naturalNumber
                {
                    return PlainText.padded(startNumber + number, to: min(digits, 20))
                }
                return part.isEmpty ? "$" : "$\(part)$"
            }.joined()
        }

        /// Returns a static presentation that contains only thumbnail sets, each in its own adaptation set.
        ///
        /// A set of key pictures refers to the set with identifier 0 as its main set. This presentation has no film, so
        /// the main set does not exist. To use the sets in the film's presentation, give the film's video set the
        /// identifier 0, or write the video set's identifier into the property.
        ///
        /// The presentation's duration is that of the longest set, truncated to the nanosecond. With a longer duration,
        /// players might request a sheet after the last one.
        ///
        /// - Precondition: all identifiers are different.
        package static func presentation(_ sets: [DASHTiles], keyPictures: Storyboard.DASHKeyPictures? = nil) -> String
        {
            precondition(
                Set(sets.map(\.id)).count == sets.count, "two sets have the same identifier: give each set a unique id")
            let end = (sets.map(\.duration).max() ?? .zero).scaledDown(Rational.nanoseconds)
            let length = "PT" + Rational.decimal(nanoseconds: end, atLeast: 3) + "S"
            // The live profile does not allow lists of byte ranges.
            let profile = keyPictures == nil ? "isoff-live" : "isoff-main"
            var text = """
                <?xml version="1.0" encoding="UTF-8"?>
                <MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" profiles="urn:mpeg:dash:profile:\(profile):2011" \
                mediaPresentationDuration="\(length)" minBufferTime="PT1S">
                  <Period id="0" start="PT0S" duration="\(length)">

                """
            let first = keyPictures == nil ? 0 : 1
            for (number, set) in sets.enumerated() { text += set.adaptationSet(id: first + number) }
            if let keyPictures { text += keyPictures.adaptationSet(id: first + sets.count, main: 0) }
            return text + "  </Period>\n</MPD>\n"
        }

        /// Returns the adaptation set, for inclusion in another presentation's period.
        ///
        /// - Parameter number: its identifier, which must be unique in the period.
        package func adaptationSet(id number: Int) -> String {
            // Exact if both parts are 32-bit integers, which all readers accept. Otherwise, it is in microseconds,
            // rounded up for the same reason that the length is truncated.
            let isExact = sheetDuration.numerator <= UInt32.max && sheetDuration.denominator <= UInt32.max
            let (units, scale) =
                isExact
                ? (Int128(sheetDuration.numerator), sheetDuration.denominator)
                : (sheetDuration.roundedUp(1_000_000), 1_000_000)
            return """
                    <AdaptationSet id="\(number)" contentType="image" mimeType="\(PlainText.markup(mimeType))">
                      <SegmentTemplate media="\(PlainText.markup(media))" timescale="\(scale)" duration="\(units)" \
                startNumber="\(startNumber)"/>
                      <Representation id="\(PlainText.markup(id))" bandwidth="\(bandwidth)" width="\(width)" height="\(height)">
                        <EssentialProperty schemeIdUri="\(DASHTiles.property)" value="\(columns)x\(rows)"/>
                      </Representation>
                    </AdaptationSet>

                """
        }
    }
}
