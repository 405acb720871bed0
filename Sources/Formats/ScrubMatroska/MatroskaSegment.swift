package import ScrubBase

/// The head of a Matroska or WebM file: everything before the first cluster (RFC 9559, 5.1).
///
/// Only files with exactly one Info and one Tracks are read; all others are rejected rather than guessed at.
package struct MatroskaSegment: Sendable {
    /// The number of nanoseconds in one unit of the segment's times (5.1.2.9), never 0.
    package private(set) var timestampScale: UInt64 = 1_000_000
    /// The tracks in file order.
    package private(set) var tracks: [TrackEntry] = []
    /// The start of the first cluster.
    package private(set) var firstCluster: Int64 = 0
    /// The end that the segment claims; `nil` if the size is unknown, as written by live muxers.
    package private(set) var end: Int64?
    /// The duration that the segment claims (5.1.2.10), in its own units; nil if it does not claim one.
    package private(set) var duration: Double?
    /// The number of bytes read for the head.
    package private(set) var bytesRead: Int64 = 0

    var limits = ElementLimits()
    private var header: [UInt8] = []
    private var info: [UInt8] = []
    private var trackBytes: [UInt8] = []
    /// The tags, wherever they are, because they may contain a timecode.
    private var tagBytes: [UInt8] = []
    /// The start of the segment's content, from which positions in it are counted.
    package private(set) var body: Int64 = 0
    /// The offset that the segment declares for the tags, from the start of the segment's content.
    private var tagPlace: Int64?
    /// The offset of the cues in the file: the place that the segment declares, or the place before the first cluster
    /// where they are. `nil` if there are none.
    package private(set) var cuePlace: Int64?

    /// Larger tags are ignored.
    private static let maximumTagSize: Int64 = 1 << 20
    /// Larger Info and Tracks are rejected; no codec's configuration data is nearly this large.
    private static let maximumSize: Int64 = 16 << 20
    /// The number of bytes in which the cues of most films fit.
    private static let usualCueSize: Int64 = 64 << 10
    /// The maximum number of elements to inspect before the first cluster.
    private static let maximumElements = 4096

    /// Whether the file begins with an EBML header (RFC 8794, 8.1).
    package static func isEBML(_ source: any ByteSource) -> Bool {
        (try? source.read(at: 0, count: 4)) == [0x1A, 0x45, 0xDF, 0xA3]
    }

    /// Reads the head of a file.
    ///
    /// - Throws: ``ScrubError/Code/badData`` if it is not in this format or not in the usual order,
    ///   ``ScrubError/Code/unavailable`` if it requires a newer reader.
    package init(reading source: any ByteSource) throws(ScrubError) {
        var reader = ElementReader(source)
        body = try readHeader(&reader, source)
        try readHead(from: body, &reader, source)
        readTags(from: body, &reader, source)
        bytesRead = reader.window.bytesRead + Int64(header.count + info.count + trackBytes.count + tagBytes.count)
    }

    /// Returns the file without its blocks, for a demuxer that interprets the tracks. The result has the EBML header
    /// and a segment of unknown size with Info, Tracks, Tags and one empty cluster, at which demuxers stop looking for
    /// more.
    package func slimHeader() -> [UInt8] {
        let segment: [UInt8] = [0x18, 0x53, 0x80, 0x67, 0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        let emptyCluster: [UInt8] = [0x1F, 0x43, 0xB6, 0x75, 0x80]
        return header + segment + info + trackBytes + tagBytes + emptyCluster
    }

    /// Reads the EBML header (RFC 8794, 11.2.1); returns where the segment's content begins.
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
                // No Matroska element has a longer identifier (RFC 9559, 5), but a document may still declare a larger
                // limit.
                let length = try master.unsigned(child)
                guard (1...4).contains(length) else {
                    throw ScrubError(.unavailable, "has \(length)-byte identifiers")
                }
                limits.idLength = Int(length)
            case .ebmlMaxSizeLength:
                let length = try master.unsigned(child)
                guard (1...8).contains(length) else {
                    throw ScrubError(.unavailable, "has \(length)-byte sizes")
                }
                limits.sizeLength = Int(length)
            default: continue
            }
        }
        guard docType == "matroska" || docType == "webm" else {
            throw ScrubError(.badData, "is EBML, but not Matroska: \(docType)")
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
                    throw ScrubError(.badData, "its track descriptions do not precede its blocks")
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
            case .seekHead: findPlaces(in: element, from: body, source)
            case .cues: cuePlace = element.start
            default:
                guard ElementID.segmentChildren.contains(element.id) || ElementID.global.contains(element.id) else {
                    throw ScrubError(.badData, "has an unknown \(element.id)", place: .byte(Int64(position)))
                }
            }
            guard let end = element.end else {
                throw ScrubError(.badData, "\(element.id) has an unknown size", place: .byte(Int64(position)))
            }
            position = end
        }
        throw ScrubError(.badData, "has no cluster")
    }

    /// Records where tags and cues follow the clusters. Errors in the seek head are ignored.
    private mutating func findPlaces(in seekHead: Element, from body: Int64, _ source: any ByteSource) {
        guard let bytes = try? MatroskaSegment.content(seekHead, source) else { return }
        let master = MasterElement(
            bytes: bytes, range: Int(seekHead.body - seekHead.start)..<bytes.count, limits: limits)
        for child in (try? master.children()) ?? [] where child.id == .seek {
            let seek = master.child(child)
            guard let parts = try? seek.children(), let id = parts.first(where: { $0.id == .seekID }),
                let place = parts.first(where: { $0.id == .seekPosition }),
                let offset = (try? seek.unsigned(place)).flatMap({ Int64(exactly: $0) })
            else { continue }
            switch try? seek.unsigned(id) {
            case UInt64(ElementID.tags.rawValue): tagPlace = offset
            case UInt64(ElementID.cues.rawValue):
                let (place, overflow) = body.addingReportingOverflow(offset)
                if !overflow { cuePlace = place }
            default: continue
            }
        }
    }

    /// The range in which the cues usually are; `nil` if the segment has none.
    func usualCueRange(in source: any ByteSource) -> Range<Int64>? {
        guard let cuePlace, cuePlace < source.byteCount else { return nil }
        return cuePlace..<min(source.byteCount, cuePlace + MatroskaSegment.usualCueSize)
    }

    /// Returns the Cues element with its header; `nil` if there is none, or if it is not a plausible one.
    ///
    /// For a remote source, as many bytes as cues usually have are announced first.
    func cues(reading source: any ByteSource) -> (content: [UInt8], body: Int)? {
        guard let cuePlace, let usual = usualCueRange(in: source) else { return nil }
        var reader = ElementReader(source)
        reader.limits = limits
        source.ifRemote?.expect([usual])
        guard let element = try? reader.element(at: cuePlace, within: end), element.id == .cues,
            let end = element.end, end <= source.byteCount, end - element.start <= MatroskaSegment.maximumSize
        else { return nil }
        if end > usual.upperBound { source.ifRemote?.expect([cuePlace..<end]) }
        return (try? MatroskaSegment.content(element, source)).map { ($0, Int(element.body - element.start)) }
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
            throw ScrubError(.badData, "\(element.id) has an implausible size", place: .byte(Int64(element.start)))
        }
        return try source.read(at: element.start, count: Int(end - element.start))
    }
}
