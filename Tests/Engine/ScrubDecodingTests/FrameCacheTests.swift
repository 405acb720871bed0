import ScrubLibAV
import ScrubBase
@testable import ScrubDecoding
import ScrubTestSupport
import Testing

@Suite struct FrameCacheTests {
    /// A gray picture of a row, made by libav's raw decoder as pictures are made everywhere.
    private static func frame(width: Int = 8) throws -> SharedFrame {
        var codec = CodecDescription()
        codec.codecID = 13  // AV_CODEC_ID_RAWVIDEO
        codec.pixelFormat = PixelFormat.gray8.rawValue
        (codec.width, codec.height) = (Int32(width), 1)
        var decoder = try Decoder(codec)
        var packet = try Packet()
        try packet.fill(count: width) { $0.copyBytes(from: [UInt8](repeating: 7, count: width)) }
        packet.identify(as: 0, isKey: true)
        #expect(try decoder.send(packet) == .done)
        var frame = try Frame()
        #expect(try decoder.receive(into: &frame) == .done)
        return SharedFrame(try frame.take())
    }

    private static func judged(_ frame: SharedFrame, _ number: Int) -> JudgedPicture {
        JudgedPicture(number: number, frame: frame, verdict: .exact)
    }

    /// The ranks of 0..<`count` that are there; pictures are numbered as they are ranked here.
    private static func kept(_ cache: FrameCache, _ ranks: some Sequence<Int>) -> [Int] {
        ranks.filter { cache[$0] != nil }
    }

    @Test(arguments: 0..<40) func theLimitIsNeverExceeded(_ seed: Int) throws {
        var random = SplitMix(UInt64(seed))
        let frames = try (0..<6).map { try FrameCacheTests.frame(width: 64 + 96 * $0) }
        let limit = Int.random(in: 0...6000, using: &random)
        var cache = FrameCache(byteLimit: limit)
        for _ in 0..<300 {
            if random.isOne(in: 3) { cache.look(at: Int32.random(in: 0..<400, using: &random)) }
            let picture = Int.random(in: 0..<400, using: &random)
            let frame = frames[Int.random(in: frames.indices, using: &random)]
            cache.insert(FrameCacheTests.judged(frame, picture), rank: Int32(399 - picture))
            #expect(cache.byteCount <= limit)
            let there = (0..<400).compactMap { cache[$0] }
            #expect(there.count == cache.count)
            #expect(there.reduce(0) { $0 + ($1.frame?.byteCount ?? 0) } == cache.byteCount)
        }
    }

    /// Where requests jump about, pictures on the way are not kept by the dozen. A movement keeps what there is room
    /// for, also while it jumps once.
    @Test func jumpsKeepFewPictures() throws {
        let frame = try FrameCacheTests.frame()
        var cache = FrameCache(byteLimit: 100 * frame.byteCount, isFrugal: true)
        var pattern = AccessPattern()
        func decode(to target: Int) {
            cache.look(at: Int32(target), isScattered: pattern.note(frame: target, restart: 0).isScattered)
            for picture in target - 40...target {
                cache.insert(FrameCacheTests.judged(frame, picture), rank: Int32(picture))
            }
        }
        for target in [500, 1200, 300, 900, 320, 1500] {
            decode(to: target)
            #expect(cache.count == 3 && cache[target] != nil, "\(target)")
        }
        // The movement begins with its second step.
        decode(to: 1502)
        #expect(cache.count == 3 && cache[1502] != nil)
        decode(to: 1504)
        #expect(cache.count > 40)
        decode(to: 700)
        #expect(cache.count > 80)
        decode(to: 100)
        #expect(cache.count == 3 && cache[100] != nil)
        // Steps to and fro are not a movement.
        for target in [102, 100, 102, 100] { decode(to: target) }
        #expect(cache.count == 3)
    }

    @Test func aPictureLargerThanTheLimitIsNotKept() throws {
        let frame = try FrameCacheTests.frame()
        var cache = FrameCache(byteLimit: frame.byteCount - 1)
        cache.insert(FrameCacheTests.judged(frame, 0), rank: 0)
        #expect(cache[0] == nil && cache.byteCount == 0)
        cache = FrameCache(byteLimit: frame.byteCount)
        cache.insert(FrameCacheTests.judged(frame, 0), rank: 0)
        cache.insert(FrameCacheTests.judged(frame, 0), rank: 0)
        #expect(cache[0] != nil && cache.byteCount == frame.byteCount && cache.count == 1)
    }

    /// Ranks looked at, one after the other, and the rest of 0..<100 in room for so many.
    static let looks: [([Int32], Int, [Int])] = [
        // Nothing is known of the movement: both sides count the same.
        ([50], 11, Array(45...55)), ([0], 5, Array(0...4)), ([99], 5, Array(95...99)),
        // Frames behind a movement count as twice as far away.
        ([40, 50], 10, Array(47...56)), ([60, 50], 10, Array(44...53)),
        // Standing still does not forget the way.
        ([40, 50, 50], 10, Array(47...56)),
        // The latest place counts, not one that the movement went through.
        ([10, 30, 50], 10, Array(47...56)),
    ]

    @Test(arguments: looks) func theNearestAreKept(_ looks: [Int32], _ room: Int, _ expected: [Int]) throws {
        let frame = try FrameCacheTests.frame()
        var random = SplitMix(UInt64(room))
        for _ in 0..<20 {
            var cache = FrameCache(byteLimit: room * frame.byteCount)
            for rank in looks { cache.look(at: rank) }
            for rank in (0..<100).shuffled(using: &random) {
                cache.insert(FrameCacheTests.judged(frame, rank), rank: Int32(rank))
            }
            #expect(FrameCacheTests.kept(cache, 0..<100) == expected)
        }
    }

    /// A place without a return keeps its own picture and loses those around it.
    @Test func oldPlacesFade() throws {
        let frame = try FrameCacheTests.frame()
        let near = Array(96...104)
        let far = Array(996...1004)
        var cache = FrameCache(byteLimit: 10 * frame.byteCount)
        cache.look(at: 100)
        for _ in 0..<40 { cache.look(at: 1000) }
        for rank in near + far {
            cache.insert(FrameCacheTests.judged(frame, rank), rank: Int32(rank))
        }
        #expect(FrameCacheTests.kept(cache, 0..<1100) == [100] + far)
        // A return: now the other place is the old one.
        for _ in 0..<200 { cache.look(at: 100) }
        for rank in near + far {
            cache.insert(FrameCacheTests.judged(frame, rank), rank: Int32(rank))
        }
        #expect(FrameCacheTests.kept(cache, 0..<1100) == near + [1000])
    }

    /// Four places are known; the fifth makes the one forgotten that was looked at longest ago.
    @Test func theFifthPlaceForgetsTheOldest() throws {
        let frame = try FrameCacheTests.frame()
        let places = [100, 300, 500, 700, 900]
        var cache = FrameCache(byteLimit: 4 * frame.byteCount)
        for place in places { cache.look(at: Int32(place)) }
        for place in places {
            cache.insert(FrameCacheTests.judged(frame, place), rank: Int32(place))
        }
        #expect(FrameCacheTests.kept(cache, 0..<1000) == [300, 500, 700, 900])
    }

    /// Pictures that are decoded and exact, those first that go first; not verdicts alone, nor damaged ones.
    @Test func exactPicturesComeInTheOrderOfGoing() throws {
        let frame = try FrameCacheTests.frame()
        var cache = FrameCache(byteLimit: 10 * frame.byteCount)
        for rank in [40, 10, 52, 61] { cache.insert(FrameCacheTests.judged(frame, rank), rank: Int32(rank)) }
        cache.insert(JudgedPicture(number: 45, frame: frame, verdict: .damaged("")), rank: 45)
        cache.insert(JudgedPicture(number: 46, frame: nil, verdict: .exact), rank: 46)
        cache.look(at: 50)
        #expect(cache.exactPictures == [10, 61, 40, 52])
        var order: [Int] = []
        while let next = cache.exactPictures.first {
            order.append(next)
            var hasMore = true
            while hasMore, cache[next] != nil { hasMore = cache.evictOne() }
        }
        #expect(order == [10, 61, 40, 52])
    }

    /// The rule told once more, the slow way: the most remote picture goes first.
    private struct Model {
        var heads: [(rank: Int32, used: Int, direction: Int32)] = []
        var clock = 0

        mutating func look(at rank: Int32) {
            clock += 1
            if let near = heads.indices.min(by: { abs(heads[$0].rank - rank) < abs(heads[$1].rank - rank) }),
                abs(heads[near].rank - rank) <= 64
            {
                let step = rank - heads[near].rank
                heads[near] = (rank, clock, step == 0 ? heads[near].direction : step.signum())
                return
            }
            if heads.count == 4 { heads.remove(at: heads.indices.min { heads[$0].used < heads[$1].used } ?? 0) }
            heads.append((rank, clock, 0))
        }

        func remoteness(_ rank: Int32) -> Double {
            heads.map { head in
                let isBehind = head.direction > 0 && rank < head.rank || head.direction < 0 && rank > head.rank
                return Double(abs(rank - head.rank)) * (1 + Double(clock - head.used) / 4) * (isBehind ? 2 : 1)
            }.min() ?? 0
        }
    }

    @Test(arguments: 0..<60) func theMostRemoteGoesFirst(_ seed: Int) throws {
        var random = SplitMix(UInt64(seed) &+ 77)
        let frame = try FrameCacheTests.frame()
        var cache = FrameCache(byteLimit: 12 * frame.byteCount)
        var model = Model()
        var there = Set<Int>()
        for _ in 0..<400 {
            if random.isOne(in: 2) {
                let rank = Int32.random(in: 0..<600, using: &random)
                cache.look(at: rank)
                model.look(at: rank)
            }
            let picture = Int.random(in: 0..<600, using: &random)
            cache.insert(FrameCacheTests.judged(frame, picture), rank: Int32(picture))
            there.insert(picture)
            let gone = there.filter { cache[$0] == nil }
            #expect(gone.count == max(0, there.count - 12))
            let most = there.map { model.remoteness(Int32($0)) }.max() ?? 0
            for lost in gone { #expect(model.remoteness(Int32(lost)) == most, "\(lost) of \(there.sorted())") }
            there.subtract(gone)
        }
    }
}
