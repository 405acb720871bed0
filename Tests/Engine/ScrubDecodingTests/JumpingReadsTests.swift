import ScrubBase
@testable import ScrubLibAV
import Synchronization
import Testing

/// libavformat reads two streams that are far apart in turns: each byte is read from the file about once, and is the
/// right one.
@Suite struct JumpingReadsTests {
    /// Bytes that tell their place, and count how many of them are read. From `damage` on none can be, and a read that
    /// begins before it ends there, as files' do.
    private final class Places: ByteSource {
        let byteCount: Int64
        let damage: Int64
        private let read = Atomic<Int>(0)
        var bytesRead: Int { read.load(ordering: .relaxed) }

        init(byteCount: Int64, damage: Int64 = .max) { (self.byteCount, self.damage) = (byteCount, damage) }

        static func byte(at place: Int64) -> UInt8 { UInt8(truncatingIfNeeded: place &* 31 &+ place >> 8) }

        func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            let count = Int(min(Int64(buffer.count), byteCount - offset, damage - offset))
            guard count > 0 else { throw ScrubError(.inputOutput, "a bad sector") }
            read.add(count, ordering: .relaxed)
            for i in 0..<count { unsafe buffer[i] = Places.byte(at: offset + Int64(i)) }
            return count
        }
    }

    private static let block: Int32 = 64 << 10

    /// Reads `count` bytes from a place as libavformat does: its buffer is filled until they are there.
    private func bytes(_ reading: InputReading, at place: Int64, count: Int) -> [UInt8]? {
        #expect(reading.seek(place, 0) == place)
        var found: [UInt8] = []
        while found.count < count {
            let part = withUnsafeTemporaryAllocation(byteCount: Int(JumpingReadsTests.block), alignment: 1) { room in
                let count = unsafe reading.read(into: room)
                return count > 0 ? unsafe Array(room.prefix(Int(count))) : []
            }
            if part.isEmpty { return nil }
            found += part
        }
        return Array(found.prefix(count))
    }

    private func isRight(_ bytes: [UInt8]?, at place: Int64) -> Bool {
        guard let bytes else { return false }
        return bytes.indices.allSatisfy { bytes[$0] == Places.byte(at: place + Int64($0)) }
    }

    @Test(arguments: [(900, 3000, Int64(1 << 20)), (7, 20_000, 300_000), (5000, 5000, 2 << 20), (1, 66_000, 1 << 19)])
    func twoStreamsAreReadOnce(_ first: Int, _ second: Int, _ gap: Int64) {
        let source = Places(byteCount: 3 << 20)
        let reading = InputReading(source, block: JumpingReadsTests.block)
        var (a, b, asked) = (Int64(0), gap, 0)
        while a + Int64(first) < gap, b + Int64(second) < source.byteCount {
            #expect(isRight(bytes(reading, at: a, count: first), at: a))
            #expect(isRight(bytes(reading, at: b, count: second), at: b))
            (a, b, asked) = (a + Int64(first), b + Int64(second), asked + first + second)
        }
        // The first jumps are taken for a header and tables, and the last blocks are read further than is asked for.
        // What is handed out in pieces is at most twice what a read wants.
        #expect(source.bytesRead < asked * 5 / 4 + 10 * Int(JumpingReadsTests.block))
    }

    /// Reading on ends the jumping: libavformat gets whole blocks again, from wherever it goes on.
    @Test func readingOnTakesWholeBlocks() {
        let source = Places(byteCount: 4 << 20)
        let reading = InputReading(source, block: JumpingReadsTests.block)
        let piece = { () -> Int32 in
            withUnsafeTemporaryAllocation(byteCount: Int(JumpingReadsTests.block), alignment: 1) { room in
                unsafe reading.read(into: room)
            }
        }
        for turn in 0..<20 {
            #expect(isRight(bytes(reading, at: Int64(turn) * 100, count: 100), at: Int64(turn) * 100))
            #expect(isRight(bytes(reading, at: 1 << 20 + Int64(turn), count: 1), at: 1 << 20 + Int64(turn)))
        }
        #expect(piece() < JumpingReadsTests.block)
        // Where pieces end, blocks of the jumping do not.
        #expect(isRight(bytes(reading, at: 2 << 20 + 777, count: 1 << 19), at: 2 << 20 + 777))
        let before = source.bytesRead
        for turn in 1...4 {
            #expect(piece() == JumpingReadsTests.block)
            #expect(source.bytesRead == before + turn * Int(JumpingReadsTests.block))
        }
    }

    /// All bytes before damage are read while it jumps; then it is an error.
    @Test func damageBehindABlockHidesNothing() {
        let source = Places(byteCount: 1 << 20, damage: 500_000)
        let reading = InputReading(source, block: JumpingReadsTests.block)
        for turn in 0..<300 {
            let place = Int64(turn) * 2000
            #expect(isRight(bytes(reading, at: Int64(turn), count: 1), at: Int64(turn)))
            let found = bytes(reading, at: place, count: 2000)
            #expect((found != nil) == (place + 2000 <= source.damage))
            if let found { #expect(isRight(found, at: place)) }
        }
    }

    /// Bytes that are handed out again count, too: a demuxer that goes round among blocks comes to its limit.
    @Test func goingRoundEnds() {
        let source = Places(byteCount: 4 << 20)
        let reading = InputReading(source, block: JumpingReadsTests.block)
        // 16 pictures of the most coded bytes that there may be: 4 GiB, in pieces of 4 KiB.
        reading.begin(isElementary: true)
        var turns = 0
        while turns < 1_000_000, bytes(reading, at: Int64(turns % 2) << 21, count: 1) != nil { turns += 1 }
        #expect(turns < 100_000, "\(source.bytesRead) bytes were read")
    }

    /// Any order of reads gives the file's bytes.
    @Test(arguments: 0..<8) func anyOrderGivesTheBytes(_ part: UInt64) {
        var state = 0x9E37_79B9_7F4A_7C15 &* (part + 1)
        let next = { (limit: Int) -> Int in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        let source = Places(byteCount: 1_000_003)
        let reading = InputReading(source, block: JumpingReadsTests.block)
        var place: Int64 = 0
        for _ in 0..<400 {
            if next(3) > 0 { place = next(2) == 0 ? Int64(next(1_000_003)) : max(0, place - Int64(next(100_000))) }
            let count = min(1 + next(next(10) == 0 ? 200_000 : 3000), Int(source.byteCount - place))
            guard count > 0 else { continue }
            #expect(isRight(bytes(reading, at: place, count: count), at: place))
            place += Int64(count)
        }
    }
}
