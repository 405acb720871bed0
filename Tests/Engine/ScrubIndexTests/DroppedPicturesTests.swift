import Testing

@testable import ScrubIndex

/// The pictures that libavcodec's H.264 decoder hands out, by its own messages about damaged files ("no picture ooo").
@Suite struct DroppedPicturesTests {
    private func marked(_ counts: [Int64], sections: [Int] = [0], delay: Int) -> [Int] {
        var pictures = SyntheticIndex(counts.map { "P\($0)" }.joined(separator: " ")).pictures
        pictures.markDropped(orderCounts: counts, sections: sections, delay: delay)
        return pictures.flags.indices.filter { pictures.flags[$0].contains(.misplaced) }
    }

    @Test func soundStreamsLoseNothing() {
        #expect(marked([0, 2, 4, 6, 8], delay: 0).isEmpty)
        #expect(marked([0, 4, 2, 8, 6, 12, 10], delay: 1).isEmpty)
        #expect(marked([0, 8, 4, 2, 6, 16, 12, 10, 14], delay: 2).isEmpty)
        #expect(marked([0, 2, 4, 0, 2, 4], sections: [0, 3], delay: 0).isEmpty)
    }

    @Test func repeatedPicturesAreDropped() {
        #expect(marked([0, 2, 4, 2, 6], delay: 0) == [3])
        #expect(marked([0, 2, 4, 6, 0, 8], delay: 0) == [4])
    }

    @Test func aPictureOfALaterPlaceMakesThoseBehindItLate() {
        #expect(marked([0, 2, 10, 4, 6, 8, 10, 12], delay: 0) == [3, 4, 5])
    }

    /// The first one is lost, and from then on the decoder waits for it.
    @Test func aDelayIsLearnt() {
        #expect(marked([0, 4, 2, 8, 6, 12, 10], delay: 0) == [2])
    }

    @Test func picturesThatADecoderHandsOutCount() {
        var pictures = SyntheticIndex("P0 P2 P10 P4 P6").pictures
        pictures.flags[3].insert(.hidden)
        pictures.markDropped(allBut: [0, 1, 2])
        #expect(pictures.flags.indices.filter { pictures.flags[$0].contains(.misplaced) } == [4])
    }
}
