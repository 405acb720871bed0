import ScrubFileIO
import ScrubIndex
import ScrubTestSupport
import Testing

/// With how many pictures of delay a decoder can hand pictures out in display order: `num_reorder_frames` of
/// ITU-T H.264 E.2.1, `sps_max_num_reorder_pics` of H.265 7.4.3.2.
@Suite struct ReorderDelayTests {
    /// The definition, literally: the most pictures before one in decode order that show after it.
    private func definition(_ index: FrameIndex) -> Int {
        let ranks = index.ranks.filter { $0 >= 0 }
        let delays = ranks.indices.map { place in ranks[..<place].count { $0 > ranks[place] } }
        return min(16, delays.max() ?? 0)
    }

    @Test(arguments: [
        ("I0 P1 P2", 0), ("I0 P2 b1", 1), ("I0 P3 b1 b2", 1), ("I0 P4 b2 b1 b3", 2), ("I0 P4 b1 b2 b3", 1),
        ("I0 P8 P4 P2 b1 b3 P6 b5 b7", 3), ("I0 P2 P3 b1", 2), ("I0 P2 P3 P4 b1", 3), ("I0 F P3 F b1 f b2 f", 1),
        ("H I0 P2 b1", 1),
    ])
    func knownPatterns(text: String, expected: Int) {
        let index = SyntheticIndex(text).index
        #expect(definition(index) == expected)
        #expect(index.reorderDelay == expected)
    }

    @Test(arguments: 0..<20)
    func isTheDefinition(seed: Int) {
        var random = SplitMix(UInt64(seed))
        let index = SyntheticIndex.random(&random, count: 80).index
        #expect(index.reorderDelay == definition(index))
    }

    @Test func isAtMostSixteen() {
        let text = (1...40).map { "P\($0)" }.joined(separator: " ") + " P0"
        #expect(SyntheticIndex(text).index.reorderDelay == 16)
    }
}
