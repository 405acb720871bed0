package import ScrubBase

extension Storyboard {
    /// Thumbnails as a JSON array of images with their times and places, on any number of sheets. Vidstack's player
    /// accepts it as a value (its `ThumbnailImageInit[]`), and it is the easiest format for a page's own script.
    ///
    /// If a script passes an array to Vidstack, relative URLs are resolved against the page's address. If Vidstack
    /// fetches the array itself, it does not resolve them: import the array, or give the player WebVTT.
    ///
    /// Thread safety: a value type.
    package struct JSONImages: Hashable, Sendable {
        /// A picture and the time during which it is shown.
        package struct Image: Hashable, Sendable {
            /// The image's URL, as written in the file.
            package var url: String
            /// The start of the slot in seconds; written as whole milliseconds.
            package var start: Rational
            /// The end of the slot in seconds, exclusive; `nil` if the slot ends when the next one begins.
            package var end: Rational?
            /// The part of the image in pixels; `nil` for the entire image.
            package var region: Storyboard.WebVTT.Region?

            /// Creates an image.
            package init(url: String, start: Rational, end: Rational?, region: Storyboard.WebVTT.Region?) {
                (self.url, self.start, self.end, self.region) = (url, start, end, region)
            }
        }

        /// The images, in time order.
        package var images: [Image]

        /// The end of the film, in seconds of the images' time; `nil` if the file does not specify it. It is the member
        /// `filmEnd` of the last image, whose own end is later. Players ignore the member, but `<scrub-strip>` reads
        /// it.
        package var filmEnd: Rational?

        /// Creates an array of images.
        package init(images: [Image], filmEnd: Rational? = nil) { (self.images, self.filmEnd) = (images, filmEnd) }

        /// Creates the array of a thumbnail set. Each image ends where the next one begins. The last one ends one
        /// second after the film's end, rounded up. Times are the same as in ``Storyboard/WebVTT/init(_:baseURL:)``.
        ///
        /// - Parameter baseURL: the text to put before the sheets' names; without it, they are relative to the file.
        /// - Throws: ``ScrubError/Code/usage`` if the base is not a URL,
        ///   ``ScrubError/Code/badData`` if the set is not valid.
        package init(_ storyboard: Storyboard, baseURL: String? = nil) throws(ScrubError) {
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

        /// Creates the array from a WebVTT file's cues.
        package init(_ vtt: Storyboard.WebVTT) {
            filmEnd = vtt.filmEnd.map { Rational(Int64($0), Rational.milliseconds) }
            images = vtt.cues.map {
                Image(
                    url: $0.url, start: Rational(Int64($0.start), Rational.milliseconds),
                    end: Rational(Int64($0.end), Rational.milliseconds), region: $0.region)
            }
        }

        /// The file's text, one image per line.
        package var text: String {
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

        /// Parses an array. Unknown members are ignored; an end and a region may be missing, as in Vidstack.
        ///
        /// - Throws: ``ScrubError/Code/badData`` with the place if the text is not such an array, if an image does not
        ///   name a picture or an existing part of one, or if the times do not ascend.
        package init(parsing text: String) throws(ScrubError) {
            images = []
            for json in try JSONObject.objects(try JSONReader.value(text)) {
                filmEnd = json.has("filmEnd") ? try json.rational("filmEnd") : nil
                let url = try json.string("url")
                guard !url.isEmpty else { throw json.fault("url", "an image URL") }
                let start = try json.rational("startTime")
                guard start >= .zero, images.last.map({ $0.start < start }) ?? true else {
                    throw json.fault("startTime", "a time after that of the previous image")
                }
                let end = json.has("endTime") ? try json.rational("endTime") : nil
                guard end.map({ start < $0 }) ?? true else { throw json.fault("endTime", "a time after 'startTime'") }
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
                throw json.fault("coords", "a region of an image")
            }
            return region
        }
    }
}
