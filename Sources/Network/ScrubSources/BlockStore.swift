internal import ScrubSourcesLogic

/// Bytes of a medium in memory, in blocks of 16 KiB that exist where there are bytes.
///
/// A value without a lock; its owner has one.
struct BlockStore {
    static let blockSize: Int64 = 16 * 1024

    private struct Block {
        var bytes: [UInt8]
        var lastUse: UInt64
    }

    private var blocks: [Int64: Block] = [:]
    private var clock: UInt64 = 0
    /// The available bytes.
    private(set) var held = ByteRanges()

    /// The number of bytes of memory in use.
    var byteCount: Int64 { Int64(blocks.count) * BlockStore.blockSize }

    /// Stores bytes.
    mutating func insert(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
        guard unsafe !bytes.isEmpty else { return }
        clock &+= 1
        var place = offset
        var rest = unsafe bytes[...]
        while unsafe !rest.isEmpty {
            let (index, start) = place.quotientAndRemainder(dividingBy: BlockStore.blockSize)
            let part = unsafe rest.prefix(Int(BlockStore.blockSize - start))
            var block =
                blocks.removeValue(forKey: index)
                ?? Block(bytes: [UInt8](repeating: 0, count: Int(BlockStore.blockSize)), lastUse: clock)
            block.lastUse = clock
            unsafe block.bytes.withUnsafeMutableBytes {
                unsafe UnsafeMutableRawBufferPointer(rebasing: $0[Int(start)...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
            }
            blocks[index] = block
            unsafe rest = unsafe rest.dropFirst(part.count)
            unsafe place += Int64(part.count)
        }
        held.insert(offset..<place)
    }

    /// Copies bytes from an offset up to the first hole.
    ///
    /// - Returns: the number of bytes, at most the buffer's size.
    mutating func copy(from offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = Int(min(Int64(buffer.count), held.run(from: offset)))
        guard count > 0 else { return 0 }
        clock &+= 1
        var done = 0
        while done < count {
            let (index, start) = (offset + Int64(done)).quotientAndRemainder(dividingBy: BlockStore.blockSize)
            let length = min(count - done, Int(BlockStore.blockSize - start))
            guard blocks[index] != nil else { return done }
            blocks[index]?.lastUse = clock
            unsafe blocks[index]?.bytes.withUnsafeBytes {
                unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[Int(start)..<Int(start) + length]))
            }
            done += length
        }
        return done
    }

    /// Returns the least recently used blocks to remove so that the memory is below a limit, except those that overlap
    /// `pinned`.
    func oldest(downTo limit: Int64, pinned: ByteRanges) -> [Int64] {
        var surplus = (byteCount - limit + BlockStore.blockSize - 1) / BlockStore.blockSize
        guard surplus > 0 else { return [] }
        var chosen: [Int64] = []
        for (index, _) in blocks.sorted(by: { ($0.value.lastUse, $0.key) < ($1.value.lastUse, $1.key) })
        where surplus > 0 && !pinned.overlaps(BlockStore.range(of: index)) {
            chosen.append(index)
            surplus -= 1
        }
        return chosen
    }

    /// Returns the available bytes of a block.
    func held(inBlock index: Int64) -> ByteRanges { held.intersection(BlockStore.range(of: index)) }

    /// Removes a block.
    mutating func remove(block index: Int64) {
        guard blocks.removeValue(forKey: index) != nil else { return }
        held.remove(BlockStore.range(of: index))
    }

    private static func range(of index: Int64) -> Range<Int64> {
        let start = index * blockSize
        let (end, overflow) = start.addingReportingOverflow(blockSize)
        return start..<(overflow ? .max : end)
    }
}
