package import ScrubBase

extension Storyboard {
    /// Thumbnails as a WebVTT file (W3C) whose cues name regions of images, for web players.
    ///
    /// It is written so that all players can read it: UTF-8, line feeds, times always with hours, no settings, and one
    /// line per cue. `#xywh=` is in plain pixels (Media Fragments' default unit) even for a whole picture.
    ///
    /// Thread safety: a value type.
    package struct WebVTT: Hashable, Sendable {
        /// A part of an image, in pixels.
        package struct Region: Hashable, Sendable {
            /// The distance from the left edge in pixels.
            package var x: Int
            /// The distance from the top edge in pixels.
            package var y: Int
            /// The width in pixels.
            package var width: Int
            /// The height in pixels.
            package var height: Int

            /// Creates a region.
            package init(x: Int, y: Int, width: Int, height: Int) {
                (self.x, self.y, self.width, self.height) = (x, y, width, height)
            }
        }

        /// A picture and the time during which it is shown.
        package struct Cue: Hashable, Sendable {
            /// The start in milliseconds.
            package var start: Int
            /// The end in milliseconds, exclusive.
            package var end: Int
            /// The image's URL without the fragment, as written in the file.
            package var url: String
            /// The part of the image; `nil` for the entire image.
            package var region: Region?

            /// Creates a cue.
            package init(start: Int, end: Int, url: String, region: Region?) {
                (self.start, self.end, self.url, self.region) = (start, end, url, region)
            }

            /// The URL with its percent-encoding removed. For a relative URL, this is the sheet's path.
            package var path: String? { SheetURL.decoded(url) }
        }

        /// The cues in the order of the file.
        package var cues: [Cue]

        /// The end of the film, in milliseconds of the cues' time; `nil` if the file does not specify it. The last cue
        /// ends later. It is written as a note (`NOTE film end 00:01:00.334`), which players ignore but `<scrub-strip>`
        /// reads.
        package var filmEnd: Int?

        /// Creates a file from cues.
        package init(cues: [Cue], filmEnd: Int? = nil) { (self.cues, self.filmEnd) = (cues, filmEnd) }

        /// The start of the note with the film's end.
        static let filmEndNote = "NOTE film end "

        /// The first time that cannot be written: players look for two digits of hours, and show 100 hours as 0.
        private static let limit = 100 * 3_600_000

        private static let tooLong = ScrubError(
            .usage, "WebVTT players read only times below 100 hours, but this video ends later",
            advice: "use another index format")

        /// Checks that players can read the times.
        ///
        /// - Throws: ``ScrubError/Code/usage`` if a time is 100 hours or more.
        package func checkTimes() throws(ScrubError) {
            guard cues.allSatisfy({ $0.end < WebVTT.limit }) else { throw WebVTT.tooLong }
        }

        /// Creates the cues of a thumbnail set. Each ends where the next one begins. The last one ends one second after
        /// the film's end, rounded up, because players also look up the end itself.
        ///
        /// - Parameter baseURL: the text to put before the sheets' names; without it, they are relative to the file.
        /// - Throws: ``ScrubError/Code/usage`` if a time is 100 hours or more, ``ScrubError/Code/badData`` if the set
        ///   is not valid.
        package init(_ storyboard: Storyboard, baseURL: String? = nil) throws(ScrubError) {
            try storyboard.validate()
            guard storyboard.end.roundedUp(Rational.milliseconds) < WebVTT.limit - Int(Rational.milliseconds) else {
                throw WebVTT.tooLong
            }
            var urls: [String] = []
            for sheet in storyboard.sheets { urls.append(try SheetURL.reference(sheet.name, base: baseURL)) }
            let borders = try storyboard.cueBorders()
            filmEnd = borders.last.map { $0 - Storyboard.lastCueExtension }
            cues = zip(storyboard.thumbnails, zip(borders, borders.dropFirst())).map { thumbnail, slot in
                let region = Region(x: thumbnail.x, y: thumbnail.y, width: thumbnail.width, height: thumbnail.height)
                return Cue(start: slot.0, end: slot.1, url: urls[thumbnail.sheet], region: region)
            }
        }

        /// The file's text.
        package var text: String {
            var text = "WEBVTT\n"
            if let filmEnd { text += "\n\(WebVTT.filmEndNote)\(PlainText.clock(milliseconds: filmEnd))\n" }
            for cue in cues {
                text +=
                    "\n\(PlainText.clock(milliseconds: cue.start)) --> \(PlainText.clock(milliseconds: cue.end))\n\(cue.url)"
                if let region = cue.region {
                    text += "#xywh=\(region.x),\(region.y),\(region.width),\(region.height)"
                }
                text += "\n"
            }
            return text
        }
    }
}
