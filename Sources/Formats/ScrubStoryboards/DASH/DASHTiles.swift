public import ScrubBase

extension Storyboard {
    /// Sheets as an image adaptation set of a DASH presentation (DASH-IF IOP 4.2 and later, 6.2.6), for dash.js, Shaka
    /// and televisions.
    ///
    /// Sheets are files with numbers in their names, all of one size; a tile is shown for an equal part of its sheet's
    /// time.
    ///
    /// Thread safety: a value.
    public struct DASHTiles: Hashable, Sendable {
        /// The identifier of the representation.
        public var id: String
        /// The media type of the sheets.
        public var mimeType: String
        /// The greatest bits per second of any sheet.
        public var bandwidth: Int
        /// A sheet's width in pixels.
        public var width: Int
        /// A sheet's height in pixels.
        public var height: Int
        /// Tiles in a row.
        public var columns: Int
        /// Rows on each sheet.
        public var rows: Int
        /// The sheets' URL with `$Number$` or `$Number%0<digits>d$` in it (ISO/IEC 23009-1, 5.3.9.4.4).
        public var media: String
        /// The number of the first sheet.
        public var startNumber: Int
        /// Seconds that a full sheet is shown.
        public var sheetDuration: Rational
        /// The duration in seconds of all slots; the last sheet has the rest.
        public var duration: Rational

        /// Makes a set of values.
        public init(
            id: String, mimeType: String, bandwidth: Int, width: Int, height: Int, columns: Int, rows: Int,
            media: String,
            startNumber: Int, sheetDuration: Rational, duration: Rational
        ) {
            (self.id, self.mimeType, self.bandwidth) = (id, mimeType, bandwidth)
            (self.width, self.height, self.columns, self.rows) = (width, height, columns, rows)
            (self.media, self.startNumber) = (media, startNumber)
            (self.sheetDuration, self.duration) = (sheetDuration, duration)
        }

        /// The namespace of the tiles' property.
        static let property = "http://dashif.org/guidelines/thumbnail_tile"
        /// The same as first drafts had it, which is still found.
        static let legacyProperty = "http://dashif.org/thumbnail_tile"

        /// Describes an evenly spaced set.
        ///
        /// - Parameter baseURL: the text before the sheets' names; without one, they are relative to the file.
        /// - Throws: ``ScrubError/Code/usage`` when the set is not evenly spaced, not in a grid of full sheets, or
        ///   sheets are not numbered. ``ScrubError/Code/badData`` when it is not valid.
        public init(_ storyboard: Storyboard, baseURL: String? = nil) throws(ScrubError) {
            let storyboard = storyboard.countedFromFirstFrame
            let interval = try storyboard.evenInterval(for: "DASH")
            let layout = try storyboard.grid(for: "DASH", needsFull: true)
            guard let time = interval.multiplied(by: Rational(Int64(layout.tilesPerSheet))) else {
                throw ScrubError(
                    .usage, "\(layout.tilesPerSheet) times \(interval) s is too long for a sheet",
                    advice: "put fewer thumbnails on a sheet")
            }
            let names = try SheetNumbering(storyboard.sheets.map(\.name))
            let template = { (text: String) in
                text.split(separator: "$", omittingEmptySubsequences: false).joined(separator: "$$")
            }
            // The base alone can have a dollar sign; paths are encoded.
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
        public var sheetCount: Int {
            guard sheetDuration > .zero else { return 1 }
            // 126 bits each; the quotient as a ratio may not fit.
            let count = Rational.floor(
                -Int128(duration.numerator) * Int128(sheetDuration.denominator),
                Int128(duration.denominator) * Int128(sheetDuration.numerator))
            return max(1, Int(clamping: -count))
        }

        /// Returns a sheet's URL.
        ///
        /// - Parameter number: the sheet's number, from 0.
        /// - Precondition: ``startNumber`` and `number` together fit an integer.
        public func url(ofSheet number: Int) -> String {
            // The text between dollar signs has an odd place; nothing between them is a dollar sign.
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

        /// Returns a static presentation of thumbnail sets alone, one adaptation set each.
        ///
        /// With key pictures, their set names the set with identifier 0 as the one that they are of. This presentation
        /// has no film, so the set does not exist. To take the sets over into the film's presentation, give that number
        /// to its video set, or write the video set's number into the property.
        ///
        /// Its length is the longest set's, cut to the nanosecond: a longer one would let players ask for a sheet
        /// behind the last one.
        ///
        /// - Precondition: no identifier is there twice.
        public static func presentation(_ sets: [DASHTiles], keyPictures: Storyboard.DASHKeyPictures? = nil) -> String {
            precondition(
                Set(sets.map(\.id)).count == sets.count, "two sets with one identifier: give each an id of its own")
            let end = (sets.map(\.duration).max() ?? .zero).scaledDown(Rational.nanoseconds)
            let length = "PT" + Rational.decimal(nanoseconds: end, atLeast: 3) + "S"
            // Lists of byte ranges are not in the live profile.
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

        /// Returns the adaptation set, to be put into another presentation's period.
        ///
        /// - Parameter number: its identifier, which no other set of the period has.
        public func adaptationSet(id number: Int) -> String {
            // Exact if both parts are 32-bit integers, as all readers take them. Else it is in microseconds, rounded up
            // for the same reason as the length is cut.
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
