import Testing

/// A part of an image that a player shows.
struct ShownPicture: Hashable {
    var url: String
    var x: Int
    var y: Int
    var width: Int
    var height: Int
}

/// A web player's view of a WebVTT file, and its look-up of a time, reimplemented from its known behaviour.
struct CueRules {
    private var cues: [(start: Double, end: Double, picture: ShownPicture)] = []
    private var includesEnd = false

    /// The first cue whose time it is.
    func picture(at time: Double) -> ShownPicture? {
        cues.first { $0.start <= time && (time < $0.end || includesEnd && time == $0.end) }?.picture
    }

    /// Plyr: two digits of hours at most, anywhere in the line; both ends of a cue belong to it.
    static func plyr(_ text: String) throws -> CueRules {
        let clock = /(\d{2})?:?(\d{2}):(\d{2}).(\d{2,3}) ?--> ?(\d{2})?:?(\d{2}):(\d{2}).(\d{2,3})/
        var rules = CueRules(includesEnd: true)
        for block in text.split(separator: "\n\n") {
            var range: (Double, Double)?
            for line in block.split(separator: "\n") {
                if let (start, end) = range {
                    let parts = line.split(separator: "#xywh=")
                    rules.cues.append((start, end, try picture(parts[0], try #require(parts.last))))
                } else if let m = line.firstMatch(of: clock)?.output {
                    range = (seconds(m.1, m.2, m.3, m.4), seconds(m.5, m.6, m.7, m.8))
                }
            }
        }
        return rules
    }

    private static func seconds(_ h: Substring?, _ m: Substring, _ s: Substring, _ part: Substring) -> Double {
        (Double(h ?? "0") ?? 0) * 3600 + (Double(m) ?? 0) * 60 + (Double(s) ?? 0) + (Double("0.\(part)") ?? 0)
    }

    /// The cues as a browser gives them to a page: strict times, end exclusive.
    private static func browserCues(
        _ text: String, _ picture: (String) throws -> ShownPicture
    ) throws -> CueRules {
        let line = /(?:(\d{2,}):)?([0-5]\d):([0-5]\d)\.(\d{3})\s+-->\s+(?:(\d{2,}):)?([0-5]\d):([0-5]\d)\.(\d{3})/
        try #require(text.hasPrefix("WEBVTT\n"))
        var rules = CueRules()
        for block in text.split(separator: "\n\n").dropFirst() where !block.hasPrefix("NOTE ") {
            let lines = block.split(separator: "\n")
            try #require(lines.count == 2)
            let m = try #require(lines[0].wholeMatch(of: line)).output
            let (start, end) = (seconds(m.1, m.2, m.3, m.4), seconds(m.5, m.6, m.7, m.8))
            rules.cues.append((start, end, try picture(String(lines[1]))))
        }
        return rules
    }

    /// media-chrome: a cue without `#xywh` is a crash.
    static func mediaChrome(_ text: String) throws -> CueRules {
        try browserCues(text) { cue in
            let hash = try #require(cue.firstIndex(of: "#"))
            try #require(cue[hash...].hasPrefix("#xywh="))
            return try CueRules.picture(cue[..<hash], cue[hash...].dropFirst(6))
        }
    }

    /// Vidstack: names and values follow the first `#`.
    static func vidstack(_ text: String) throws -> CueRules {
        try browserCues(text) { cue in
            let parts = cue.split(separator: "#", maxSplits: 1)
            let pair = try #require(parts.last).split(separator: "=")
            try #require(pair.first == "xywh" && pair.count == 2)
            return try CueRules.picture(parts[0], pair[1])
        }
    }

    /// Shaka: four integers behind `#xywh=`, whatever is behind them.
    static func shaka(_ text: String) throws -> CueRules {
        try browserCues(text) { cue in
            let match = try #require(try /(.*)#xywh=(\d+,\d+,\d+,\d+)/.firstMatch(in: cue)).output
            return try CueRules.picture(match.1, match.2)
        }
    }

    private static func picture(_ url: Substring, _ numbers: Substring) throws -> ShownPicture {
        let parts = numbers.split(separator: ",")
        try #require(parts.count == 4)
        return .init(
            url: String(url), x: try number(parts[0]), y: try number(parts[1]), width: try number(parts[2]),
            height: try number(parts[3]))
    }

    static func number(_ text: Substring) throws -> Int { try #require(Int(text)) }
}

/// The reading of grids of tiles by players, reimplemented from their known behaviour.
enum GridRules {
    /// A sheet as a player has read it, in seconds and in width, height, columns and rows.
    struct Sheet {
        var url: String
        var start: Double
        var end: Double
        var tileDuration: Double
        var grid: [Int]

        func picture(at time: Double) -> ShownPicture { tile(Int((time - start) / tileDuration), url: url, grid: grid) }
    }

    /// Shaka over an HLS image playlist: it multiplies the resolution by the layout and asks for parts of that.
    static func shakaHLS(_ text: String) throws -> [Sheet] {
        var (length, tileDuration, grid, sheets) = (0.0, 0.0, [Int](), [Sheet]())
        for line in text.split(separator: "\n") {
            if let match = line.firstMatch(of: /^#EXTINF:([\d.]+),/) { length = try #require(Double(match.output.1)) }
            if let match = line.firstMatch(of: /^#EXT-X-TILES:RESOLUTION=(\d+)x(\d+),LAYOUT=(\d+)x(\d+),DURATION=(.+)$/)
            {
                let m = match.output
                grid = [m.1, m.2, m.3, m.4].compactMap { Int($0) }
                tileDuration = try #require(Double(m.5))
            }
            guard !line.hasPrefix("#") else { continue }
            let start = sheets.last?.end ?? 0
            sheets.append(
                Sheet(url: String(line), start: start, end: start + length, tileDuration: tileDuration, grid: grid))
        }
        return sheets
    }

    private static func tile(_ number: Int, url: String, grid: [Int]) -> ShownPicture {
        .init(
            url: url, x: number % grid[2] * grid[0], y: number / grid[2] * grid[1], width: grid[0], height: grid[1])
    }

    /// Shaka and dash.js over DASH tiles: the sheet's size divided by the grid, its time divided by the tiles.
    ///
    /// - Returns: `count` sheets, which is for the caller to say.
    static func dash(_ text: String, count: Int) throws -> [Sheet] {
        func attribute(_ name: String) throws -> String {
            let match = try #require(try Regex("\\b\(name)=\"([^\"]*)\"").firstMatch(in: text))
            return String(try #require(match.output[1].substring))
        }
        let property = /http:\/\/dashif.org\/(?:guidelines\/)?thumbnail_tile" value="(\d+)x(\d+)"/
        let value = try #require(try property.firstMatch(in: text)).output
        let (columns, rows) = (try CueRules.number(value.1), try CueRules.number(value.2))
        let template = try #require(try /<SegmentTemplate [^>]*>/.firstMatch(in: text)).output
        let duration = try #require(try /\sduration="(\d+)"/.firstMatch(in: template)).output.1
        let segment = try #require(Double(duration)) / (try #require(Double(try attribute("timescale"))))
        let first = try #require(Int(try attribute("startNumber")))
        let media = try attribute("media").replacing("&amp;", with: "&")
        let width = try #require(Int(try attribute("width"))) / columns
        let height = try #require(Int(try attribute("height"))) / rows
        return try (0..<count).map { sheet in
            let match = try #require(try /\$Number(?:%0(\d+)d)?\$/.firstMatch(in: media))
            let (digits, number) = (match.output.1.flatMap { Int($0) } ?? 1, String(first + sheet))
            let padded = String(repeating: "0", count: max(0, digits - number.count)) + number
            return Sheet(
                url: String(media[..<match.range.lowerBound]) + padded + media[match.range.upperBound...],
                start: Double(sheet) * segment,
                end: Double(sheet + 1) * segment, tileDuration: segment / Double(columns * rows),
                grid: [width, height, columns, rows])
        }
    }

    /// Jellyfin: sheets by number, tiles by the server's interval.
    static func jellyfin(
        folder: String, interval: Int, height: Int, at time: Double
    ) throws -> ShownPicture {
        let match = try #require(try /^(\d+) - (\d+)x(\d+)$/.wholeMatch(in: folder)).output
        let (width, columns, rows) = (
            try CueRules.number(match.1), try CueRules.number(match.2), try CueRules.number(match.3)
        )
        let number = Int(time * 1000) / (interval * 1000)
        let sheet = number / (columns * rows)
        return tile(number - sheet * columns * rows, url: "\(sheet).jpg", grid: [width, height, columns, rows])
    }
}
