package import ScrubBase

extension MediaPlaylist {
    /// Parses a media playlist.
    ///
    /// - Throws: `badData` with the line if the text is not a media playlist or contradicts itself, `unavailable` for
    ///   unsupported features (variables, delta updates).
    package init(parsing text: [UInt8]) throws(ScrubError) {
        var parser = try MediaPlaylistParser(text)
        self = try parser.parse()
    }
}

/// The state for the next segment while lines are being read.
private struct MediaPlaylistParser {
    private var lines: PlaylistLines
    private var playlist = MediaPlaylist()
    private var duration: PlaylistTime?
    private var byteRange: (count: Int64, offset: Int64?)?
    private var isGap = false
    private var dateTime: String?
    private var discontinuity: Int64 = 0
    /// The keys that currently apply, one for each format.
    private var keys: [MediaPlaylist.Key] = []
    private var keySet: Int?
    private var keySets: [[MediaPlaylist.Key]: Int] = [:]
    private var start = PlaylistTime.zero

    init(_ text: [UInt8]) throws(ScrubError) { lines = try PlaylistLines(text) }

    mutating func parse() throws(ScrubError) -> MediaPlaylist {
        while let line = try lines.next() {
            switch line {
            case .tag(let name, let value): try take(String(name), value)
            case .uri(let uri): try addSegment(String(uri))
            }
        }
        guard duration == nil else { throw lines.fault("the last EXTINF has no segment: the playlist is truncated") }
        return playlist
    }

    private mutating func take(_ name: String, _ value: Substring) throws(ScrubError) {
        switch name {
        case "#EXTINF":
            guard duration == nil else { throw lines.fault("a segment has two EXTINF lines") }
            let number = value.prefix { $0 != "," }
            guard let time = PlaylistTime(number.trimmed) else {
                throw lines.fault("'\(number.prefix(40))' is not a duration")
            }
            duration = time
        case "#EXT-X-BYTERANGE": byteRange = try range(value)
        case "#EXT-X-DISCONTINUITY": discontinuity += 1
        case "#EXT-X-KEY": try setKey(AttributeList(value, lines))
        case "#EXT-X-MAP": try setInitialization(AttributeList(value, lines))
        case "#EXT-X-GAP": isGap = true
        case "#EXT-X-PROGRAM-DATE-TIME": dateTime = String(value)
        case "#EXT-X-ENDLIST": playlist.isComplete = true
        case "#EXT-X-I-FRAMES-ONLY": playlist.hasOnlyKeyPictures = true
        case "#EXT-X-INDEPENDENT-SEGMENTS": playlist.hasIndependentSegments = true
        case "#EXT-X-PLAYLIST-TYPE": playlist.type = String(value)
        case "#EXT-X-VERSION": playlist.version = try number(name, value)
        case "#EXT-X-TARGETDURATION":
            // A whole number according to the standard. Some writers add decimals, which are meaningless.
            playlist.targetDuration = try number(name, value.prefix { $0 != "." })
        case "#EXT-X-MEDIA-SEQUENCE":
            guard playlist.segments.isEmpty else { throw lines.fault("\(name) follows a segment") }
            playlist.mediaSequence = try number(name, value)
        case "#EXT-X-DISCONTINUITY-SEQUENCE":
            guard playlist.segments.isEmpty else { throw lines.fault("\(name) follows a segment") }
            playlist.discontinuitySequence = try number(name, value)
        case "#EXT-X-STREAM-INF", "#EXT-X-I-FRAME-STREAM-INF", "#EXT-X-MEDIA":
            throw lines.fault(
                "\(name.dropFirst()) is allowed only in a master playlist, but this is a media playlist")
        case "#EXT-X-IMAGES-ONLY":
            throw lines.fault("the playlist contains image sheets (EXT-X-IMAGES-ONLY), not video", .unavailable)
        case "#EXT-X-DEFINE":
            throw lines.fault("variables (EXT-X-DEFINE) are not supported", .unavailable)
        case "#EXT-X-SKIP":
            throw lines.fault("the playlist is a delta update (EXT-X-SKIP), which was not requested", .unavailable)
        default: break
        }
    }

    private func number(_ name: String, _ value: Substring) throws(ScrubError) -> Int64 {
        guard let number = value.trimmed.naturalNumber, number < 1 << 62 else {
            throw lines.fault("'\(value.prefix(40))' is not a valid number for \(name.dropFirst())")
        }
        return number
    }

    /// Parses `length[@offset]`.
    private func range(_ text: Substring) throws(ScrubError) -> (count: Int64, offset: Int64?) {
        let parts = text.trimmed.split(separator: "@", omittingEmptySubsequences: false)
        let offset = parts.count == 2 ? parts[1].naturalNumber : nil
        guard parts.count <= 2, let count = parts.first?.naturalNumber, count > 0, parts.count == 1 || offset != nil,
            count <= Int64.max - (offset ?? 0)
        else { throw lines.fault("'\(text.prefix(40))' is not a byte range") }
        return (count, offset)
    }

    private mutating func setKey(_ attributes: AttributeList) throws(ScrubError) {
        guard let method = attributes.text("METHOD") else { throw lines.fault("EXT-X-KEY has no METHOD") }
        if method == "NONE" {
            (keys, keySet) = ([], nil)
            return
        }
        guard let uri = attributes.text("URI") else { throw lines.fault("EXT-X-KEY has no URI") }
        let vector = attributes.vector("IV")
        guard attributes["IV"] == nil || vector != nil else {
            throw lines.fault("the IV of EXT-X-KEY is not a 128-bit number")
        }
        let key = MediaPlaylist.Key(
            method: method == "AES-128" ? .aes128 : .other(method), uri: uri, vector: vector,
            format: attributes["KEYFORMAT"] ?? "identity")
        keys.removeAll { $0.format == key.format }
        keys.append(key)
        guard keys.count <= 16 else { throw lines.fault("keys in too many formats") }
        if let known = keySets[keys] {
            keySet = known
        } else {
            keySet = playlist.keySets.count
            keySets[keys] = keySet
            playlist.keySets.append(keys)
        }
    }

    private mutating func setInitialization(_ attributes: AttributeList) throws(ScrubError) {
        guard let uri = attributes.text("URI") else { throw lines.fault("EXT-X-MAP has no URI") }
        var part: Range<Int64>?
        if let text = attributes["BYTERANGE"] {
            let (count, offset) = try range(text[...])
            // Without an offset, the range begins at the start of the resource, because nothing precedes it.
            part = (offset ?? 0)..<(offset ?? 0) + count
        }
        playlist.initializations.append(
            .init(resource: .init(uri: uri, range: part), keys: keys, line: lines.number))
    }

    private mutating func addSegment(_ uri: String) throws(ScrubError) {
        guard let duration else { throw lines.fault("the segment '\(uri.prefix(80))' has no EXTINF") }
        guard playlist.segments.count < PlaylistLimits.segments else {
            throw lines.fault("the playlist has more than \(PlaylistLimits.segments) segments")
        }
        var part: Range<Int64>?
        if let (count, offset) = byteRange {
            guard let from = offset ?? end(of: uri) else {
                throw lines.fault(
                    "a byte range has no offset, but the previous segment is in a different resource"
                )
            }
            guard count <= Int64.max - from else { throw lines.fault("a byte range ends beyond 2^63") }
            part = from..<from + count
        }
        let total = start + duration
        guard total.attoseconds <= PlaylistLimits.seconds * 1_000_000_000_000_000_000 else {
            throw lines.fault("the durations add up to more than \(PlaylistLimits.seconds) seconds")
        }
        playlist.segments.append(
            .init(
                resource: .init(uri: uri, range: part), duration: duration, start: start,
                sequence: playlist.mediaSequence + Int64(playlist.segments.count),
                discontinuity: playlist.discontinuitySequence + discontinuity,
                initialization: playlist.initializations.isEmpty ? nil : playlist.initializations.count - 1,
                keySet: keySet, isGap: isGap, dateTime: dateTime, line: lines.number))
        (self.duration, byteRange, isGap, dateTime, start) = (nil, nil, false, nil, total)
    }

    /// Returns the end of the previous segment, if that is a part of the same resource.
    private func end(of uri: String) -> Int64? {
        guard let last = playlist.segments.last, last.resource.uri == uri else { return nil }
        return last.resource.range?.upperBound
    }
}
