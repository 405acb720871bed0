internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubMatroska
internal import ScrubBase

/// The coded pictures of a track between two positions of a file, according to its block headers.
struct BlockScanRange: Sendable {
    private(set) var pictures = CodedPictures()
    /// The durations in the blocks themselves, 0 for blocks without one. Empty if no block has one.
    private(set) var durations: [Int64] = []
    private(set) var heads: BlockHeaderReader
    private(set) var reader: BlockReader
    /// The flags that every picture is known to have.
    private let base: PictureFlags

    /// Longer than any frame, and small enough that sums do not overflow.
    static let timeLimit = Int64(1) << 56

    /// Creates an empty stretch that begins at the position of `reader`.
    init(_ reader: BlockReader, heads: BlockHeaderReader, base: PictureFlags) {
        (self.reader, self.heads, self.base) = (reader, heads, base)
    }

    /// Returns a stretch that begins at another position.
    ///
    /// - Precondition: the blocks read so far settle everything on which the headers depend.
    func beginning(at place: Int64) -> BlockScanRange {
        precondition(heads.isSettled, "the blocks depend on earlier blocks")
        return BlockScanRange(reader.beginning(at: place), heads: heads, base: base)
    }

    /// The beginning of the next cluster.
    var end: Int64 { reader.position }
    /// Whether nothing follows it.
    var isLast: Bool { reader.isFinished }

    /// Reserves capacity for pictures.
    mutating func reserve(_ count: Int) { pictures.reserve(count) }

    /// Reads up to the first cluster that does not begin before `stop`, or to the end.
    ///
    /// Stops inside a cluster that extends beyond `stop`, as no cluster begins there. A cluster that was entered from a
    /// wrong guess would otherwise never end.
    mutating func read(to stop: Int64 = .max) throws(ScrubError) {
        reader.stop = stop
        var heads = heads
        defer { self.heads = heads }
        while let block = try reader.next() {
            guard block.timestamp < BlockScanRange.timeLimit, pictures.count < Int(Int32.max) else {
                throw BlockScanRange.excess
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

    /// Continues in a file that has grown.
    mutating func resume(_ segment: MatroskaSegment, in longer: MediaSource) {
        reader.resume(segment, in: longer)
        heads.file = longer
    }

    private mutating func note(_ duration: Int64) {
        if durations.isEmpty, duration > 0 { durations = [Int64](repeating: 0, count: pictures.count - 1) }
        if !durations.isEmpty || duration > 0 { durations.append(duration) }
    }

    /// Adds the stretch that begins where this one ends, and continues from there.
    mutating func append(_ next: BlockScanRange) throws(ScrubError) {
        guard next.pictures.count <= Int(Int32.max) - pictures.count else { throw BlockScanRange.excess }
        if !durations.isEmpty || !next.durations.isEmpty {
            let said = { (stretch: BlockScanRange) in
                stretch.durations.isEmpty
                    ? [Int64](repeating: 0, count: stretch.pictures.count) : stretch.durations
            }
            durations = said(self) + said(next)
        }
        pictures.append(contentsOf: next.pictures)
        reader = next.reader
    }

    private static var excess: ScrubError {
        ScrubError(.badData, "has implausibly large times or block counts")
    }
}
