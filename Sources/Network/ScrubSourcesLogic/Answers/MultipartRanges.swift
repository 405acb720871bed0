/// A streaming parser of a `multipart/byteranges` body that determines which bytes of the content each piece contains.
///
/// A part's length comes from its `Content-Range`, so nothing in the content is mistaken for a boundary. Each part must
/// belong to the request: it begins and ends inside requested ranges, and its content has the same length. Parts may
/// arrive in any order, joined over small gaps, overlapping, shorter, or not at all; the caller determines the missing
/// bytes. Everything besides the content is bounded.
///
/// Cost: linear; memory for at most one line.
package struct MultipartRanges: Sendable {
    /// The end of a body.
    package enum Step: Hashable, Sendable {
        case more
        /// The body is rejected from here on; with the reason, a clause without a full stop.
        case wrong(String)
    }

    private enum Place: Hashable, Sendable {
        /// Before the first boundary, where bytes are ignored.
        case preamble
        /// In the header fields of a part.
        case head
        /// In the content, with the bytes that are still to come.
        case body(Range<Int64>)
        /// After a part: an empty line, and then a boundary.
        case behind(hasEnded: Bool)
        /// After the last boundary.
        case closed
        case failed
    }

    /// The maximum number of bytes of a line, of a part's header fields, and before the first or after the last
    /// boundary.
    private static let lineLimit = 1024
    private static let headLimit = 4096
    private static let margin = 1024
    /// The maximum number of bytes that were not requested or arrived before, plus one for each ``wasteShare``
    /// requested bytes.
    private static let wasteLimit: Int64 = 64 * 1024
    private static let wasteShare: Int64 = 8

    private let delimiter: [UInt8]
    private let asked: ByteRanges
    private let total: Int64
    private let entityTag: String?
    private var place = Place.preamble
    private var line: [UInt8] = []
    private var headBytes = 0
    private var marginBytes = 0
    private var range: Range<Int64>?
    private var hasSeveralRanges = false
    private var partCount = 0
    private var seen = ByteRanges()
    private var waste: Int64 = 0

    /// Creates a parser.
    ///
    /// - Parameters:
    ///   - boundary: the boundary as returned by ``MultipartBoundary``.
    ///   - asked: the requested ranges.
    ///   - total: the size of the content in bytes.
    ///   - entityTag: the tag in the response header; a part with another one belongs to other content.
    package init(boundary: String, asked: ByteRanges, total: Int64, entityTag: String?) {
        delimiter = Array("--\(boundary)".utf8)
        (self.asked, self.total, self.entityTag) = (asked, total, entityTag)
    }

    /// Whether the last boundary has arrived.
    package var isClosed: Bool { place == .closed }

    /// Returns the maximum number of bytes in the body of a response to a request for `asked`, to check a declared
    /// length.
    package static func byteLimit(asked: ByteRanges) -> Int64 {
        let parts = Int64(partLimit(asked))
        let waste = asked.byteCount / wasteShare + wasteLimit
        let (sum, overflow) = asked.byteCount.addingReportingOverflow(waste)
        let (all, tooMany) = sum.addingReportingOverflow(parts * Int64(headLimit) + 4 * Int64(margin))
        return overflow || tooMany ? .max : all
    }

    private static func partLimit(_ asked: ByteRanges) -> Int { 2 * asked.ranges.count + 1 }

    /// Parses the next bytes of the body.
    ///
    /// - Parameter body: receives each piece of content and the offset of its first byte, within requested ranges and
    ///   small gaps between them. The same bytes may arrive twice. Returns false to stop.
    package mutating func take(
        _ bytes: UnsafeRawBufferPointer, body: (UnsafeRawBufferPointer, Int64) -> Bool
    ) -> Step {
        var rest = unsafe bytes[...]
        while let first = unsafe rest.first {
            if case .body(let range) = place {
                let count = unsafe min(range.upperBound - range.lowerBound, Int64(rest.count))
                let piece = unsafe UnsafeRawBufferPointer(rebasing: rest.prefix(Int(count)))
                unsafe rest = unsafe rest.dropFirst(Int(count))
                let next = range.lowerBound + count
                place = next == range.upperBound ? .behind(hasEnded: false) : .body(next..<range.upperBound)
                guard unsafe body(piece, range.lowerBound) else { return .more }
                continue
            }
            if place == .closed {
                unsafe marginBytes += rest.count
                return marginBytes <= Self.margin ? .more : fail("there are too many bytes after the last part")
            }
            unsafe rest = unsafe rest.dropFirst()
            if first != 0x0A {
                line.append(first)
                guard line.count <= Self.lineLimit else { return fail("a line has more than \(Self.lineLimit) bytes") }
                continue
            }
            if line.last == 0x0D { line.removeLast() }
            if let problem = takeLine() { return fail(problem) }
            line.removeAll(keepingCapacity: true)
        }
        return place == .failed ? .wrong("there is data after an error") : .more
    }

    /// Records that the body has ended. Its last boundary may lack a line ending.
    package mutating func end() {
        if case .behind(hasEnded: true) = place, isDelimiter == .last { place = .closed }
    }

    private mutating func fail(_ problem: String) -> Step {
        place = .failed
        return .wrong(problem)
    }

    private enum Delimiter { case none, next, last }

    /// The kind of a line; trailing spaces are ignored.
    private var isDelimiter: Delimiter {
        guard line.starts(with: delimiter) else { return .none }
        var tail = line.dropFirst(delimiter.count)
        while tail.last == 0x20 || tail.last == 0x09 { tail.removeLast() }
        if tail.isEmpty { return .next }
        return tail.elementsEqual([0x2D, 0x2D]) ? .last : .none
    }

    /// Parses a line.
    ///
    /// - Returns: the problem with it.
    private mutating func takeLine() -> String? {
        switch place {
        case .preamble:
            marginBytes += line.count + 2
            guard marginBytes <= Self.margin else { return "there are too many bytes before the first part" }
            return isDelimiter == .none ? nil : takeDelimiter()
        case .head:
            headBytes += line.count + 2
            guard headBytes <= Self.headLimit else { return "a part header has more than \(Self.headLimit) bytes" }
            return line.isEmpty ? beginBody() : takeField()
        case .behind(hasEnded: false):
            guard line.isEmpty else { return "a part is longer than declared" }
            place = .behind(hasEnded: true)
            return nil
        case .behind(hasEnded: true):
            return isDelimiter == .none ? "there is no boundary after a part" : takeDelimiter()
        case .body, .closed, .failed: return nil
        }
    }

    private mutating func takeDelimiter() -> String? {
        if isDelimiter == .last {
            (place, marginBytes) = (.closed, 0)
            return nil
        }
        partCount += 1
        guard partCount <= Self.partLimit(asked) else { return "there are more parts than requested" }
        (place, headBytes, range, hasSeveralRanges) = (.head, 0, nil, false)
        return nil
    }

    private mutating func takeField() -> String? {
        guard let colon = line.firstIndex(of: 0x3A), colon > 0, line[..<colon].allSatisfy(HTTPHeadParser.isTokenByte)
        else { return "a part header contains a line that is not a field" }
        let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
        let space: Set<UInt8> = [0x20, 0x09]
        var value = line[(colon + 1)...].drop { space.contains($0) }
        while let last = value.last, space.contains(last) { value.removeLast() }
        let text = String(decoding: value, as: UTF8.self)
        switch name {
        case "content-range":
            guard range == nil else { return "a part declares its range twice" }
            guard let content = ContentRange(text), let part = content.range else {
                return "a part has no range"
            }
            guard content.total == nil || content.total == total else { return "a part declares another file length" }
            range = part
        case "content-encoding", "content-transfer-encoding":
            guard ["identity", "binary", "8bit", "7bit", ""].contains(text.lowercased()) else {
                return "a part has a coding that was not requested"
            }
        case "etag":
            if let entityTag, entityTag != text { return "a part belongs to different content" }
        default: break
        }
        return nil
    }

    private mutating func beginBody() -> String? {
        guard let range else { return "a part has no range" }
        guard range.upperBound <= total, asked.contains(range.lowerBound), asked.contains(range.upperBound - 1) else {
            return "it contains bytes \(range.text), which were not requested"
        }
        let count = range.upperBound - range.lowerBound
        let new = asked.intersection(range).subtracting(seen).byteCount
        waste += count - new
        guard waste <= Self.wasteLimit + asked.byteCount / Self.wasteShare else {
            return "it contains too many bytes that were not requested"
        }
        seen.insert(range)
        place = .body(range)
        return nil
    }
}
