import Testing

@testable import ScrubBitstream

/// The formats where only spare pictures are told apart.
struct OtherDependencyTests {
    private let builder = H264Builder()

    private func parser() -> DependencyParser {
        DependencyParser(codec: .h264, extradata: builder.sequenceSet + builder.pictureSet)
    }

    @Test func spareFramesOfH264() {
        var parser = parser()
        let first = parser.whole(builder.slice(.init(isIDR: true)))
        #expect(first.isProven && first.units.count == 1 && first.units[0].needsAllReferences)
        #expect(first.units[0].isReference && !first.units[0].isSticky && first.units[0].orderBits == 0)
        let spare = builder.slice(.init(kind: 1, isReference: false, frameNumber: 1, order: 2))
        #expect(!parser.whole(spare).units[0].isReference)
        // Parameter sets, known ones or new ones, must not get lost.
        let known = parser.whole(builder.pictureSet + spare)
        #expect(known.units[0].isReference && !known.units[0].isSticky)
        let changed = H264Builder(frameNumberBits: 5)
        let new = parser.whole(
            changed.sequenceSet + changed.slice(.init(kind: 1, isReference: false, frameNumber: 1, order: 4)))
        #expect(new.units[0].isReference && new.units[0].isSticky)
    }

    @Test func fieldsAreNeverSpare() {
        var parser = parser()
        _ = parser.whole(builder.slice(.init(isIDR: true)))
        let fields = [false, true].map {
            builder.slice(.init(kind: 1, isReference: false, frameNumber: 1, order: 2, isBottom: $0))
        }
        #expect(parser.whole(fields[0]).units[0].isReference)
        #expect(parser.whole(fields[1]).units[0].isReference)
        #expect(parser.whole(fields[0] + fields[1]).units[0].isReference)
    }

    @Test func missingFramesOfH264MakeAllCount() {
        var builder = builder
        builder.allowsGaps = true
        var parser = DependencyParser(codec: .h264, extradata: builder.sequenceSet + builder.pictureSet)
        _ = parser.whole(builder.slice(.init(isIDR: true)))
        let spare = builder.slice(.init(kind: 1, isReference: false, frameNumber: 3, order: 2))
        #expect(parser.whole(spare).units[0].isReference)
    }

    /// libavcodec counts on from the last picture that it was given. Without a spare one that comes before a gap, or
    /// makes one, it fills the gap with another picture.
    @Test func gapsInFrameNumbersEndWhatIsProven() {
        let p = { (number: Int) in builder.slice(.init(kind: 0, frameNumber: number, order: 2 * number)) }
        let spare = { (number: Int) in
            builder.slice(.init(kind: 1, isReference: false, frameNumber: number, order: 2 * number))
        }
        func proven(_ packets: [[UInt8]]) -> [Bool] {
            var parser = parser()
            return packets.map { parser.whole($0).isProven }
        }
        let key = builder.slice(.init(isIDR: true))
        #expect(
            proven([key, p(1), spare(2), spare(2), p(2), p(3), key]) == [true, true, true, true, true, true, true])
        #expect(proven((0..<20).map { $0 == 0 ? key : p($0 % 16) }).allSatisfy { $0 })
        #expect(proven([key, p(1), spare(6), p(2)]) == [true, true, false, true])
        #expect(proven([key, p(1), spare(2), p(3)]) == [true, true, true, false])
        #expect(proven([key, spare(1), spare(2)]) == [true, true, false])
        #expect(proven([key, p(1), p(1)]) == [true, true, false])
        // Operation 5 counts as frame_num 0 for the next pictures; a stream that begins in the middle has any number.
        let reset = builder.slice(.init(kind: 0, frameNumber: 1, order: 2, hasReset: true))
        #expect(proven([key, reset, p(1)]) == [true, true, true])
        #expect(proven([p(7), p(8)]) == [true, true])
        // The two fields of a frame have one number.
        let fields = [false, true].map { builder.slice(.init(kind: 0, frameNumber: 1, order: 2, isBottom: $0)) }
        #expect(proven([key] + fields + [p(2)]) == [true, true, true, true])
    }

    @Test func headsOfH264() {
        var parser = parser()
        let packet =
            H264Builder.x264Message("x264 - core 164") + builder.slice(.init(isIDR: true))
            + builder.slice(.init(isIDR: true, firstMacroblock: 5))
        for count in [0, 3, 20, 38] {
            #expect(parser.parse(Array(packet[..<count]).span, isWhole: false) == .needsMoreBytes)
        }
        guard case .dependencies(let head) = parser.parse(Array(packet.dropLast(6)).span, isWhole: false) else {
            Issue.record("the head holds the first slice")
            return
        }
        #expect(head.isProven && head.units[0].isReference)
    }

    /// A length of 256 to 511 looks like a start code when the rest of the packet is not there.
    @Test func headsThatLookLikeStartCodes() {
        let sets = [builder.sequenceSet, builder.pictureSet].map { Array($0.dropFirst(4)) }
        var record: [UInt8] = [1, 77, 0, 31, 0xFF, 0xE1, 0, UInt8(sets[0].count)] + sets[0]
        record += [1, 0, UInt8(sets[1].count)] + sets[1]
        var parser = DependencyParser(codec: .h264, extradata: record)
        let slice = Array(builder.slice(.init(isIDR: true)).dropFirst(3)) + [UInt8](repeating: 9, count: 300)
        let packet = [0, 0, 1, UInt8(slice.count & 255)] + slice
        #expect(parser.parse(Array(packet[..<128]).span, isWhole: false) == .needsMoreBytes)
        #expect(parser.whole(packet).isProven)
    }

    @Test func mpeg2AndUnknownFormats() {
        let picture: (Int) -> [UInt8] = { [0, 0, 1, 0, 0, UInt8($0 << 3), 0, 0, 0, 0, 1, 1, 0x20] }
        var parser = DependencyParser(codec: .mpeg1, extradata: [])
        #expect(parser.parse(picture(1).span, isWhole: false) == .needsMoreBytes)
        #expect(parser.usualHeadBytes == Int.max)
        #expect([1, 2, 3].map { parser.whole(picture($0)).units[0].isReference } == [true, true, false])
        #expect(parser.whole([0, 0, 1, 0xB3, 9, 9, 9, 9] + picture(3)).units[0].isReference)
        var other = DependencyParser(codec: .other, extradata: [1, 2])
        let unknown = other.whole([1, 2, 3])
        #expect(!unknown.isProven && unknown.units.map(\.bytes) == [0..<3] && unknown.units[0].isReference)
    }

    @Test func vp9IsNeverSpare() {
        // Profile 0 frames: a key frame, then inter frames that refresh nothing.
        var parser = DependencyParser(codec: .vp9, extradata: [])
        #expect(parser.whole([0x82, 0x49, 0x83, 0x42, 0, 0, 0, 0, 0]).units[0].isReference)
        #expect(parser.whole([0x86, 0, 0, 0, 0, 0, 0, 0]).units[0].isReference)
    }
}
