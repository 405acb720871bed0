import ScrubMatroska
import ScrubBase
import Testing

@Suite struct BlockReaderTests {
    /// All blocks of track 1.
    private func read(_ bytes: [UInt8], headSize: Int = 8) throws -> (blocks: [Block], isTruncated: Bool) {
        let source = MemorySource(bytes)
        var reader = BlockReader(try MatroskaSegment(reading: source), track: 1, source: source, headSize: headSize)
        var blocks: [Block] = []
        while let block = try reader.next() {
            let head = reader.head.withUnsafeBufferPointer { Array($0) }
            #expect(head == Array(bytes[Int(block.offset)...].prefix(min(headSize, Int(block.size)))))
            blocks.append(block)
        }
        #expect(try reader.next() == nil)
        return (blocks, reader.isTruncated)
    }

    private func simple(_ time: Int16, flags: UInt8 = 0x80, track: UInt8 = 1, count: Int = 20) -> [UInt8] {
        element(ID.simpleBlock, MatroskaBuilder.block(track: track, time: time, flags: flags, payload(count)))
    }

    private func group(_ time: Int16, flags: UInt8 = 0, _ more: [UInt8]...) -> [UInt8] {
        let block = element(ID.block, MatroskaBuilder.block(time: time, flags: flags, payload(30)))
        return element(ID.blockGroup, block, more.flatMap { $0 })
    }

    @Test func simpleBlocksSayWhenAndWhetherKey() throws {
        var builder = MatroskaBuilder()
        builder.clusters = [
            MatroskaBuilder.cluster(time: 1000, simple(0), simple(-40, flags: 0), simple(40, flags: 0x88)),
            MatroskaBuilder.cluster(time: 2000, simple(1, flags: 0x01), simple(7, track: 2)),
        ]
        let found = try read(builder.bytes)
        #expect(found.blocks.map(\.timestamp) == [1000, 960, 1040, 2001])
        #expect(found.blocks.map(\.isKey) == [true, false, true, false])
        #expect(found.blocks.map(\.isInvisible) == [false, false, true, false])
        #expect(found.blocks.allSatisfy { $0.size == 20 && $0.duration == nil })
        #expect(!found.isTruncated)
        for block in found.blocks {
            #expect(Array(builder.bytes[Int(block.offset)..<Int(block.offset) + 20]) == payload(20))
        }
    }

    /// A group's block is a key when it names no reference (RFC 9559, 5.1.3.5.5).
    @Test func groupsSayWhatTheyReferTo() throws {
        var builder = MatroskaBuilder()
        builder.clusters = [
            MatroskaBuilder.cluster(
                time: 5, group(0), group(1, element(ID.reference, [0xFF])),
                group(2, element(ID.duration, number(400)), element(ID.void, payload(9))),
                element(ID.blockGroup, element(ID.void, [])))
        ]
        let found = try read(builder.bytes)
        #expect(found.blocks.map(\.timestamp) == [5, 6, 7])
        #expect(found.blocks.map(\.isKey) == [true, false, true])
        #expect(found.blocks.map(\.duration) == [nil, nil, 400])
    }

    @Test(arguments: [false, true]) func liveFilesHaveNoSizes(withCues: Bool) throws {
        var builder = MatroskaBuilder()
        builder.isOpen = true
        builder.beforeClusters = element(ID.void, payload(100))
        builder.clusters = [
            MatroskaBuilder.cluster(time: 0, isOpen: true, simple(0), simple(10, flags: 0)),
            MatroskaBuilder.cluster(time: 20, isOpen: true, simple(0)),
            MatroskaBuilder.cluster(time: 30, simple(0)),
            MatroskaBuilder.cluster(time: 40, isOpen: true, simple(0)),
        ]
        if withCues { builder.tail = element(ID.cues, payload(50)) }
        let found = try read(builder.bytes)
        #expect(found.blocks.map(\.timestamp) == [0, 10, 20, 30, 40])
        #expect(!found.isTruncated)
    }

    /// Wherever a file is cut, its whole blocks are found, and nothing else; nothing traps.
    @Test(arguments: [false, true]) func cutsEndTheWalk(isOpen: Bool) throws {
        var builder = MatroskaBuilder()
        builder.isOpen = isOpen
        builder.clusters = [
            MatroskaBuilder.cluster(time: 0, isOpen: isOpen, simple(0), group(10, element(ID.duration, [9]))),
            MatroskaBuilder.cluster(time: 20, isOpen: isOpen, simple(0), simple(10)),
        ]
        let whole = builder.bytes
        let all = try read(whole).blocks
        let start = Int(try MatroskaSegment(reading: MemorySource(whole)).firstCluster)
        for count in start + 4..<whole.count {
            guard let found = try? read(Array(whole[..<count])) else {
                #expect(count < start + 12, "only a cut header of the first cluster leaves no cluster")
                continue
            }
            #expect(found.blocks == Array(all.prefix(found.blocks.count)))
            for block in all.dropFirst(found.blocks.count) where block.duration == nil {
                #expect(block.offset + Int64(block.size) > Int64(count))
            }
            if !isOpen { #expect(found.isTruncated) }
        }
    }

    static let oddities: [(String, [UInt8])] = [
        ("lacing", element(ID.simpleBlock, MatroskaBuilder.block(time: 0, flags: 0x82, payload(9)))),
        ("EBML lacing", element(ID.simpleBlock, MatroskaBuilder.block(time: 0, flags: 0x86, payload(9)))),
        ("no payload", element(ID.simpleBlock, MatroskaBuilder.block(time: 0, []))),
        ("no header", element(ID.simpleBlock, [0x81, 0])),
        ("a track number without end", element(ID.simpleBlock, [0x00, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])),
        ("before zero", element(ID.simpleBlock, MatroskaBuilder.block(time: -1, payload(9)))),
        ("no track's", element(ID.simpleBlock, MatroskaBuilder.block(track: 3, time: 0, payload(9)))),
        ("second timestamp", element(ID.timestamp, [1])),
        ("long timestamp", element(ID.timestamp, payload(9))),
        ("unknown element", element([0xC1], payload(3))),
        ("codec state", element(ID.blockGroup, element([0xA4], payload(3)))),
        ("beyond the group", element(ID.blockGroup, ID.block + size(1 << 20, length: 4))),
        ("beyond the cluster", ID.simpleBlock + size(1 << 20, length: 4)),
        ("beyond all integers", ID.simpleBlock + [0x01] + [UInt8](repeating: 0xFF, count: 6) + [0xFE]),
        ("unknown size in a group", element(ID.blockGroup, ID.block + [0xFF])),
        ("no identifier", [0x00, 0x00, 0x00, 0x00]),
        ("two blocks", element(ID.blockGroup, element(ID.block, twice), element(ID.block, twice))),
        ("a cluster in a cluster", element(ID.cluster, element(ID.timestamp, [1]))),
    ]
    private static let twice = MatroskaBuilder.block(time: 0, payload(9))

    @Test(arguments: oddities) func oddFilesAreRefused(_ name: String, _ bytes: [UInt8]) throws {
        var builder = MatroskaBuilder()
        builder.clusters = [MatroskaBuilder.cluster(time: 0, simple(0), bytes), MatroskaBuilder.cluster(time: 1)]
        #expect(throws: ScrubError.self, "\(name)") { try read(builder.bytes) }
    }

    @Test func blocksNeedATimeBeforeThem() {
        var builder = MatroskaBuilder()
        builder.clusters = [element(ID.cluster, simple(0), element(ID.timestamp, [1]))]
        #expect(throws: ScrubError.self) { try read(builder.bytes) }
        builder.clusters = [MatroskaBuilder.cluster(time: UInt64(Int64.max), simple(1))]
        #expect(throws: ScrubError.self) { try read(builder.bytes) }
        builder.clusters = [MatroskaBuilder.cluster(time: .max, simple(-1))]
        #expect(throws: ScrubError.self) { try read(builder.bytes) }
    }

    @Test func bytesBehindTheSegmentAreRefused() throws {
        var builder = MatroskaBuilder()
        builder.clusters = [MatroskaBuilder.cluster(time: 0, simple(0))]
        #expect(try read(builder.bytes).blocks.count == 1)
        #expect(throws: ScrubError.self) { try read(builder.bytes + [0]) }
        #expect(throws: ScrubError.self) { try read(builder.bytes + builder.bytes) }
        builder.tail = builder.info
        #expect(throws: ScrubError.self) { try read(builder.bytes) }
    }

    /// Of long payloads no more is read than one short read each; of a run of small blocks, little more than there is.
    @Test func payloadsAreLeaptOver() throws {
        var (long, small) = (MatroskaBuilder(), MatroskaBuilder())
        long.clusters = [MatroskaBuilder.cluster(time: 0, (0..<40).flatMap { simple(Int16($0), count: 50_000) })]
        small.clusters = [
            MatroskaBuilder.cluster(time: 0, (0..<400).flatMap { simple(Int16($0), track: 2, count: 150) + simple(1) })
        ]
        for (bytes, limit) in [(long.bytes, 42 * 64 + 512), (small.bytes, small.bytes.count * 3 / 2)] {
            let source = MemorySource(bytes)
            var reader = BlockReader(try MatroskaSegment(reading: source), track: 1, source: source, headSize: 40)
            var count = 0
            while try reader.next() != nil { count += 1 }
            #expect(count == (bytes.count > 1 << 20 ? 40 : 400))
            #expect(reader.bytesRead <= Int64(limit))
        }
    }

    /// Random bytes in a file, and random bytes as a file, end in an error or in fewer blocks.
    @Test func damageNeverTraps() {
        var builder = MatroskaBuilder()
        builder.clusters = (0..<4).map {
            MatroskaBuilder.cluster(time: UInt64($0), simple(0), group(1, element(ID.duration, [3])), simple(2))
        }
        let whole = builder.bytes
        var state: UInt64 = 1
        func random() -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33)
        }
        var readable = 0
        for _ in 0..<4000 {
            var bytes = whole
            for _ in 0...random() % 4 { bytes[random() % bytes.count] = UInt8(random() & 255) }
            guard let found = try? read(bytes) else { continue }
            for block in found.blocks { #expect(block.offset + Int64(block.size) <= Int64(bytes.count)) }
            readable += found.blocks.count
        }
        #expect(readable > 1000)
        for _ in 0..<2000 { _ = try? read(ID.ebml + (0..<random() % 200).map { _ in UInt8(random() & 255) }) }
    }
}
