package import ScrubBase

/// Goes through the clusters of a segment from header to header and returns the blocks of one track in file order,
/// which is decode order (RFC 9559, 5.1.3).
///
/// Payloads are skipped. Anything that does not clearly follow the standard ends reading with an error, because
/// guessing is a demuxer's job.
package struct BlockReader: Sendable {
    private(set) var elements: ElementReader
    private(set) var segmentEnd: Int64?
    private let track: UInt64
    /// The numbers of all tracks. A block of an unknown track is damaged, and possibly more of the file is too.
    private let numbers: TrackNumbers
    private let headSize: Int
    private let findsAlpha: Bool
    /// The start of the next element.
    package private(set) var position: Int64
    /// The offset at which to stop. Reading pauses at the first cluster end at or after this offset, and resumes when
    /// the offset is changed.
    package var stop = Int64.max
    private var cluster: Cluster?
    /// Whether reading has reached the end of the segment or of the file.
    package private(set) var isFinished = false
    /// The range of the last block's first bytes, whose content is in ``head``.
    private var headPlace: (offset: Int64, count: Int) = (0, 0)
    /// A copy of these bytes if others have been read since.
    private var keptHead: [UInt8] = []
    private var hasKeptHead = false

    /// A cluster that is being read.
    private struct Cluster: Sendable {
        /// The end of the cluster; `nil` if its size is unknown.
        var end: Int64?
        var timestamp: Int64?
    }

    /// Creates a reader that begins at the first cluster.
    ///
    /// - Parameters:
    ///   - track: the track's number.
    ///   - headSize: the number of bytes of each payload to keep in ``head``; up to 40 are free.
    ///   - readsAhead: whether everything may be read if blocks are small, which is cheaper if reads come from the
    ///     system's cache.
    ///   - findsAlpha: whether to find the transparency of blocks.
    package init(
        _ segment: MatroskaSegment, track: UInt64, source: any ByteSource, headSize: Int, readsAhead: Bool = false,
        findsAlpha: Bool = false
    ) {
        elements = ElementReader(source, readsAhead: readsAhead)
        elements.limits = segment.limits
        segmentEnd = segment.end
        position = segment.firstCluster
        self.track = track
        numbers = TrackNumbers(segment.tracks)
        self.headSize = headSize
        self.findsAlpha = findsAlpha
    }

    /// The first bytes of the payload of the block that ``next()`` last returned; empty if it returned none.
    package var head: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            if hasKeptHead { return keptHead.span }
            // An empty span can be anywhere in the window.
            guard headPlace.count > 0 else { return keptHead.span.extracting(0..<0) }
            return elements.span(at: headPlace.offset, count: headPlace.count)
        }
    }

    /// Whether the file ends before the segment does.
    package var isTruncated: Bool { elements.isTruncated }
    /// The number of bytes read so far.
    package var bytesRead: Int64 { elements.window.bytesRead }

    /// Returns a reader of the same file that begins at another offset, where a cluster begins.
    package func beginning(at place: Int64) -> BlockReader {
        var reader = self
        reader.elements = elements.fresh()
        (reader.position, reader.stop, reader.cluster, reader.isFinished) = (place, .max, nil, false)
        (reader.headPlace, reader.keptHead, reader.hasKeptHead) = ((0, 0), [], false)
        return reader
    }

    /// Resumes where reading reached the end of the file, after the file has grown.
    ///
    /// - Parameter segment: the current content of the file's head, because the segment's end is known once its writer
    ///   is done.
    package mutating func resume(_ segment: MatroskaSegment, in longer: any ByteSource) {
        elements = elements.reading(longer)
        segmentEnd = segment.end
        isFinished = false
        (headPlace, keptHead, hasKeptHead) = ((0, 0), [], false)
    }

    /// Returns the track's next block, or `nil` at the end or at ``stop``.
    ///
    /// - Throws: ``ScrubError/Code/badData`` if the file violates the standard or uses features that this reader does
    ///   not support (lacing, times before zero).
    package mutating func next() throws(ScrubError) -> Block? {
        (headPlace, hasKeptHead) = ((0, 0), false)
        while !isFinished {
            if let open = cluster {
                if position == open.end {
                    cluster = nil
                } else if let block = try nextInCluster(open) {
                    return block
                }
            } else {
                if position >= stop { return nil }
                try nextCluster()
            }
        }
        return nil
    }

    /// Steps over one child of the segment, or enters it if it is a cluster.
    private mutating func nextCluster() throws(ScrubError) {
        if position == segmentEnd {
            // Something follows the segment: another segment or unknown bytes.
            guard position >= elements.byteCount else { throw oddity("the file continues after the segment") }
            isFinished = true
            return
        }
        guard let element = try elements.element(at: position, within: segmentEnd) else {
            isFinished = true
            return
        }
        if element.id == .cluster {
            // Only a segment that is itself still open may contain an open cluster (RFC 9559, 5.1.3: live streaming).
            guard element.end != nil || segmentEnd == nil else {
                throw oddity("a segment of known size contains a cluster of unknown size")
            }
            cluster = Cluster(end: element.end)
            position = element.body
            return
        }
        let isKnown = ElementID.segmentChildren.contains(element.id) || ElementID.global.contains(element.id)
        guard isKnown, element.id != .info, element.id != .tracks, let end = element.end else {
            throw oddity("unexpected \(element.id) among the clusters")
        }
        if elements.isWhole(element) { position = end } else { isFinished = true }
    }

    /// Reads one child of a cluster; `nil` if it was not a block of the track.
    private mutating func nextInCluster(_ open: Cluster) throws(ScrubError) -> Block? {
        guard let element = try elements.element(at: position, within: open.end) else {
            isFinished = true
            return nil
        }
        if open.end == nil, element.id == .cluster || ElementID.segmentChildren.contains(element.id) {
            cluster = nil
            return nil
        }
        guard let end = element.end else { throw oddity("a cluster contains \(element.id) of unknown size") }
        guard elements.isWhole(element) else {
            isFinished = true
            return nil
        }
        position = end
        switch element.id {
        case .timestamp:
            guard open.timestamp == nil, let time = Int64(exactly: try elements.unsigned(element)) else {
                throw oddity("a cluster has a duplicate or invalid timestamp")
            }
            cluster?.timestamp = time
        case .simpleBlock:
            guard let parsed = try block(element, end: end, clusterTime: open.timestamp) else { return nil }
            var simple = parsed.block
            simple.isKey = parsed.isFlaggedKey
            return simple
        case .blockGroup: return try group(element, end: end, clusterTime: open.timestamp)
        default:
            guard ElementID.clusterFurniture.contains(element.id) else {
                throw oddity("unexpected \(element.id) in a cluster")
            }
        }
        return nil
    }

    /// Reads a BlockGroup (5.1.3.5), whose block is a key block if it does not refer to any other.
    private mutating func group(
        _ group: Element, end: Int64, clusterTime: Int64?
    ) throws(ScrubError) -> Block? {
        var found: Block?
        var (isKey, duration, alpha): (Bool, UInt64?, Range<Int64>?) = (true, nil, nil)
        var place = group.body
        while place < end {
            guard let element = try elements.element(at: place, within: end), let next = element.end else {
                throw oddity("a block group contains a malformed element")
            }
            place = next
            switch element.id {
            case .block:
                guard found == nil else { throw oddity("two blocks in one group") }
                guard let parsed = try block(element, end: next, clusterTime: clusterTime) else { return nil }
                found = parsed.block
                // The rest of the group, after its block, may be far from it in the file.
                (keptHead, hasKeptHead) = unsafe (head.withUnsafeBufferPointer { unsafe Array($0) }, true)
            case .blockDuration: duration = try elements.unsigned(element)
            case .referenceBlock: isKey = false
            case .blockAdditions where findsAlpha: alpha = try self.alpha(in: element, end: next)
            default:
                guard ElementID.blockFurniture.contains(element.id) else {
                    throw oddity("unexpected \(element.id) in a block group")
                }
            }
        }
        found?.isKey = isKey
        found?.duration = duration
        found?.alpha = alpha
        return found
    }

    /// Returns the range of the addition that contains the block's transparency (5.1.3.5.2).
    private mutating func alpha(in additions: Element, end: Int64) throws(ScrubError) -> Range<Int64>? {
        var place = additions.body
        while place < end {
            guard let more = try elements.element(at: place, within: end), let moreEnd = more.end else {
                throw oddity("block additions contain a malformed element")
            }
            place = more.id == .blockMore ? more.body : moreEnd
            guard more.id == .blockMore else { continue }
            // An addition without an ID has ID 1.
            var (number, bytes): (UInt64, Range<Int64>?) = (1, nil)
            while place < moreEnd {
                guard let part = try elements.element(at: place, within: moreEnd), let partEnd = part.end else {
                    throw oddity("a block addition contains a malformed element")
                }
                if part.id == .blockAddID { number = try elements.unsigned(part) }
                if part.id == .blockAdditional { bytes = part.body..<partEnd }
                place = partEnd
            }
            if number == 1, let bytes, !bytes.isEmpty { return bytes }
        }
        return nil
    }

    /// Reads the header of a Block or SimpleBlock (10.1, 10.2); `nil` if it belongs to another track.
    private mutating func block(
        _ element: Element, end: Int64, clusterTime: Int64?
    ) throws(ScrubError) -> (block: Block, isFlaggedKey: Bool)? {
        let size = end - element.body
        // The header is read first, because nothing more is needed for blocks of other tracks.
        let count = Int(min(size, Int64(BlockHeader.maximumLength)))
        try elements.fill(at: element.body, count: count)
        guard let header = BlockHeader(elements.span(at: element.body, count: count)) else {
            throw oddity("a block of \(size) bytes is malformed")
        }
        guard header.track == track else {
            guard numbers.contains(header.track) else { throw oddity("a block belongs to an unknown track") }
            return nil
        }
        guard !header.isLaced else { throw oddity("a block is laced") }
        guard let clusterTime else { throw oddity("a block precedes its cluster's timestamp") }
        let (time, overflow) = clusterTime.addingReportingOverflow(Int64(header.relativeTime))
        guard !overflow, time >= 0 else { throw oddity("a block has a negative time") }
        let payload = size - Int64(header.length)
        guard payload > 0, let payloadSize = UInt32(exactly: payload) else {
            throw oddity("a block has an invalid payload of \(payload) bytes")
        }
        let offset = element.body + Int64(header.length)
        let kept = Int(min(payload, Int64(headSize)))
        try elements.fill(at: offset, count: kept)
        (headPlace, hasKeptHead) = ((offset, kept), false)
        let block = Block(
            offset: offset, size: payloadSize, timestamp: time, isKey: false, isInvisible: header.isInvisible)
        return (block, header.isKey)
    }

    private func oddity(_ what: String) -> ScrubError {
        ScrubError(.badData, what, place: .byte(Int64(position)))
    }
}
