import ScrubFileIO
import ScrubBitstream
@testable import ScrubIndex
import Testing

@Suite struct StreamStartTests {
    /// Returns the pictures that are marked, if `claims` tells the kind of an unverified picture and `decodable` are
    /// RADL.
    private func marked(
        _ text: String, recovery: [UInt32: UInt32] = [:], codec: VideoCodec = .h264, claim: RandomAccess = .none,
        claims: [Int: RandomAccess] = [:], decodable: Set<Int> = [], disposable: Set<Int> = []
    ) -> [Int] {
        let synthetic = SyntheticIndex(text, recovery: recovery)
        var pictures = synthetic.pictures
        StreamStart.markUndecodable(&pictures, displayOrder: synthetic.displayOrder, codec: codec) {
            pictures, picture in
            let flags = pictures.flags[picture]
            let access = flags.contains(.verified) ? flags.randomAccess : claims[picture] ?? claim
            let count = Int(pictures.recoveryCounts[UInt32(picture)] ?? 0)
            return (access, decodable.contains(picture), count, !disposable.contains(picture))
        }
        // Nothing else may change.
        for picture in 0..<pictures.count {
            #expect(pictures.flags[picture].subtracting(.undecodable) == synthetic.pictures.flags[picture])
        }
        return (0..<pictures.count).filter { pictures.flags[$0].contains(.undecodable) }
    }

    @Test(
        arguments: [
            ("I0 P1 P2", []), ("P0 P1 P2", []), ("P0 b1 I2 P3 I4", [0, 1]), ("X0 P1 I2", [0, 1]),
            // An open start: its leading pictures show before it and need what is not there.
            ("O2 b0 b1 P5 b3 b4", [1, 2]), ("P0 O3 b1 b2 P4", [0, 2, 3]), ("O0 P1", []),
            // A closed start may have leading pictures: they use the restart alone.
            ("I2 b0 b1 P3", []),
            // Later open restarts have their group before.
            ("I0 P1 O4 b2 b3", []),
        ] as [(String, [Int])])
    func marksWhatMissesItsReferences(text: String, expected: [Int]) { #expect(marked(text) == expected) }

    @Test func decodableLeadingPicturesStay() {
        #expect(marked("O3 b0 b1 b2 P4", decodable: [2]) == [1, 3])
        #expect(marked("O3 b0 b1 b2 P4", decodable: [1, 2, 3]) == [])
    }

    @Test func otherCodecsAreLeftToTheirDecoders() { #expect(marked("P0 P1 O4 b2 b3", codec: .other) == []) }

    @Test(
        arguments: [
            (RandomAccess.open, [0, 2, 3]), (.instantaneous, [0]), (.none, [0]), (.inexact, [0]),
        ] as [(RandomAccess, [Int])])
    func anUnverifiedStartIsLookedAt(claim: RandomAccess, expected: [Int]) {
        #expect(marked("P0 K3 b1 b2 P4", claim: claim) == expected)
    }

    /// A movie file's sync samples are unverified, and a recovery point among them may be the first picture.
    @Test func anUnverifiedGradualStartIsLookedAtToo() {
        #expect(marked("K0 P1 P2 P3", recovery: [0: 2], claim: .gradual) == [0, 1])
        #expect(marked("K0 P1 P2 P3", claim: .open) == [])
        #expect(marked("K0 P1 P2 P3", claim: .instantaneous) == [])
        #expect(marked("P0 K1 P2 P3", recovery: [1: 1], claim: .gradual) == [0, 1])
    }

    /// Only H.264 has gradual restarts, and a verified one needs no second look.
    @Test(
        arguments: [
            ("P0 K1 P2 P3", .hevc, 0), ("P0 K1 P2 P3", .av1, 0), ("P0 I1 P2 P3", .h264, 0), ("O0 P1", .h264, 0),
            ("P0 K1 P2 K3", .h264, 1), ("K0 P1", .h264, 1),
        ] as [(String, VideoCodec, Int)])
    func theLookIsSavedWhereItDoesNotMatter(text: String, codec: VideoCodec, expected: Int) {
        let synthetic = SyntheticIndex(text)
        var pictures = synthetic.pictures
        var looks = 0
        StreamStart.markUndecodable(&pictures, displayOrder: synthetic.displayOrder, codec: codec) { _, _ in
            looks += 1
            return (.open, false, 0, true)
        }
        #expect(looks == expected)
        #expect(pictures.flags[0].contains(.undecodable) == text.hasPrefix("P"))
    }

    /// A stream that ends before its refresh does never shows a whole picture.
    @Test(
        arguments: [
            ("G0 P1 P2", 3, [0, 1, 2]), ("G0 P1 P2", 2, [0, 1]), ("G0 b1 b2", 1, [0, 1, 2]), ("G0", 1, [0]),
            ("G0 P3 b1 b2", 9, [0, 1, 2, 3]),
            // A clean restart on the way ends the wait; its own leading pictures lean on pictures that are not whole.
            ("G0 P1 I2 P3", 9, [0, 1]), ("G0 P1 O4 b2 b3 P5", 9, [0, 1, 3, 4]), ("G0 P1 G2 P3 P4", 9, [0, 1, 2, 3, 4]),
        ] as [(String, UInt32, [Int])])
    func aStreamMayEndBeforeItIsWhole(text: String, count: UInt32, expected: [Int]) {
        #expect(marked(text, recovery: [0: count]) == expected)
    }

    @Test func aKeyframeOnTheWayIsLookedAt() {
        let text = "G0 P1 K2 P3 P4"
        #expect(marked(text, recovery: [0: 3], claims: [2: .instantaneous]) == [0, 1])
        #expect(marked(text, recovery: [0: 3], claims: [2: .inexact]) == [0, 1, 2])
    }

    /// The tables of a movie file don't tell which pictures are for reference; only those count.
    @Test func picturesOfUnknownUseAreLookedAt() {
        let claims: [Int: RandomAccess] = [0: .gradual]
        let text = "K0 N2 N1 N4 N3 N5"
        #expect(marked(text, recovery: [0: 2], claims: claims) == [0])
        #expect(marked(text, recovery: [0: 2], claims: claims, disposable: [2, 4]) == [0, 1, 2, 4])
        #expect(marked(text, recovery: [0: 9], claims: [0: .gradual, 3: .instantaneous]) == [0, 1, 2, 4])
    }

    /// The picture that completes the refresh may be hidden: the next shown one is the first whole one.
    @Test func aHiddenCompletionIsPassedOn() {
        #expect(marked("G0 P1 H P2 P3", recovery: [0: 9]) == [0, 1])
        let synthetic = SyntheticIndex("G0 P1 P P2 P3", recovery: [0: 2])
        var pictures = synthetic.pictures
        pictures.flags[2].insert(.hidden)
        StreamStart.markUndecodable(&pictures, displayOrder: synthetic.displayOrder, codec: .h264) { _, _ in
            (.gradual, false, 2, true)
        }
        #expect((0..<5).filter { pictures.flags[$0].contains(.undecodable) } == [0, 1])
    }

    @Test(
        arguments: [
            ("G0 P1 P2 P3", 0, []), ("G0 P1 P2 P3", 1, [0]), ("G0 P1 P2 P3", 2, [0, 1]),
            // Disposable pictures and second fields don't count.
            ("G0 b1 P2 P3", 1, [0, 1]), ("G0 F P1 F P2 F", 1, [0]),
            // A picture that shows before the completed one counts as not whole, whenever it was decoded.
            ("G0 P3 b1 b2 P4", 1, [0, 2, 3]),
            // Leading pictures of a refresh that is complete at once.
            ("G2 b0 b1 P3", 0, [1, 2]),
        ] as [(String, UInt32, [Int])])
    func aGradualStartIsWholeAfterItsCount(text: String, count: UInt32, expected: [Int]) {
        #expect(marked(text, recovery: count > 0 ? [0: count] : [:]) == expected)
    }
}
