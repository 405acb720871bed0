package import ScrubBase

extension Storyboard.DASHKeyPictures {
    /// Returns the trick mode sets of a presentation that list byte ranges of one file each; other sets are ignored.
    ///
    /// - Throws: ``ScrubError/Code/badData`` with the byte offset if the text is not a presentation or if such a set
    ///   lacks a required attribute.
    package static func sets(parsing presentation: String) throws(ScrubError) -> [Storyboard.DASHKeyPictures] {
        let tags = try XMLTag.tags(presentation)
        guard tags.first?.name == "MPD" else { throw XMLTag.fault(0, "it is not a DASH presentation") }
        var scanner = KeyPictureScanner()
        for tag in tags { try scanner.take(tag) }
        return scanner.sets
    }
}

/// The state at a position in a presentation.
private struct KeyPictureScanner {
    var sets: [Storyboard.DASHKeyPictures] = []
    private var facts: [String: String] = [:]
    private var isTrickMode = false
    private var timescale = 1
    private var initialization: Range<Int>?
    private var url: String?
    private var times: [(time: Int, duration: Int)] = []
    private var ranges: [Range<Int>] = []
    private var hasList = false

    mutating func take(_ tag: XMLTag) throws(ScrubError) {
        switch tag.name {
        case "AdaptationSet":
            self = KeyPictureScanner(sets: sets)
            if !tag.isClosing { facts = tag.attributes }
        case "EssentialProperty" where !tag.isClosing:
            if tag.attributes["schemeIdUri"] == Storyboard.DASHKeyPictures.property { isTrickMode = true }
        case "Representation" where tag.isClosing: try end(tag)
        case "Representation":
            facts.merge(tag.attributes) { $1 }
            (hasList, times, ranges, initialization, url) = (false, [], [], nil, nil)
        case "SegmentList" where !tag.isClosing:
            hasList = true
            timescale = tag.attributes["timescale"]?.naturalNumber ?? 1
        case "Initialization" where hasList && !tag.isClosing:
            initialization = try range(tag, "range")
            try name(tag, "sourceURL")
        case "S" where hasList && !tag.isClosing: try time(tag)
        case "SegmentURL" where hasList && !tag.isClosing:
            guard let bytes = try range(tag, "mediaRange") else {
                throw XMLTag.fault(tag.place, "a segment has no byte range")
            }
            ranges.append(bytes)
            try name(tag, "media")
        default: break
        }
    }

    private init(sets: [Storyboard.DASHKeyPictures]) { self.sets = sets }
    init() {}

    /// Processes a file's name. All parts of a set must be in one file.
    private mutating func name(_ tag: XMLTag, _ attribute: String) throws(ScrubError) {
        guard let file = tag.attributes[attribute], url == nil || url == file else {
            throw XMLTag.fault(tag.place, "all key pictures must be in the same named file")
        }
        url = file
    }

    /// Parses `first-last`.
    private func range(_ tag: XMLTag, _ attribute: String) throws(ScrubError) -> Range<Int>? {
        guard let text = tag.attributes[attribute] else { return nil }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { $0.naturalNumber }
        guard parts.count == 2, let first = parts[0], let last = parts[1], first <= last, last < .max else {
            throw XMLTag.fault(tag.place, "'\(text)' is not a byte range")
        }
        return first..<last + 1
    }

    private mutating func time(_ tag: XMLTag) throws(ScrubError) {
        // The values are at most 2^61, and later at most 2^22 times 2^39.
        let next = times.last.map { $0.time + $0.duration } ?? 0
        guard let duration = tag.attributes["d"]?.naturalNumber, duration > 0,
            var start = tag.attributes["t"].map({ $0.naturalNumber }) ?? next,
            let repeats = tag.attributes["r"].map({ $0.naturalNumber }) ?? 0, repeats < 1 << 22 - times.count,
            duration <= Int.max >> 24, start <= Int.max >> 2
        else { throw XMLTag.fault(tag.place, "a time is missing or too large") }
        for _ in 0...repeats {
            times.append((start, duration))
            start += duration
        }
    }

    private mutating func end(_ tag: XMLTag) throws(ScrubError) {
        // Elements may be nested; a list belongs to one of them.
        defer { (hasList, times, ranges) = (false, [], []) }
        guard isTrickMode, hasList else { return }
        guard let url, let initialization, times.count == ranges.count, let codecs = facts["codecs"],
            let width = facts["width"]?.naturalNumber, let height = facts["height"]?.naturalNumber, timescale > 0
        else {
            throw XMLTag.fault(
                tag.place, "a trick mode set needs codecs, width, height, and a byte range for each time")
        }
        let set = Storyboard.DASHKeyPictures(
            url: url, codecs: codecs, width: width, height: height,
            maxPlayoutRate: facts["maxPlayoutRate"]?.naturalNumber ?? 1, timescale: timescale,
            initialization: initialization,
            segments: zip(times, ranges).map { .init(time: $0.time, duration: $0.duration, byteRange: $1) })
        guard set.isValid else { throw XMLTag.fault(tag.place, "key pictures are empty or out of order") }
        sets.append(set)
    }
}
