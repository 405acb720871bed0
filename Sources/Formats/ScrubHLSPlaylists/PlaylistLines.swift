internal import ScrubBase

/// Reads the lines of a playlist (RFC 8216, 4.1) one by one, skipping empty lines and comments.
struct PlaylistLines {
    /// The kind of a line.
    enum Line {
        /// A tag with the text after the colon.
        case tag(Substring, value: Substring)
        case uri(Substring)
    }

    private let text: [UInt8]
    private var place = 0
    /// The number of the line that was read last, from 1.
    private(set) var number = 0

    /// - Throws: `badData` if the text exceeds the size limit of a playlist or is not a playlist.
    init(_ text: [UInt8]) throws(ScrubError) {
        self.text = text
        guard text.count <= PlaylistLimits.bytes else {
            throw ScrubError(.badData, "the playlist has \(text.count) bytes, but the limit is \(PlaylistLimits.bytes)")
        }
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
        guard let first = try nextLine(), first.trimmed == "#EXTM3U" else {
            throw fault("the first line is not '#EXTM3U'")
        }
    }

    /// Whether bytes begin like a playlist.
    static func isPlaylist(_ head: some Collection<UInt8>) -> Bool {
        var rest = head[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF] as [UInt8]) { rest = rest.dropFirst(3) }
        return rest.starts(with: Array("#EXTM3U".utf8))
    }

    /// Returns the next meaningful line.
    mutating func next() throws(ScrubError) -> Line? {
        while let whole = try nextLine() {
            let line = whole.trimmed
            guard !line.isEmpty else { continue }
            guard line.utf8.first == UInt8(ascii: "#") else { return .uri(line) }
            guard line.hasPrefix("#EXT") else { continue }
            guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { return .tag(line, value: "") }
            return .tag(line[..<colon], value: line[line.utf8.index(after: colon)...])
        }
        return nil
    }

    /// Returns an error at the line read last.
    func fault(_ cause: String, _ code: ScrubError.Code = .badData, advice: String? = nil) -> ScrubError {
        ScrubError(code, cause, place: "line \(max(1, number))", advice: advice)
    }

    /// Returns the next line unchanged. Bytes are inspected, because to Swift CR LF is one character.
    private mutating func nextLine() throws(ScrubError) -> String? {
        guard place < text.count else { return nil }
        number += 1
        guard number <= PlaylistLimits.lines else {
            throw fault("the playlist has more than \(PlaylistLimits.lines) lines")
        }
        let end = text[place...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? text.endIndex
        let bytes = text[place..<end]
        let isPair = end + 1 < text.endIndex && text[end] == 0x0D && text[end + 1] == 0x0A
        place = end + (isPair ? 2 : 1)
        guard bytes.count <= PlaylistLimits.lineBytes else {
            throw fault("the line has \(bytes.count) bytes, but the limit is \(PlaylistLimits.lineBytes)")
        }
        guard !bytes.contains(0) else { throw fault("the line contains a NUL character, which text cannot contain") }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The limits of a playlist. A server may send anything.
package enum PlaylistLimits {
    /// The maximum size of a playlist in bytes.
    package static let bytes = 8 << 20
    /// The maximum number of lines in a playlist.
    package static let lines = 1 << 20
    /// The maximum size of a line in bytes.
    package static let lineBytes = 64 << 10
    /// The maximum number of media segments in a playlist.
    package static let segments = 200_000
    /// The maximum number of renditions, and of lines for other media, in a master playlist.
    package static let renditions = 1000
    /// The maximum number of attributes of a tag.
    package static let attributes = 100
    /// The maximum duration in seconds, of a segment and in total: up to 300 years, all sums in units of 10^-18 s fit
    /// in 128 bits.
    package static let seconds: Int128 = 10_000_000_000
    /// The size of a key in bytes.
    package static let keyBytes = 16
    /// The maximum size of an initialization section in bytes.
    package static let initializationBytes = 16 << 20
}

extension StringProtocol where SubSequence == Substring {
    /// The text without spaces and tabs at either end.
    var trimmed: Substring {
        var bytes = self[...].utf8
        while let first = bytes.first, first == 0x20 || first == 0x09 { bytes = bytes.dropFirst() }
        while let last = bytes.last, last == 0x20 || last == 0x09 { bytes = bytes.dropLast() }
        return Substring(bytes)
    }
}
