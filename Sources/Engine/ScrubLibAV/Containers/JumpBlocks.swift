/// The last bytes that were read around the places of a file between which libavformat jumps.
///
/// Streams that are written far apart are read in turns: a picture here, a sound there. At each jump libavformat
/// forgets what it had read ahead, and a file of 1.5 GB costs 60 GB of reading. While it jumps, blocks of the file stay
/// here, and it gets pieces of them, as short as the reads between two jumps are.
///
/// Memory: ``mostBlocks`` blocks.
struct JumpBlocks {
    private struct Block {
        var place: Int64 = 0
        var count = 0
        var bytes: [UInt8]

        func contains(_ position: Int64) -> Bool { position >= place && position - place < Int64(count) }
    }

    /// The bytes of a block; also how much libavformat asks for at once.
    private let blockCount: Int
    /// The one that was used last is the last.
    private var blocks: [Block] = []
    /// The end of the last read, and the bytes that were read from the last jump to there.
    private var (end, run): (Int64, Int) = (0, 0)
    /// Jumps one after the other, with no long run before each.
    private var jumps = 0
    private var piece = JumpBlocks.firstPiece

    /// Streams that are read in turns, each with a block.
    private static let mostBlocks = 4
    /// A header at the beginning of a file and tables at its end are two or three jumps.
    private static let mostJumps = 4
    /// A coded picture of a small film.
    private static let firstPiece = 4 << 10

    /// After so many bytes in a row nothing more jumps.
    private var longRun: Int { 4 * blockCount }

    init(blockCount: Int) { self.blockCount = blockCount }

    /// Whether the reads from a place on are pieces.
    mutating func begin(at position: Int64) -> Bool {
        if position != end {
            jumps = run <= longRun ? jumps + 1 : 0
            run = 0
            piece = JumpBlocks.firstPiece
        } else if run > longRun, jumps > 0 {
            (jumps, blocks) = (0, [])
        }
        return jumps > JumpBlocks.mostJumps
    }

    /// Notes that so many bytes were read from a place.
    mutating func note(_ count: Int, at position: Int64) {
        (end, run) = (position + Int64(count), run + count)
    }

    /// Copies a piece from a place on, of a block that is there or is read now.
    ///
    /// - Parameter read: fills in bytes of the file from the place on, and returns how many.
    /// - Returns: how many bytes; 0 where `read` returns none.
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

    /// Reads a block from a place on, in the room of the one that ends there, or of the one used longest ago. It is the
    /// last one then.
    private mutating func load<Failure>(
        at position: Int64, _ read: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) {
        if let index = blocks.firstIndex(where: { $0.place + Int64($0.count) == position }) {
            blocks.append(blocks.remove(at: index))
        } else if blocks.count < JumpBlocks.mostBlocks {
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
