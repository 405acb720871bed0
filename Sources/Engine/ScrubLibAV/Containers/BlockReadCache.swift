/// The bytes last read around the file positions between which libavformat jumps.
///
/// Streams that are stored far apart are read alternately: a picture here, audio there. At each jump, libavformat
/// discards its read-ahead, and a file of 1.5 GB costs 60 GB of reading. While it jumps, blocks of the file are kept
/// here, and it gets pieces of them that are as short as the reads between two jumps.
///
/// Memory: ``mostBlocks`` blocks.
struct BlockReadCache {
    private struct Block {
        var place: Int64 = 0
        var count = 0
        var bytes: [UInt8]

        func contains(_ position: Int64) -> Bool { position >= place && position - place < Int64(count) }
    }

    /// The number of bytes of a block, which is also how much libavformat requests at once.
    private let blockCount: Int
    /// The blocks, the most recently used one last.
    private var blocks: [Block] = []
    /// The end of the last read, and the number of bytes from the last jump to there.
    private var (end, run): (Int64, Int) = (0, 0)
    /// The number of consecutive jumps without a long run between them.
    private var jumps = 0
    private var piece = BlockReadCache.firstPiece

    /// The number of streams that are read alternately, each with a block.
    private static let mostBlocks = 4
    /// A header at the beginning of a file and tables at its end need two or three jumps.
    private static let mostJumps = 4
    /// The size of a coded picture of a small video.
    private static let firstPiece = 4 << 10

    /// After this many consecutive bytes, libavformat is no longer jumping.
    private var longRun: Int { 4 * blockCount }

    init(blockCount: Int) { self.blockCount = blockCount }

    /// Returns whether the reads from a position on are pieces.
    mutating func begin(at position: Int64) -> Bool {
        if position != end {
            jumps = run <= longRun ? jumps + 1 : 0
            run = 0
            piece = BlockReadCache.firstPiece
        } else if run > longRun, jumps > 0 {
            (jumps, blocks) = (0, [])
        }
        return jumps > BlockReadCache.mostJumps
    }

    /// Records a read.
    mutating func note(_ count: Int, at position: Int64) {
        (end, run) = (position + Int64(count), run + count)
    }

    /// Copies a piece that begins at a position, from a block that is cached or is read now.
    ///
    /// - Parameter read: fills a buffer with bytes of the file from the position on, and returns their number.
    /// - Returns: the number of bytes; 0 if `read` returns 0.
    mutating func copy<Failure>(
        from position: Int64, into buffer: UnsafeMutableRawBufferPointer,
        orRead read: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) -> Int {
        if let index = blocks.lastIndex(where: { $0.contains(position) }) {
            blocks.append(blocks.remove(at: index))
        } else {
            try unsafe load(at: position, read)
        }
        let block = blocks[blocks.count - 1]
        let part = block.bytes[Int(position - block.place)..<block.count].prefix(min(piece, buffer.count))
        unsafe buffer.copyBytes(from: part)
        piece = min(piece * 2, blockCount)
        return part.count
    }

    /// Reads a block from a position on, replacing the one that ends there, or the least recently used one. It becomes
    /// the last one.
    private mutating func load<Failure>(
        at position: Int64, _ read: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) {
        if let index = blocks.firstIndex(where: { $0.place + Int64($0.count) == position }) {
            blocks.append(blocks.remove(at: index))
        } else if blocks.count < BlockReadCache.mostBlocks {
            blocks.append(Block(bytes: [UInt8](repeating: 0, count: blockCount)))
        } else {
            blocks.append(blocks.removeFirst())
        }
        let last = blocks.count - 1
        blocks[last].count = 0
        var span = blocks[last].bytes.mutableSpan
        let count = try unsafe span.withUnsafeMutableBytes { (room) throws(Failure) in try unsafe read(room) }
        (blocks[last].place, blocks[last].count) = (position, count)
    }
}
