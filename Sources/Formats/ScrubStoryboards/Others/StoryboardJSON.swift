public import ScrubBase

extension Storyboard {
    /// `manifest.json`: everything that is known about a thumbnail set.
    ///
    /// Times are decimal seconds to the nanosecond. A time that is not a whole number of nanoseconds has a second
    /// member with the suffix `Ratio`, which contains the exact ratio as text
    /// (`"seconds":0.033366667,"secondsRatio":"1001/30000"`). The rounded time may fall in another frame.
    package enum JSON {
        /// Returns a set's manifest.
        ///
        /// - Throws: ``ScrubError/Code/badData`` if the set is not valid.
        package static func manifest(_ storyboard: Storyboard) throws(ScrubError) -> String {
            try storyboard.validate()
            var json = JSONText()
            json.add("file", storyboard.file)
            json.add("frameCount", storyboard.frameCount)
            json.add(time: "duration", storyboard.duration)
            if storyboard.playerStart > .zero { json.add(time: "playerStart", storyboard.playerStart) }
            json.add("format", storyboard.format.rawValue)
            json.add("tileWidth", storyboard.tileWidth)
            json.add("tileHeight", storyboard.tileHeight)
            json.add("columns", storyboard.columns)
            json.add("rows", storyboard.rows)
            json.add(
                "sheets",
                lines: storyboard.sheets.map { sheet in
                    var json = JSONText()
                    json.add("name", sheet.name)
                    json.add("width", sheet.width)
                    json.add("height", sheet.height)
                    json.add("bytes", sheet.byteCount)
                    return json
                })
            if let identifier = storyboard.sourceIdentifier { json.add("made", identifier) }
            if !storyboard.otherFiles.isEmpty {
                json.add("files", .array(storyboard.otherFiles.map { .string($0) }))
            }
            json.add(
                "thumbnails", lines: storyboard.thumbnails.map { text($0, sheet: storyboard.sheets[$0.sheet].name) })
            return json.file
        }

        private static func text(_ thumbnail: Storyboard.Thumbnail, sheet: String) -> JSONText {
            var json = JSONText()
            json.add("index", thumbnail.index)
            json.add(time: "start", thumbnail.start)
            json.add(time: "requested", thumbnail.requestedTime)
            json.add(time: "seconds", thumbnail.time)
            json.add("frame", thumbnail.frameNumber)
            json.add("verdict", thumbnail.verdict)
            json.add("sheet", sheet)
            json.add("x", thumbnail.x)
            json.add("y", thumbnail.y)
            json.add("width", thumbnail.width)
            json.add("height", thumbnail.height)
            json.add("repeat", thumbnail.isRepeat)
            if thumbnail.isFromPreview { json.add("preview", true) }
            if let hash = thumbnail.blurHash { json.add("blurHash", hash) }
            if let hash = thumbnail.thumbHash { json.add("thumbHash", hash) }
            return json
        }

        /// Returns a manifest's set. Unknown members are ignored.
        ///
        /// - Throws: ``ScrubError/Code/badData`` with the place if the text is not JSON, a member is missing or of the
        ///   wrong type, or the set is not valid.
        package static func storyboard(parsing text: String) throws(ScrubError) -> Storyboard {
            let json = try JSONObject(try JSONReader.value(text))
            guard let format = ImageFormat(rawValue: try json.string("format")) else {
                throw json.fault("format", "a known image format")
            }
            var sheets: [Storyboard.Sheet] = []
            var numbers: [String: Int] = [:]
            for sheet in try json.objects("sheets") {
                let name = try sheet.string("name")
                numbers[name] = sheets.count
                sheets.append(
                    .init(
                        name: name, width: try sheet.integer("width"), height: try sheet.integer("height"),
                        byteCount: try sheet.integer("bytes")))
            }
            var thumbnails: [Storyboard.Thumbnail] = []
            for thumbnail in try json.objects("thumbnails") {
                guard let sheet = numbers[try thumbnail.string("sheet")] else {
                    throw thumbnail.fault("sheet", "the name of a sheet")
                }
                thumbnails.append(
                    .init(
                        index: try thumbnail.integer("index"), start: try thumbnail.time("start"),
                        requestedTime: try thumbnail.time("requested"), time: try thumbnail.time("seconds"),
                        frameNumber: try thumbnail.integer("frame"), verdict: try thumbnail.string("verdict"),
                        sheet: sheet,
                        x: try thumbnail.integer("x"), y: try thumbnail.integer("y"),
                        width: try thumbnail.integer("width"), height: try thumbnail.integer("height"),
                        isRepeat: try thumbnail.boolean("repeat"),
                        blurHash: thumbnail.has("blurHash") ? try thumbnail.string("blurHash") : nil,
                        thumbHash: thumbnail.has("thumbHash") ? try thumbnail.string("thumbHash") : nil))
                if thumbnail.has("preview") {
                    thumbnails[thumbnails.count - 1].isFromPreview = try thumbnail.boolean("preview")
                }
            }
            var storyboard = Storyboard(
                file: try json.string("file"), frameCount: try json.integer("frameCount"),
                duration: try json.time("duration"), tileWidth: try json.integer("tileWidth"),
                tileHeight: try json.integer("tileHeight"), columns: try json.integer("columns"),
                rows: try json.integer("rows"), format: format, sheets: sheets, thumbnails: thumbnails)
            if json.has("playerStart") { storyboard.playerStart = try json.time("playerStart") }
            if json.has("made") { storyboard.sourceIdentifier = try json.string("made") }
            if json.has("files") { storyboard.otherFiles = try json.strings("files") }
            try storyboard.validate()
            return storyboard
        }
    }
}

extension Storyboard {
    /// The set as the text of `manifest.json`.
    ///
    /// Times are decimal seconds, rounded to the nanosecond. A time that is not a whole number of nanoseconds has a
    /// second member with the suffix `Ratio`, which contains the exact ratio as text.
    ///
    /// - Throws: ``ScrubError/Code/badData`` with the location of the first fault if the set is not valid; see
    ///   ``validate()``.
    public var manifest: String { get throws(ScrubError) { try JSON.manifest(self) } }

    /// Creates a set from the text of a `manifest.json`. Unknown members are ignored.
    ///
    /// - Throws: ``ScrubError/Code/badData`` with the location of the first fault if the text is not JSON, if a member
    ///   is missing or has the wrong type, or if the set is not valid.
    public init(manifest text: String) throws(ScrubError) { self = try JSON.storyboard(parsing: text) }
}

extension JSONText {
    fileprivate mutating func add(time key: String, _ value: Rational) {
        let decimal = value.decimal()
        add(key, decimal: decimal)
        if Rational(decimal: decimal) != value { add(key + "Ratio", value.description) }
    }
}

extension JSONObject {
    fileprivate func time(_ key: String) throws(ScrubError) -> Rational {
        let decimal = try rational(key)
        guard has(key + "Ratio") else { return decimal }
        let text = try string(key + "Ratio")
        guard let exact = Rational(ratio: text), exact.decimal() == decimal.decimal() else {
            throw fault(key + "Ratio", "the ratio of '\(key)'")
        }
        return exact
    }
}
