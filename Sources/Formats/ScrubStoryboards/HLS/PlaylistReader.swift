internal import ScrubBase

/// Reads the lines of an HLS playlist (RFC 8216) one by one, skipping empty lines and comments.
struct PlaylistReader {
    /// The kind of a line.
    enum Line: Hashable {
        /// A tag with the text after the colon.
        case tag(String, value: String)
        case uri(String)
    }

    private let lines: [String]
    private var place = 0

    init(_ text: String) throws(ScrubError) {
        lines = text.lines
        guard lines.first == "#EXTM3U" else { throw fault("the first line is not '#EXTM3U'") }
    }

    mutating func next() -> Line? {
        while place < lines.count {
            defer { place += 1 }
            let line = lines[place]
            guard !line.isEmpty, !line.hasPrefix("#") || line.hasPrefix("#EXT") else { continue }
            guard line.hasPrefix("#") else { return .uri(line) }
            let bytes = line.utf8
            guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return .tag(line, value: "") }
            return .tag(String(line[..<colon]), value: String(line[bytes.index(after: colon)...]))
        }
        return nil
    }

    /// Returns an error at the line read last.
    func fault(_ cause: String) -> ScrubError { ScrubError(.badData, cause, place: "line \(max(1, place))") }

    /// Returns the names and values of an attribute list, the values without quotation marks.
    func attributes(_ text: String) throws(ScrubError) -> [String: String] {
        var attributes: [String: String] = [:]
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            guard let equals = rest.firstIndex(of: UInt8(ascii: "=")) else { throw fault("an attribute has no value") }
            let name = String(decoding: rest[..<equals], as: UTF8.self)
            rest = rest[(equals + 1)...]
            let isQuoted = rest.first == UInt8(ascii: "\"")
            rest = isQuoted ? rest.dropFirst() : rest
            let end = rest.firstIndex(of: UInt8(ascii: isQuoted ? "\"" : ",")) ?? rest.endIndex
            guard !isQuoted || end < rest.endIndex else {
                throw fault("the value of \(name) has no closing quotation mark")
            }
            // If it were written between quotation marks again, it would end at its own one (RFC 8216, 4.2).
            guard isQuoted || !rest[..<end].contains(UInt8(ascii: "\"")) else {
                throw fault("the value of \(name) contains a quotation mark")
            }
            // Without the spaces that some writers put after commas.
            attributes[String(name.drop { $0 == " " })] = String(decoding: rest[..<end], as: UTF8.self)
            rest = rest[end...].drop { $0 != UInt8(ascii: ",") }.dropFirst()
        }
        return attributes
    }

    /// Returns the decimal number at the start of an `EXTINF` tag's value.
    func duration(_ text: String) throws(ScrubError) -> Rational {
        let number = text.prefix { $0 != "," }
        guard let duration = Rational(decimal: number), duration > .zero else {
            throw fault("'\(number)' is not a duration")
        }
        return duration
    }

    /// Returns a byte range `length[@offset]`.
    ///
    /// - Parameter next: the end of the previous range, for a range without an offset.
    func byteRange(_ text: String, next: Int?) throws(ScrubError) -> Range<Int> {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count <= 2, let length = parts[0].naturalNumber, length > 0,
            let offset = parts.count == 2 ? parts[1].naturalNumber : next, length <= Int.max - offset
        else { throw fault("'\(text)' is not a byte range") }
        return offset..<offset + length
    }
}

/// The durations and bit rates declared in HLS playlists.
enum PlaylistTimes {
    /// Returns the smallest whole number of seconds that no segment exceeds.
    static func target(_ durations: some Sequence<Rational>) -> Int128 {
        max(1, durations.map { $0.roundedUp(1) }.max() ?? 1)
    }

    /// Returns the maximum bit rate of any segment in bits per second, rounded up, at least 1.
    static func bandwidth(_ segments: some Sequence<(byteCount: Int, duration: Rational)>) -> Int {
        segments.map(bandwidth).reduce(1, max)
    }

    /// Returns the average bit rate over all segments in bits per second, rounded up; `nil` if their sum is impossibly
    /// large.
    static func averageBandwidth(_ segments: some Sequence<(byteCount: Int, duration: Rational)>) -> Int? {
        var (bytes, length) = (0, Rational.zero)
        for (count, duration) in segments {
            let (sum, overflow) = bytes.addingReportingOverflow(count)
            guard !overflow, let end = length.adding(duration) else { return nil }
            (bytes, length) = (sum, end)
        }
        return length > .zero ? bandwidth(bytes, length) : nil
    }

    /// Returns bits per second, rounded up.
    private static func bandwidth(_ count: Int, _ duration: Rational) -> Int {
        // The factors have 56, 3 and 63 bits; no file is larger.
        let bits = Int128(min(count, 1 << 56)) * 8 * Int128(duration.denominator)
        let (quotient, rest) = bits.quotientAndRemainder(dividingBy: Int128(max(1, duration.numerator)))
        return Int(clamping: quotient + (rest > 0 ? 1 : 0))
    }
}
