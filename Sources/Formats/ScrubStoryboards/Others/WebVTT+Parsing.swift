package import ScrubBase

extension Storyboard.WebVTT {
    /// Parses a file as players do. Hours may be omitted, cues may have names and settings, notes and styles are
    /// ignored, and a region may be missing or contain `pixel:`.
    ///
    /// - Throws: ``ScrubError/Code/badData`` with the line for which players would show a wrong picture or no picture.
    package init(parsing text: String) throws(ScrubError) {
        let lines = text.lines
        guard let first = lines.first, first == "WEBVTT" || first.hasPrefix("WEBVTT ") || first.hasPrefix("WEBVTT\t")
        else { throw Storyboard.WebVTT.fault(0, "the first line is not 'WEBVTT'") }
        var (cues, filmEnd) = ([Cue](), Int?.none)
        // The header continues until an empty line.
        var place = lines.firstIndex(where: \.isEmpty) ?? lines.count
        while place < lines.count {
            guard !lines[place].isEmpty else {
                place += 1
                continue
            }
            let end = lines[place...].firstIndex(where: \.isEmpty) ?? lines.count
            if let cue = try Storyboard.WebVTT.cue(lines, place..<end) { cues.append(cue) }
            if lines[place].hasPrefix(Storyboard.WebVTT.filmEndNote) {
                filmEnd = Storyboard.WebVTT.milliseconds(lines[place].dropFirst(Storyboard.WebVTT.filmEndNote.count))
            }
            place = end
        }
        self.init(cues: cues, filmEnd: filmEnd)
    }

    /// Returns the cue in a block of lines; `nil` for a note, a style or a region.
    private static func cue(_ lines: [String], _ block: Range<Int>) throws(ScrubError) -> Cue? {
        let head = lines[block.lowerBound]
        let timing = block.prefix(2).first { lines[$0].contains("-->") }
        guard let timing else {
            let isOther = ["NOTE", "STYLE", "REGION"].contains { head == $0 || head.hasPrefix($0 + " ") }
            guard isOther || head.hasPrefix("NOTE\t") else { throw fault(block.lowerBound, "a cue without a time") }
            return nil
        }
        let words = lines[timing].split { $0 == " " || $0 == "\t" }
        guard words.count >= 3, words[1] == "-->", let start = milliseconds(words[0]),
            let end = milliseconds(words[2])
        else { throw fault(timing, "'\(lines[timing])' is not a cue timing") }
        guard start < end else { throw fault(timing, "the cue's end is not after its start") }
        guard timing + 1 < block.upperBound else { throw fault(timing, "the cue does not name an image") }
        let payload = lines[timing + 1].utf8.split(
            separator: UInt8(ascii: "#"), maxSplits: 1, omittingEmptySubsequences: false
        ).map { String(decoding: $0, as: UTF8.self) }
        guard !payload[0].isEmpty else { throw fault(timing + 1, "the cue does not name an image") }
        guard payload.count > 1 else { return Cue(start: start, end: end, url: payload[0], region: nil) }
        guard let region = region(payload[1]) else {
            throw fault(timing + 1, "'#\(payload[1])' is not a region in pixels")
        }
        return Cue(start: start, end: end, url: payload[0], region: region)
    }

    /// Returns milliseconds of `[hours:]minutes:seconds.milliseconds`.
    private static func milliseconds(_ text: Substring) -> Int? {
        let halves = text.split(separator: ".", omittingEmptySubsequences: false)
        guard halves.count == 2, halves[1].utf8.count == 3, let rest = halves[1].naturalNumber else { return nil }
        let parts = halves[0].split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), parts.allSatisfy({ (2...9).contains($0.utf8.count) }) else { return nil }
        var seconds = 0
        for (place, part) in parts.reversed().enumerated() {
            guard let value = part.naturalNumber, place == 2 || value < 60 else { return nil }
            seconds += value * [1, 60, 3600][place]
        }
        return seconds * 1000 + rest
    }

    private static func region(_ fragment: String) -> Region? {
        for prefix in ["xywh=pixel:", "xywh="] where fragment.hasPrefix(prefix) {
            let parts = fragment.dropFirst(prefix.count).split(separator: ",", omittingEmptySubsequences: false)
            let numbers = parts.compactMap { $0.naturalNumber }
            guard numbers.count == 4, parts.count == 4, numbers[2] > 0, numbers[3] > 0 else { return nil }
            return Region(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
        }
        return nil
    }

    private static func fault(_ line: Int, _ cause: String) -> ScrubError {
        ScrubError(.badData, cause, place: "line \(line + 1)")
    }
}
