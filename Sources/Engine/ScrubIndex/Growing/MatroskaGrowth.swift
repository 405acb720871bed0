internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubMatroska
internal import ScrubBase

/// The blocks of a Matroska or WebM file that is being written: each is inspected once.
///
/// Writers leave the segment's size open and come back for it when they end, as for its duration and the places of its
/// tags. All of these are in front and are read again each time.
struct MatroskaGrowth {
    private let requestedStream: Int?
    private let rules: IndexRules
    /// The head as it was last time, and its consequences.
    private var head: [UInt8] = []
    private var facts = StreamFacts()
    private var track: TrackEntry?
    private var stretch: BlockStretch?
    /// The picture from which on the order is not checked yet, a key.
    private var unchecked = 0
    /// The index so far.
    private var made: FrameIndex?

    init(requestedStream: Int?, rules: IndexRules) { (self.requestedStream, self.rules) = (requestedStream, rules) }

    /// Walks the blocks that have come.
    ///
    /// - Returns: the index of all blocks that are there, `nil` while nothing shows; and whether the segment has come
    ///   to its end.
    /// - Throws: the reason against an index by block headers.
    mutating func extend(to file: MediaSource) throws(ScrubError) -> (index: FrameIndex?, isEnded: Bool) {
        let segment: MatroskaSegment
        do throws(ScrubError) {
            segment = try MatroskaSegment(reading: file)
        } catch {
            if stretch != nil { throw error }
            return (nil, false)
        }
        let indexer = MatroskaIndexer(file, rules: rules)
        guard let track = try follow(segment, indexer, file), var stretch else { return (nil, false) }
        self.stretch = nil
        stretch.resume(segment, in: file)
        try stretch.read()
        self.stretch = stretch
        let isEnded = (segment.end.map { $0 <= file.byteCount } ?? false) && !stretch.reader.isTruncated
        let pictures = stretch.pictures
        guard pictures.count > 0 else { return (nil, isEnded) }
        if let made, made.pictures.count == pictures.count { return (made, isEnded) }
        if unchecked == 0 { try indexer.checkStart(pictures, facts) }
        try indexer.checkTimes(pictures.suffix(from: unchecked), facts)
        unchecked = pictures.flags.lastIndex { $0.contains(.key) } ?? unchecked
        let walk = BlockWalk(stretch, segment, track)
        let index = try indexer.makeIndex(walk, facts) { (frames) throws(ScrubError) in
            (try? indexer.lastDuration(frames, walk, segment, facts.codec)) ?? 0
        }
        made = index.frameCount > 0 ? index : nil
        return (made, isEnded)
    }

    /// Returns the track of the stream by the head; `nil` if the head isn't all there.
    private mutating func follow(
        _ segment: MatroskaSegment, _ indexer: MatroskaIndexer, _ file: MediaSource
    ) throws(ScrubError) -> TrackEntry? {
        let head = segment.slimHeader()
        guard head != self.head else { return track }
        let stream = try indexer.chooseStream(segment, requested: requestedStream)
        let track = try indexer.track(of: stream, in: segment)
        let facts = indexer.facts(track, stream)
        if stretch != nil {
            guard facts.descriptions.map(\.extradata) == self.facts.descriptions.map(\.extradata),
                facts.timeBase == self.facts.timeBase, track.number == self.track?.number
            else { throw MatroskaIndexer.left("another head") }
        } else {
            guard let heads = BlockHeads(codec: facts.codec, extradata: stream.codec.extradata, file: file) else {
                throw MatroskaIndexer.left("no decoder configuration")
            }
            let reader = BlockReader(
                segment, track: track.number, source: file, headSize: BlockHeads.size, readsAhead: file.file != nil)
            let base =
                stream.codec.isIntraOnly && !stream.codec.mayInheritTables
                ? PictureFlags.verified.with(.instantaneous) : []
            stretch = BlockStretch(reader, heads: heads, base: base)
        }
        (self.head, self.facts, self.track, made) = (head, facts, track, nil)
        return track
    }
}
