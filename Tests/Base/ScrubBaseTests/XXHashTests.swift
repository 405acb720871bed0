import ScrubHashing
import Testing

/// The values are those of xxHash's own sanity check (`cli/xsum_sanity_check.c`).
@Suite struct XXHashTests {
    private static let prime: UInt64 = 0x9E37_79B1_85EB_CA8D

    /// The sanity check's made-up bytes.
    private func bytes(_ count: Int) -> [UInt8] {
        var state: UInt64 = 2_654_435_761
        return (0..<count).map { _ in
            defer { state &*= XXHashTests.prime }
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }

    @Test(
        arguments: [
            (0, 0x2D06_8005_38D3_94C2, 0xA8A6_B918_B2F0_364A), (1, 0xC44B_DFF4_074E_ECDB, 0x032B_E332_DD76_6EF8),
            (6, 0x27B5_6A84_CD2D_7325, 0x8458_9C11_6AB5_9AB9), (12, 0xA713_DAF0_DFBB_77E7, 0xE730_3E1B_2336_DE0E),
            (24, 0xA3FE_70BF_9D35_10EB, 0x850E_80FC_35BD_D690), (48, 0x397D_A259_ECBA_1F11, 0xADC2_CBAA_44AC_C616),
            (80, 0xBCDE_FBBB_2C47_C90A, 0xC6DD_0CB6_9953_2E73), (195, 0xCD94_217E_E362_EC3A, 0xBA68_003D_370C_B3D9),
            (403, 0xCDEB_804D_65C6_DEA4, 0x6259_F6EC_FD64_43FD), (512, 0x617E_4959_9013_CB6B, 0x3CE4_57DE_14C2_7708),
            (2048, 0xDD59_E2C3_A5F0_38E0, 0x66F8_1670_669A_BABC), (2240, 0x6E73_A905_39CF_2948, 0x757B_A848_7D1B_5247),
            (2367, 0xCB37_AEB9_E5D3_61ED, 0xD2DB_3415_B942_B42A),
        ] as [(Int, UInt64, UInt64)])
    func knownValues(count: Int, plain: UInt64, seeded: UInt64) {
        let bytes = bytes(count)
        #expect(xxh3(bytes) == plain)
        #expect(xxh3(bytes, seed: XXHashTests.prime) == seeded)
        #expect(xxh3(bytes.span) == plain)
        #expect(xxh3(bytes.span.extracting(0..<bytes.count), seed: XXHashTests.prime) == seeded)
    }

    @Test func everyBitCounts() {
        var bytes = bytes(300)
        let whole = xxh3(bytes)
        for i in bytes.indices {
            bytes[i] ^= 1 << (i % 8)
            #expect(xxh3(bytes) != whole)
            bytes[i] ^= 1 << (i % 8)
        }
        #expect(xxh3(bytes) == whole)
    }
}
