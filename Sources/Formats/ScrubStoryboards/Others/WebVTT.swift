public import ScrubBase

extension Storyboard {
    /// Thumbnails as a WebVTT file (W3C) whose cues name regions of images, for web players.
    ///
    /// It is written so that all of them can: UTF-8, line feeds, times always with hours, no settings, and one line to
    /// a cue. `#xywh=` is in plain pixels (Media Fragments' default unit) even for a whole picture.
    ///
    /// Thread safety: a value.
    public struct WebVTT: Hashable, Sendable {
        /// A part of an image, in pixels.
        public struct Region: Hashable, Sendable {
            /// Pixels from the left edge.
            public var x: Int
            /// Pixels from the upper edge.
            public var y: Int
            /// Pixels.
            public var width: Int
            /// Pixels.
            public var height: Int

            /// Makes a region.
            public init(x: Int, y: Int, width: Int, height: Int) {
                (self.x, self.y, self.width, self.height) = (x, y, width, height)
            }
        }

        /// A picture and the time in which it is shown.
        public struct Cue: Hashable, Sendable {
            /// Milliseconds.
            public var start: Int
            /// Milliseconds; not part of the cue.
            public var end: Int
            /// The image's URL without the fragment, as it is in the file.
            public var url: String
            /// The part of the image; `nil` for all of it.
            public var region: Region?

            /// Makes a cue.
            public init(start: Int, end: Int, url: String, region: Region?) {
                (self.start, self.end, self.url, self.region) = (start, end, url, region)
            }

            /// The URL with its percent sequences resolved: for a relative one, the path of the sheet.
            public var path: String? { SheetURL.decoded(url) }
        }

        /// The cues in the file's order.
        public var cues: [Cue]

        /// When the film ends, in milliseconds of the cues' time; `nil` when the file does not say it. The last cue
        /// ends later. It is a note (`NOTE film end 00:01:00.334`), which players pass over and `<scrub-strip>` reads.
        public var filmEnd: Int?

        /// Makes a file of cues.
        public init(cues: [Cue], filmEnd: Int? = nil) { (self.cues, self.filmEnd) = (cues, filmEnd) }

        /// What the note with the film's end begins with.
        static let filmEndNote = "NOTE film end "

        /// The first time that cannot be written: players look for two digits of hours, and show 100 hours as 0.
        private static let limit = 100 * 3_600_000

        private static let tooLong = ScrubError(
            .usage, "WebVTT players read times below 100 hours only, and this video ends after them",
            advice: "write another index format")

        /// Proves that players can read the times.
        ///
        /// - Throws: ``ScrubError/Code/usage`` when one is 100 hours or more.
        package func checkTimes() throws(ScrubError) {
            guard cues.allSatisfy({ $0.end < WebVTT.limit }) else { throw WebVTT.tooLong }
        }

        /// Creates the cues of a thumbnail set. Each ends where the next one begins. The last one ends a second after
        /// the end, rounded up, because players look up the end itself too.
        ///
        /// - Parameter baseURL: the text before the sheets' names; without one, they are relative to the file.
        /// - Throws: ``ScrubError/Code/usage`` when a time is 100 hours or more,
        ///   ``ScrubError/Code/badData`` when the set is not valid.
        public init(_ storyboard: Storyboard, baseURL: String? = nil) throws(ScrubError) {
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
        public var text: String {
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
