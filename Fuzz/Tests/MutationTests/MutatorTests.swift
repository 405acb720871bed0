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

    @Test func whatAFuzzerHasIsChangedToo() {
        for seed in Self.seeds { for number in 0..<100 as Range<UInt64> { _ = Mutator.changed(seed, number: number) } }
    }
}
