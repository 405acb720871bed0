@testable import ScrubIndex
import ScrubBitstream
import ScrubFileIO
import ScrubLibAV
import ScrubMatroska
import ScrubBase
import ScrubTestSupport
import Testing

/// A walk on several threads that reads ahead finds the same as one that leaps from header to header.
@Suite struct BlockWalkTests {
    /// All that a walk says, or why it says nothing.
    private struct Outcome: Equatable {
        var pictures = CodedPictures()
        var durations: [Int64?] = []
        var end: Int64 = 0
        var isTruncated = false
        var problem: String?
    }

    private func walk(_ bytes: [UInt8], _ codec: VideoCodec, _ pace: BlockScan.Pace) throws -> Outcome {
        let file = try MediaSource(MemorySource(bytes), name: "made")
        let segment = try MatroskaSegment(reading: file)
        let heads = try #require(BlockHeaderReader(codec: codec, extradata: [], file: file))
        do throws(ScrubError) {
            let walk = try BlockScan(
                segment, segment.tracks[0], isIntraOnly: false, file: file, heads: heads, pace: pace)
            return Outcome(
                pictures: walk.pictures, durations: walk.pictures.offsets.indices.map { walk.duration(of: $0) },
                end: walk.end, isTruncated: walk.isTruncated)
        } catch {
            return Outcome(problem: error.description)
        }
    }

    /// Paces under which small files too are walked from several places.
    private let paces = [
        BlockScan.Pace(threads: 1), BlockScan.Pace(threads: 2, stretch: 700, beginning: 1, search: 5000),
        BlockScan.Pace(threads: 3, stretch: 300, beginning: 900, search: 400),
        BlockScan.Pace(threads: 4, stretch: 50, beginning: 100, search: 1 << 20, readsAhead: false),
        BlockScan.Pace(threads: 8, stretch: 1, beginning: 0, search: 1 << 20),
    ]

    /// Clusters with and without sizes, voids, groups, other tracks' blocks, payloads that look like clusters; cut,
    /// damaged and laced ones.
    @Test(arguments: 0..<8) func threadsChangeNothing(_ part: Int) throws {
        var (blocks, problems, cut, changes) = (0, 0, 0, 0)
        for number in 0..<60 {
            let seed = UInt64(part * 1000 + number)
            var film = MadeFilm(seed: seed)
            let bytes = film.bytes()
            let codec = film.codec
            guard let plain = try? walk(bytes, codec, .sparing) else { continue }
            for (place, pace) in paces.enumerated() {
                #expect(try walk(bytes, codec, pace) == plain, "seed \(seed), pace \(place)")
            }
            blocks += plain.pictures.count
            problems += plain.problem == nil ? 0 : 1
            changes += plain.problem?.contains("parameter sets change") == true ? 1 : 0
            cut += plain.isTruncated ? 1 : 0
        }
        // The films are what they are meant to be.
        #expect(blocks > 1000 && problems > 1 && cut > 5 && changes > 0, "\(blocks) \(problems) \(cut) \(changes)")
    }

    /// Indexes of real files, to the byte.
    @Test(arguments: MatroskaFiles.all) func savedIndexesAreTheSame(_ path: String) throws {
        let file = try MediaSource(path: path)
        let key = try IndexFile.Key(file, requestedStream: nil)
        let made = { (pace: BlockScan.Pace) -> Result<[UInt8], TableFallbackReason> in
            Result { () throws(TableFallbackReason) in
                IndexFile.encode(try MatroskaIndexer(file, pace: pace).makeIndex(requestedStream: nil), key: key)
            }
        }
        let plain = made(.sparing)
        for pace in paces {
            switch (plain, made(pace)) {
            case (.success(let first), .success(let second)): #expect(first == second)
            case (.failure(let first), .failure(let second)): #expect(first.why == second.why)
            default: Issue.record("one pace makes an index and another doesn't")
            }
        }
    }
}

/// Matroska files as no muxer would write them.
private struct MadeFilm {
    private var random: SplitMix
    private let isOpen: Bool
    let codec: VideoCodec

    init(seed: UInt64) {
        random = SplitMix(seed)
        isOpen = random.next() % 3 == 0
        codec = random.next() % 3 == 0 ? .av1 : .other
    }

    private mutating func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
    private mutating func chance(_ count: Int) -> Bool { random.isOne(in: count) }

    private mutating func element(_ id: [UInt8], _ body: [UInt8]) -> [UInt8] {
        let least = (1...8).first { body.count < (1 << (7 * $0)) - 1 } ?? 8
        let length = min(8, least + (chance(4) ? below(8) : 0))
        let marked = UInt64(body.count) | 1 << UInt64(7 * length)
        return id + (0..<length).reversed().map { UInt8(truncatingIfNeeded: marked >> UInt64(8 * $0)) } + body
    }

    private func number(_ value: Int) -> [UInt8] {
        [UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
    }

    mutating func bytes() -> [UInt8] {
        let info = element([0x15, 0x49, 0xA9, 0x66], element([0x2A, 0xD7, 0xB1], [0x0F, 0x42, 0x40]))
        let lasts = chance(2) ? element([0x23, 0xE3, 0x83], [0x02, 0x62, 0x5A, 0x00]) : []
        let tracks = element(
            [0x16, 0x54, 0xAE, 0x6B],
            element([0xAE], element([0xD7], [1]) + element([0x83], [1]) + element([0x86], Array("V_AV1".utf8)) + lasts)
                + element([0xAE], element([0xD7], [2]) + element([0x83], [2]) + element([0x86], Array("A_AAC".utf8))))
        var body = info + tracks
        for number in 0..<(1 + below(20)) {
            body += cluster(number * 1000, depth: 0)
            if chance(6) { body += element([0xEC], noise(below(300))) }
            if chance(9) { body += element([0x1C, 0x53, 0xBB, 0x6B], noise(below(100))) }
        }
        let segment: [UInt8] = [0x18, 0x53, 0x80, 0x67]
        var all = element([0x1A, 0x45, 0xDF, 0xA3], element([0x42, 0x82], Array("webm".utf8)))
        let headEnd = all.count + info.count + tracks.count + 12
        all += isOpen ? segment + [0xFF] + body : element(segment, body)
        if chance(3) { all.removeLast(min(below(all.count), all.count - headEnd)) }
        if chance(3), all.count > headEnd { all[headEnd + below(all.count - headEnd)] = UInt8(below(256)) }
        return all
    }

    private mutating func cluster(_ time: Int, depth: Int) -> [UInt8] {
        var body: [UInt8] = chance(5) ? element([0xBF], noise(4)) : []
        body += element([0xE7], number(time))
        if chance(4) { body += element([0xAB], noise(2)) }
        for place in 0..<below(24) {
            switch below(8) {
            case 0: body += element([0xEC], noise(below(60)))
            case 1, 2: body += element([0xA3], [0x82, 0, UInt8(place), 0x80] + noise(below(40)))
            case 3:
                let block = element([0xA1], block(place, flags: 0, depth))
                let before = chance(2) ? element([0x9B], number(20 + place)) : []
                let after = chance(2) ? element([0x9B], number(40 + place)) + element([0xFB], [0xFF]) : []
                body += element([0xA0], before + block + after)
            default: body += element([0xA3], block(place, flags: chance(5) ? 0x80 : 0, depth))
            }
        }
        let id: [UInt8] = [0x1F, 0x43, 0xB6, 0x75]
        return isOpen && chance(2) ? id + [0x01] + [UInt8](repeating: 0xFF, count: 7) + body : element(id, body)
    }

    private mutating func block(_ time: Int, flags: UInt8, _ depth: Int) -> [UInt8] {
        let lacing: UInt8 = chance(700) ? 0x02 : 0
        // Some payloads hold a whole cluster.
        let payload = depth == 0 && chance(12) ? cluster(77, depth: 1) : noise(below(300))
        // A temporal unit with one of two sequence headers, or none, and a frame.
        let header: [UInt8] = chance(8) ? [0x0A, 0x02, chance(30) ? 7 : 9, 1] : []
        return [0x81, 0, UInt8(time), flags | lacing] + (codec == .av1 ? header + [0x32, 0x01, 0x10] : [0]) + payload
    }

    private mutating func noise(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }
}
