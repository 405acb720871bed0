import Mutation
import Testing

/// Damaged files are the same everywhere, so that findings can be found again.
@Suite struct MutatorTests {
    private static let seeds: [[UInt8]] = [
        Array("WEBVTT\n\n00:00.000 --> 00:01.000\na.jpg#xywh=0,0,1,1\n".utf8),
        [0, 0, 0, 8] + Array("ftyp".utf8) + [0, 0, 0, 24] + Array("moov".utf8) + [0, 0, 0, 16] + Array("mvhd".utf8)
            + [UInt8](repeating: 7, count: 8),
        [0x1A, 0x45, 0xDF, 0xA3, 0x80, 0x18, 0x53, 0x80, 0x67, 0x84, 0xEC, 0x82, 1, 2],
        [0, 0, 1, 0x67, 1, 2, 3, 0, 0, 1, 0x68, 4, 5, 0, 0, 1, 0x65, 6, 7, 8, 9],
        [1], [],
    ]

    @Test(arguments: seeds) func theSameNumberIsTheSameFile(_ seed: [UInt8]) {
        var found: Set<[UInt8]> = []
        for number in 0..<400 as Range<UInt64> {
            let first = Mutator(seed).mutant(name: "a", number: number)
            let second = Mutator(seed).mutant(name: "a", number: number)
            #expect(first.bytes == second.bytes && first.what == second.what)
            #expect(first.bytes != seed, "\(number): \(first.what)")
            found.insert(first.bytes)
        }
        #expect(found.count > 100 || seed.count < 2)
    }

    /// A fixed number's file, so that a change of the mutator is seen: findings are kept as (seed, number).
    @Test func nothingHasChanged() {
        var sum: UInt64 = 0
        for (index, seed) in Self.seeds.enumerated() {
            for number in 0..<200 as Range<UInt64> {
                for byte in Mutator(seed).mutant(name: "\(index)", number: number).bytes {
                    sum = sum &* 31 &+ UInt64(byte)
                }
            }
        }
        #expect(sum == 8_951_839_014_145_716_120)
    }

    /// Chunks of PNG, transport packets, chunks of AVI, units and blocks that get lost.
    private static let lossySeeds: [[UInt8]] = [
        [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0, 0, 0, 26] + Array("fcTL".utf8) + [UInt8](repeating: 1, count: 30)
            + [0, 0, 0, 20] + Array("fdAT".utf8) + [UInt8](repeating: 2, count: 24),
        (0..<5).flatMap { [0x47, 0x41, 0, 0x10 | $0, 0, 0, 1, 0xE0, 0, 50] + [UInt8](repeating: $0, count: 178) },
        Array("RIFF".utf8) + [60, 0, 0, 0] + Array("AVI ".utf8)
            + (0..<5).flatMap { Array("00dc".utf8) + [4, 0, 0, 0, $0, 1, 2, 3] },
    ]

    @Test(arguments: seeds + lossySeeds) func lossesHaveNumbersToo(_ seed: [UInt8]) {
        for number in 1000..<1400 as Range<UInt64> {
            let first = Mutator(seed).mutant(name: "a", number: number)
            let second = Mutator(seed).mutant(name: "a", number: number)
            #expect(first.bytes == second.bytes && first.what == second.what)
            #expect(first.bytes != seed, "\(number): \(first.what)")
        }
    }

    /// Streams of each kind whose decoders keep something: H.264, HEVC, MPEG-2, MPEG-4, FLV, JPEG and PNG pictures.
    private static let stateSeeds: [[UInt8]] = {
        let avc: [[UInt8]] = [unit(0x67, 9), unit(0x68, 5)] + (0..<5).map { unit(0x41, 20 + $0) }
        let hevc: [[UInt8]] = [unit(0x40, 9), unit(0x42, 9)] + (0..<5).map { unit(2, 20 + $0) }
        let mpeg2: [[UInt8]] = [unit(0xB3, 9)] + (0..<10).map { unit($0 % 2 == 0 ? 0 : 1, 6 + $0) }
        let mpeg4: [[UInt8]] = [unit(0xB0, 4), unit(0x20, 12)] + (0..<5).map { unit(0xB6, 20 + $0) }
        var flv: [[UInt8]] = [Array("FLV".utf8), [1, 1, 0, 0, 0, 9, 0, 0, 0, 0]]
        for kind in 0..<4 as Range<UInt8> {
            flv += [[9, 0, 0, 30, 0, 0, kind, 0, 0, 0, 0, 0x17, kind == 0 ? 0 : 1], filler(28), [0, 0, 0, 41]]
        }
        var jpeg: [[UInt8]] = []
        for number in 0..<4 {
            jpeg += [[0xFF, 0xD8, 0xFF, 0xDB, 0, 20], filler(18), [0xFF, 0xDA], filler(9 + number), [0xFF, 0xD9]]
        }
        var png: [[UInt8]] = []
        for _ in 0..<3 {
            png += [[0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10], chunk("IHDR", 13), chunk("PLTE", 12), chunk("IDAT", 9)]
        }
        return [avc, hevc, mpeg2, mpeg4, flv, jpeg, png].map { Array($0.joined()) }
    }()

    private static func filler(_ count: Int) -> [UInt8] { (0..<count).map { UInt8($0 % 7 + 2) } }
    /// HEVC's headers have a second byte, which is 1.
    private static func unit(_ code: UInt8, _ count: Int) -> [UInt8] { [0, 0, 1, code, 1] + filler(count) }
    private static func chunk(_ name: String, _ count: UInt8) -> [UInt8] {
        [0, 0, 0, count] + Array(name.utf8) + filler(Int(count)) + [1, 2, 3, 4]
    }

    @Test(arguments: stateSeeds) func stateHasNumbersToo(_ seed: [UInt8]) {
        var found: Set<[UInt8]> = []
        for number in 1_000_000..<1_000_400 as Range<UInt64> {
            let first = Mutator(seed).mutant(name: "a", number: number)
            let second = Mutator(seed).mutant(name: "a", number: number)
            #expect(first.bytes == second.bytes && first.what == second.what)
            #expect(first.bytes != seed, "\(number): \(first.what)")
            found.insert(first.bytes)
        }
        #expect(found.count > 200)
    }

    @Test func whatAFuzzerHasIsChangedToo() {
        for seed in Self.seeds { for number in 0..<100 as Range<UInt64> { _ = Mutator.changed(seed, number: number) } }
    }
}
