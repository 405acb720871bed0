internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubMatroska
internal import ScrubBase

/// The blocks of a Matroska or WebM file that is being written. Each is inspected once.
///
/// Writers leave the segment's size unknown and fill it in when they finish, like its duration and the positions of its
/// tags. All of these are at the beginning and are read again each time.
struct MatroskaGrowth {
    private let requestedStream: Int?
    private let rules: IndexRules
    /// The header as it was last read, and what was derived from it.
    private var head: [UInt8] = []
    private var facts = StreamFacts()
    private var track: TrackEntry?
    private var stretch: BlockScanRange?
    /// The first picture whose order is not checked yet; a keyframe.
    private var unchecked = 0
    /// The index so far.
    private var made: FrameIndex?

    init(requestedStream: Int?, rules: IndexRules) { (self.requestedStream, self.rules) = (requestedStream, rules) }

    /// Reads the new blocks.
    ///
    /// - Returns: the index of all available blocks, `nil` while no picture is shown; and whether the segment has
    ///   ended.
    /// - Throws: the reason why block headers are not enough for an index.
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
        let walk = BlockScan(stretch, segment, track)
        let index = try indexer.makeIndex(walk, facts) { (frames) throws(ScrubError) in
            (try? indexer.lastDuration(frames, walk, segment, facts.codec)) ?? 0
        }
        made = index.frameCount > 0 ? index : nil
        return (made, isEnded)
    }

    /// Returns the stream's track from the header; `nil` if the header is incomplete.
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
            else { throw MatroskaIndexer.left("a different header") }
        } else {
            guard let heads = BlockHeaderReader(codec: facts.codec, extradata: stream.codec.extradata, file: file)
            else {
                throw MatroskaIndexer.left("no decoder configuration")
            }
            let reader = BlockReader(
                segment, track: track.number, source: file, headSize: BlockHeaderReader.size,
                readsAhead: file.file != nil)
            let base =
                stream.codec.isIntraOnly && !stream.codec.mayInheritTables
                ? PictureFlags.verified.with(.instantaneous) : []
            stretch = BlockScanRange(reader, heads: heads, base: base)
        }
        (self.head, self.facts, self.track, made) = (head, facts, track, nil)
        return track
    }
}
