import ScrubFileIO
import ScrubBitstream
import ScrubIndex
import Testing

@Suite struct PictureFlagsTests {
    private static let kinds: [RandomAccess] = [.none, .instantaneous, .open, .gradual, .inexact]
    private static let single: [PictureFlags] = [
        .key, .hidden, .discarded, .disposable, .secondField, .undecodable, .missing, .verified, .corrupt, .misplaced,
    ]

    @Test func restartKindsAndFlagsDontDisturbEachOther() {
        for bits in UInt16(0)..<256 {
            let plain = PictureFlags(rawValue: bits)
            #expect(plain.randomAccess == .none)
            let faults = PictureFlagsTests.kinds.filter { first in
                let flags = plain.with(first)
                let isReplaced = PictureFlagsTests.kinds.allSatisfy { flags.with($0) == plain.with($0) }
                let isApart = PictureFlagsTests.single.allSatisfy {
                    flags.union($0).randomAccess == first && flags.subtracting($0).randomAccess == first
                        && flags.contains($0) == plain.contains($0)
                }
                return flags.randomAccess != first || flags.with(.none) != plain || !isReplaced || !isApart
            }
            #expect(faults == [])
        }
    }

    @Test func everyFlagIsABitOfItsOwn() {
        #expect(Set(PictureFlagsTests.single.map(\.rawValue)).count == 10)
        #expect(PictureFlagsTests.single.allSatisfy { $0.rawValue.nonzeroBitCount == 1 && $0.rawValue & 0x700 == 0 })
    }

    /// Damaged bits must not trap.
    @Test func anyBitsAreFlags() {
        let faults = (UInt16.min...UInt16.max).map(PictureFlags.init(rawValue:)).filter {
            !$0.with($0.randomAccess).subtracting($0).isEmpty
        }
        #expect(faults == [])
    }
}
