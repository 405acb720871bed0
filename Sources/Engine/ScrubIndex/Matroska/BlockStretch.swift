internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubMatroska
internal import ScrubBase

/// The coded pictures of a track between two places of a file, as its block headers tell them.
struct BlockStretch: Sendable {
    private(set) var pictures = CodedPictures()
    /// Durations that blocks give themselves, 0 for those that don't. Empty when none does.
    private(set) var durations: [Int64] = []
    private(set) var heads: BlockHeads
    private(set) var reader: BlockReader
    /// The flags that every picture is known to have.
    private let base: PictureFlags

    /// More than any film's frame, and few enough that sums of them stay far from the integers' end.
    static let timeLimit = Int64(1) << 56

    /// Holds nothing yet, and begins where `reader` stands.
    init(_ reader: BlockReader, heads: BlockHeads, base: PictureFlags) {
        (self.reader, self.heads, self.base) = (reader, heads, base)
    }

    /// Returns a stretch that begins elsewhere.
    ///
    /// - Precondition: the blocks read so far settle all that the heads depend on.
    func beginning(at place: Int64) -> BlockStretch {
        precondition(heads.isSettled, "what blocks mean depends on those before them")
        return BlockStretch(reader.beginning(at: place), heads: heads, base: base)
    }

    /// The beginning of the next cluster.
    var end: Int64 { reader.position }
    /// Whether nothing comes after it.
    var isLast: Bool { reader.isFinished }

    /// Makes room for pictures.
    mutating func reserve(_ count: Int) { pictures.reserve(count) }

    /// Walks on to the first cluster that does not begin before `stop`, or to the end.
    ///
    /// Rests inside a cluster that reaches beyond `stop`: no cluster begins there. A cluster that was begun from a
    /// wrong guess would go on without end.
    mutating func read(to stop: Int64 = .max) throws(ScrubError) {
        reader.stop = stop
        var heads = heads
        defer { self.heads = heads }
        while let block = try reader.next() {
            guard block.timestamp < BlockStretch.timeLimit, pictures.count < Int(Int32.max) else {
                throw BlockStretch.excess
            }
            var flags = block.isKey ? base.union(.key) : base
            if try heads.isHidden(block, head: reader.head) { flags.insert(.hidden) }
            pictures.offsets.append(block.offset)
            pictures.sizes.append(block.size)
            pictures.presentationTimes.append(block.timestamp)
            pictures.flags.append(flags)
            note(Int64(clamping: block.duration ?? 0))
            if reader.position > stop { break }
        }
    }

    /// Goes on in a file that has grown since.
    mutating func resume(_ segment: MatroskaSegment, in longer: MediaSource) {
        reader.resume(segment, in: longer)
        heads.file = longer
    }

    private mutating func note(_ duration: Int64) {
        if durations.isEmpty, duration > 0 { durations = [Int64](repeating: 0, count: pictures.count - 1) }
        if !durations.isEmpty || duration > 0 { durations.append(duration) }
    }

    /// Adds the stretch that begins where this one ends, and goes on from there.
    mutating func append(_ next: BlockStretch) throws(ScrubError) {
        guard next.pictures.count <= Int(Int32.max) - pictures.count else { throw BlockStretch.excess }
        if !durations.isEmpty || !next.durations.isEmpty {
            let said = { (stretch: BlockStretch) in
                stretch.durations.isEmpty
                    ? [Int64](repeating: 0, count: stretch.pictures.count) : stretch.durations
            }
            durations = said(self) + said(next)
        }
        pictures.append(contentsOf: next.pictures)
        reader = next.reader
    }

    private static var excess: ScrubError {
        ScrubError(.badData, "has times, or numbers of blocks, too large to be right")
    }
}
