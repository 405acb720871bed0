package import ScrubBase

/// The head of a Matroska or WebM file: everything before the first cluster (RFC 9559, 5.1).
///
/// Only files whose Info and Tracks are there once are read; anything else is refused, not guessed at.
package struct MatroskaSegment: Sendable {
    /// Nanoseconds in one unit of the segment's times (5.1.2.9), never 0.
    package private(set) var timestampScale: UInt64 = 1_000_000
    /// The tracks in file order.
    package private(set) var tracks: [TrackEntry] = []
    /// The beginning of the first cluster.
    package private(set) var firstCluster: Int64 = 0
    /// The end that the segment claims; `nil` if it is of unknown size, as live muxers write it.
    package private(set) var end: Int64?
    /// The duration that the segment claims (5.1.2.10), in its own units; nil if it doesn't.
    package private(set) var duration: Double?
    /// Bytes that reading the head has cost.
    package private(set) var bytesRead: Int64 = 0

    var limits = ElementLimits()
    private var header: [UInt8] = []
    private var info: [UInt8] = []
    private var trackBytes: [UInt8] = []
    /// Tags, wherever they stand: a timecode is there.
    private var tagBytes: [UInt8] = []
    /// The place that the segment claims for them, from the segment's content on.
    private var tagPlace: Int64?

    /// Tags above this are left alone.
    private static let maximumTagSize: Int64 = 1 << 20
    /// Info and Tracks above this are refused: the set-up data of no codec comes near.
    private static let maximumSize: Int64 = 16 << 20
    /// No more elements than this are inspected before the first cluster.
    private static let maximumElements = 4096

    /// Whether the file begins with an EBML header (RFC 8794, 8.1).
    package static func isEBML(_ source: any ByteSource) -> Bool {
        (try? source.read(at: 0, count: 4)) == [0x1A, 0x45, 0xDF, 0xA3]
    }

    /// Reads the head of a file.
    ///
    /// - Throws: ``ScrubError/Code/badData`` when it is not of this format or not in the usual order,
    ///   ``ScrubError/Code/unavailable`` when it needs a newer reader.
    package init(reading source: any ByteSource) throws(ScrubError) {
        var reader = ElementReader(source)
        let body = try readHeader(&reader, source)
        try readHead(from: body, &reader, source)
        readTags(from: body, &reader, source)
        bytesRead = reader.window.bytesRead + Int64(header.count + info.count + trackBytes.count + tagBytes.count)
    }

    /// Returns the file without its blocks, for a demuxer that is to interpret the tracks. It has the EBML header, and
    /// a segment of unknown size with Info, Tracks, Tags and one empty cluster, at which demuxers stop looking for
    /// more.
    package func slimHeader() -> [UInt8] {
        let segment: [UInt8] = [0x18, 0x53, 0x80, 0x67, 0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        let emptyCluster: [UInt8] = [0x1F, 0x43, 0xB6, 0x75, 0x80]
        return header + segment + info + trackBytes + tagBytes + emptyCluster
    }

    /// Reads the EBML header (RFC 8794, 11.2.1); tells where the segment's content begins.
    private mutating func readHeader(
        _ reader: inout ElementReader, _ source: any ByteSource
    ) throws(ScrubError) -> Int64 {
        guard let ebml = try reader.element(at: 0, within: nil), ebml.id == .ebml else {
            throw ScrubError(.badData, "has no EBML header")
        }
        header = try MatroskaSegment.content(ebml, source)
        let master = MasterElement(bytes: header, range: Int(ebml.body - ebml.start)..<header.count)
        var docType = "matroska"
        for child in try master.children() {
            switch child.id {
            case .docType: docType = master.string(child)
            case .ebmlReadVersion:
                let version = try master.unsigned(child)
                guard version <= 1 else { throw ScrubError(.unavailable, "needs EBML version \(version)") }
            case .ebmlMaxIDLength:
                // No element of Matroska has a longer identifier (RFC 9559, 5); a document may still allow itself more.
                let length = try master.unsigned(child)
                guard (1...4).contains(length) else {
                    throw ScrubError(.unavailable, "has identifiers of \(length) bytes")
                }
                limits.idLength = Int(length)
            case .ebmlMaxSizeLength:
                let length = try master.unsigned(child)
                guard (1...8).contains(length) else {
                    throw ScrubError(.unavailable, "has sizes of \(length) bytes")
                }
                limits.sizeLength = Int(length)
            default: continue
            }
        }
        guard docType == "matroska" || docType == "webm" else {
            throw ScrubError(.badData, "is EBML, but no Matroska: \(docType)")
        }
        reader.limits = limits
        var position = ebml.end ?? 0
        for _ in 0..<MatroskaSegment.maximumElements {
            guard let element = try reader.element(at: position, within: nil) else { break }
            if element.id == .segment {
                end = element.end
                return element.body
            }
            guard ElementID.global.contains(element.id), let end = element.end else { break }
            position = end
        }
        throw ScrubError(.badData, "has no segment")
    }

    /// Reads the segment's children up to the first cluster.
    private mutating func readHead(
        from body: Int64, _ reader: inout ElementReader, _ source: any ByteSource
    ) throws(ScrubError) {
        var position = body
        for _ in 0..<MatroskaSegment.maximumElements {
            guard let element = try reader.element(at: position, within: end) else { break }
            if element.id == .cluster {
                guard !info.isEmpty, !trackBytes.isEmpty else {
                    throw ScrubError(.badData, "its tracks are not before its blocks")
                }
                firstCluster = element.start
                return
            }
            switch element.id {
            case .info:
                guard info.isEmpty else { throw ScrubError(.badData, "has two Info elements") }
                info = try MatroskaSegment.content(element, source)
                try parseInfo(from: Int(element.body - element.start))
            case .tracks:
                guard trackBytes.isEmpty else { throw ScrubError(.badData, "has two Tracks elements") }
                trackBytes = try MatroskaSegment.content(element, source)
                try parseTracks(from: Int(element.body - element.start))
            case .tags where tagBytes.isEmpty: readTags(element, source)
            case .seekHead: findTags(in: element, source)
            default:
                guard ElementID.segmentChildren.contains(element.id) || ElementID.global.contains(element.id) else {
                    throw ScrubError(.badData, "has an unknown \(element.id)", place: .byte(Int64(position)))
                }
            }
            guard let end = element.end else {
                throw ScrubError(.badData, "\(element.id) is of unknown size", place: .byte(Int64(position)))
            }
            position = end
        }
        throw ScrubError(.badData, "has no cluster")
    }

    /// Records where tags follow the clusters. Errors in it are ignored.
    private mutating func findTags(in seekHead: Element, _ source: any ByteSource) {
        guard let bytes = try? MatroskaSegment.content(seekHead, source) else { return }
        let master = MasterElement(
            bytes: bytes, range: Int(seekHead.body - seekHead.start)..<bytes.count, limits: limits)
        for child in (try? master.children()) ?? [] where child.id == .seek {
            let seek = master.child(child)
            guard let parts = try? seek.children(), let id = parts.first(where: { $0.id == .seekID }),
                let place = parts.first(where: { $0.id == .seekPosition }),
                (try? seek.unsigned(id)) == UInt64(ElementID.tags.rawValue)
            else { continue }
            tagPlace = (try? seek.unsigned(place)).flatMap { Int64(exactly: $0) }
        }
    }

    /// Reads the tags that follow the clusters.
    private mutating func readTags(from body: Int64, _ reader: inout ElementReader, _ source: any ByteSource) {
        guard tagBytes.isEmpty, let place = tagPlace, case (let position, false) = body.addingReportingOverflow(place)
        else { return }
        // Tags are small, and follow the clusters.
        source.ifRemote?.expect([(position..<source.byteCount).clamped(to: position..<position &+ 64 << 10)])
        guard let element = try? reader.element(at: position, within: end), element.id == .tags
        else { return }
        readTags(element, source)
    }

    private mutating func readTags(_ element: Element, _ source: any ByteSource) {
        guard let end = element.end, end - element.start <= MatroskaSegment.maximumTagSize else { return }
        tagBytes = (try? MatroskaSegment.content(element, source)) ?? []
    }

    private mutating func parseInfo(from start: Int) throws(ScrubError) {
        let master = MasterElement(bytes: info, range: start..<info.count, limits: limits)
        for child in try master.children() {
            switch child.id {
            case .timestampScale: timestampScale = try master.unsigned(child)
            case .duration: duration = (try? master.float(child)).flatMap { $0 > 0 && $0 < 1e15 ? $0 : nil }
            default: continue
            }
        }
        guard timestampScale > 0 else { throw ScrubError(.badData, "has a TimestampScale of 0") }
    }

    private mutating func parseTracks(from start: Int) throws(ScrubError) {
        let master = MasterElement(bytes: trackBytes, range: start..<trackBytes.count, limits: limits)
        for child in try master.children() where child.id == .trackEntry {
            tracks.append(try TrackEntry(master.child(child)))
        }
    }

    /// Returns an element with its header.
    private static func content(_ element: Element, _ source: any ByteSource) throws(ScrubError) -> [UInt8] {
        guard let end = element.end, end - element.start <= maximumSize else {
            throw ScrubError(.badData, "\(element.id) has no sane size", place: .byte(Int64(element.start)))
        }
        return try source.read(at: element.start, count: Int(end - element.start))
    }
}
