public import ScrubBase

extension Storyboard {
    /// Thumbnails as a JSON array of images with their times and places, on any number of sheets. Vidstack's player
    /// takes it as a value (its `ThumbnailImageInit[]`), and a page's own script has the least work with it.
    ///
    /// Vidstack resolves relative URLs of an array that a script hands to it against the page's address. It does not
    /// resolve addresses at all in an array that it fetches itself: import the array, or give the player WebVTT.
    ///
    /// Thread safety: a value.
    public struct JSONImages: Hashable, Sendable {
        /// A picture and the time in which it is shown.
        public struct Image: Hashable, Sendable {
            /// The image's URL, as it is in the file.
            public var url: String
            /// Seconds; written as whole milliseconds.
            public var start: Rational
            /// Seconds; not part of the slot. `nil` for until the next one begins.
            public var end: Rational?
            /// The part of the image in pixels; `nil` for all of it.
            public var region: Storyboard.WebVTT.Region?

            /// Makes an image.
            public init(url: String, start: Rational, end: Rational?, region: Storyboard.WebVTT.Region?) {
                (self.url, self.start, self.end, self.region) = (url, start, end, region)
            }
        }

        /// The images, in the order of their times.
        public var images: [Image]

        /// When the film ends, in seconds of the images' time; `nil` when the file does not say it. It is the member
        /// `filmEnd` of the last image, whose own end is later. Players ignore it and `<scrub-strip>` reads it.
        public var filmEnd: Rational?

        /// Makes an array of images.
        public init(images: [Image], filmEnd: Rational? = nil) { (self.images, self.filmEnd) = (images, filmEnd) }

        /// Creates the array of a thumbnail set. Each image ends where the next one begins. The last one ends a second
        /// after the end, rounded up. Times are the same as in ``Storyboard/WebVTT/init(_:baseURL:)``.
        ///
        /// - Parameter baseURL: the text before the sheets' names; without one, they are relative to the file.
        /// - Throws: ``ScrubError/Code/usage`` if the base is not a URL,
        ///   ``ScrubError/Code/badData`` if the set is not valid.
        public init(_ storyboard: Storyboard, baseURL: String? = nil) throws(ScrubError) {
            try storyboard.validate()
            let borders = try storyboard.cueBorders()
            filmEnd = borders.last.map {
                Rational(Int64($0 - Storyboard.lastCueExtension), Rational.milliseconds)
            }
            var urls: [String] = []
            for sheet in storyboard.sheets { urls.append(try SheetURL.reference(sheet.name, base: baseURL)) }
            images = zip(storyboard.thumbnails, zip(borders, borders.dropFirst())).map { thumbnail, slot in
                Image(
                    url: urls[thumbnail.sheet], start: Rational(Int64(slot.0), Rational.milliseconds),
                    end: Rational(Int64(slot.1), Rational.milliseconds),
                    region: .init(x: thumbnail.x, y: thumbnail.y, width: thumbnail.width, height: thumbnail.height))
            }
        }

        /// Makes the array of a WebVTT file's cues.
        public init(_ vtt: Storyboard.WebVTT) {
            filmEnd = vtt.filmEnd.map { Rational(Int64($0), Rational.milliseconds) }
            images = vtt.cues.map {
                Image(
                    url: $0.url, start: Rational(Int64($0.start), Rational.milliseconds),
                    end: Rational(Int64($0.end), Rational.milliseconds), region: $0.region)
            }
        }

        /// The file's text, one image on a line.
        public var text: String {
            JSONText.file(
                images.enumerated().map { number, image in
                    var json = JSONText()
                    json.add("url", image.url)
                    json.add("startTime", decimal: image.start.slotText)
                    if let end = image.end { json.add("endTime", decimal: end.slotText) }
                    if let region = image.region {
                        json.add("width", region.width)
                        json.add("height", region.height)
                        var coords = JSONText()
                        coords.add("x", region.x)
                        coords.add("y", region.y)
                        json.add("coords", .object(coords))
                    }
                    if let filmEnd, number == images.count - 1 { json.add("filmEnd", decimal: filmEnd.slotText) }
                    return json
                })
        }

        /// Reads an array. Members that are not known are passed over; an end and a place may be missing, as with
        /// Vidstack.
        ///
        /// - Throws: ``ScrubError/Code/badData`` with the place if the text is not such an array, an image names no
        ///   picture or no part of one, or the times do not ascend.
        public init(parsing text: String) throws(ScrubError) {
            images = []
            for json in try JSONObject.objects(try JSONReader.value(text)) {
                filmEnd = json.has("filmEnd") ? try json.rational("filmEnd") : nil
                let url = try json.string("url")
                guard !url.isEmpty else { throw json.fault("url", "no image") }
                let start = try json.rational("startTime")
                guard start >= .zero, images.last.map({ $0.start < start }) ?? true else {
                    throw json.fault("startTime", "no time behind the image before")
                }
                let end = json.has("endTime") ? try json.rational("endTime") : nil
                guard end.map({ start < $0 }) ?? true else { throw json.fault("endTime", "no time behind 'startTime'") }
                images.append(Image(url: url, start: start, end: end, region: try JSONImages.region(json)))
            }
        }

        private static func region(_ json: JSONObject) throws(ScrubError) -> Storyboard.WebVTT.Region? {
            guard json.has("coords") else { return nil }
            let coords = try json.object("coords")
            let region = Storyboard.WebVTT.Region(
                x: try coords.integer("x"), y: try coords.integer("y"), width: try json.integer("width"),
                height: try json.integer("height"))
            guard region.x >= 0, region.y >= 0, region.width > 0, region.height > 0 else {
                throw json.fault("coords", "no part of an image")
            }
            return region
        }
    }
}
