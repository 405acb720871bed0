import Testing

@testable import ScrubBitstream

/// The cuts of H.264 packets for a decoder that is asked only for numbers.
@Suite struct SliceHeadsTests {
    private static let long = [UInt8](repeating: 0x55, count: 700)
    private static let end = 4 + SliceHeads.byteCount

    @Test func slicesBehindStartCodesAreCutAndNothingElse() {
        let codes: [UInt8] = [0, 0, 0, 1, 0x67] + Self.long + [0, 0, 1, 0x65] + Self.long + [0, 0, 1, 0x41, 1, 2]
        let cut = SliceHeads(extradata: []).cut(codes.span)
        #expect(cut == SliceHeads.Cut(omitted: [704 + Self.end..<1409]))
    }

    @Test func aLengthSaysWhatIsLeft() {
        let heads = SliceHeads(extradata: [1, 77, 0, 30, 0xff, 0xe0, 0])
        let lengths: [UInt8] = [0, 0, 2, 0xbd, 0x61] + Self.long + [0, 0, 0, 2, 0x41, 1]
        let length = SliceHeads.Cut.Length(place: 0, bytes: [0, 0, 2, 0])
        #expect(heads.cut(lengths.span) == SliceHeads.Cut(omitted: [Self.end..<705], lengths: [length]))
    }

    @Test func lengthsThatLeadBeyondTheEndStay() {
        let heads = SliceHeads(extradata: [1, 77, 0, 30, 0xff, 0xe0, 0])
        #expect(heads.cut(([0, 0, 4, 0xbd, 0x61] + Self.long).span) == SliceHeads.Cut())
    }
}
