import Testing

@testable import ScrubIndex

/// Which frames keep their numbers where one picture's headers can't be read.
@Suite struct UnreadPicturesTests {
    private func marked(
        _ text: String, unread: [Int], survey: [UInt32]? = nil, firstRepeat: Int? = nil
    ) -> [Int] {
        var synthetic = SyntheticIndex(text)
        var scanned = ScanIndexer.Scanned()
        (scanned.unread, scanned.surveyedOrder, scanned.firstRepeat) = (unread, survey, firstRepeat)
        synthetic.pictures.markUnread(scanned, order: survey ?? synthetic.displayOrder)
        return synthetic.pictures.flags.indices.filter { synthetic.pictures.flags[$0].contains(.misplaced) }
    }

    /// In forty pictures in order, the seventeen before the one that can't be read may still have waited.
    @Test func withoutADecoderWhatMayHaveWaitedIsUncertain() {
        let text = (["I0"] + (1..<40).map { "P\($0)" }).joined(separator: " ")
        #expect(marked(text, unread: [30]) == Array(13..<40))
        #expect(marked(text, unread: [30, 35]) == Array(13..<40))
        #expect(marked(text, unread: [5]) == Array(0..<40))
    }

    @Test func picturesBeforeTheFirstRestartHaveNoNumber() {
        #expect(marked("P0 P1 I2 P3 P4", unread: [0]).isEmpty)
        #expect(marked("P0 P1 I2 P3 P4", unread: [0, 3]) == [0, 1, 2, 3, 4])
    }

    @Test func aDecoderTellsUpToWhatNoPacketMade() {
        #expect(marked("I0 P4 b1 b2 P5", unread: [3], survey: [0, 2, 1, 4]).isEmpty)
        #expect(marked("I0 P4 b1 b2 P5", unread: [3], survey: [0, 2, 1, 4], firstRepeat: 2) == [1, 4])
    }
}
