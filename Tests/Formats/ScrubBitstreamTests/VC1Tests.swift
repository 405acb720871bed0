import Testing

@testable import ScrubBitstream

/// Picture types of VC-1 (SMPTE 421M), from headers written bit by bit: no encoder of it is at hand.
@Suite struct VC1Tests {
    /// STRUCT_C (Annex J.1.1).
    private func structC(
        profile: Int = 1, sprites: Int = 0, hasRangeReduction: Bool = false, maximumB: Int = 1,
        hasInterpolation: Bool = false
    ) -> [UInt8] {
        var writer = BitWriter()
        let fields = [
            (profile, 2), (0, 1), (sprites, 1), (2, 3), (5, 5), (1, 1), (0, 1), (0, 1), (1, 1), (1, 1), (0, 1), (1, 2),
            (1, 1), (0, 1), (0, 1), (0, 1), (hasRangeReduction ? 1 : 0, 1), (maximumB, 3), (0, 2),
            (hasInterpolation ? 1 : 0, 1), (1, 1),
        ]
        for (value, count) in fields { writer.bits(value, count) }
        return writer.bytes
    }

    /// A sequence header of the advanced profile (6.1) behind its start code, as containers store it.
    private func sequence(isInterlaced: Bool) -> [UInt8] {
        var writer = BitWriter()
        let fields = [
            (3, 2), (1, 3), (1, 2), (7, 3), (31, 5), (0, 1), (95, 12), (55, 12), (0, 1), (isInterlaced ? 1 : 0, 1),
            (0, 1), (0, 1), (1, 1), (0, 1),
        ]
        for (value, count) in fields { writer.bits(value, count) }
        return [0, 0, 1, 0x0F] + writer.bytes + [0, 0, 1, 0x0E, 0x40]
    }

    private func bits(_ text: String) -> [UInt8] {
        var writer = BitWriter()
        for character in text + "0000000000000000" where character != " " { writer.bits(character == "1" ? 1 : 0, 1) }
        return writer.bytes
    }

    private func isRefused(_ reader: VC1PictureReader?) -> Bool { reader.map { _ in false } ?? true }

    private func types(_ reader: VC1PictureReader?, _ packets: [[UInt8]]) -> [CodedPicture.PictureType?] {
        var reader = reader
        return packets.map { reader?.type(of: $0.span) }
    }

    @Test(arguments: [
        (false, false, "00"), (true, false, "0 00"), (false, true, "00 1"), (true, true, "1 01 0"),
    ])
    func simpleAndMainProfile(hasInterpolation: Bool, hasRangeReduction: Bool, front: String) {
        let extradata = structC(hasRangeReduction: hasRangeReduction, hasInterpolation: hasInterpolation)
        let reader = VC1PictureReader(isAdvanced: false, extradata: extradata)
        // PTYPE: 1 P, 01 I, 00 B.
        #expect(types(reader, ["1", "01", "00"].map { bits(front + $0) }) == [.p, .i, .b])
        let plain = VC1PictureReader(
            isAdvanced: false,
            extradata: structC(
                hasRangeReduction: hasRangeReduction, maximumB: 0, hasInterpolation: hasInterpolation))
        // Without B pictures PTYPE is one bit.
        #expect(types(plain, ["1", "00", "01"].map { bits(front + $0) }) == [.p, .i, .i])
    }

    @Test func advancedProfile() {
        let reader = VC1PictureReader(isAdvanced: true, extradata: [0x21] + sequence(isInterlaced: false))
        let headers = ["0", "10", "110", "1110", "1111"].map { bits($0) }
        #expect(types(reader, headers) == [.p, .b, .i, .b, .p])
        // With start codes and headers in front, as in byte streams.
        let framed = headers.map { sequence(isInterlaced: false) + [0, 0, 1, 0x0D] + $0 }
        #expect(types(reader, framed) == [.p, .b, .i, .b, .p])
    }

    @Test func interlacedPictures() {
        let reader = VC1PictureReader(isAdvanced: true, extradata: sequence(isInterlaced: true))
        let progressive = ["0 0", "0 10", "0 110"].map { bits($0) }
        #expect(types(reader, progressive) == [.p, .b, .i])
        #expect(types(reader, ["10 0", "10 10", "10 110"].map { bits($0) }) == [.p, .b, .i])
        // FPTYPE of two fields (Table 105).
        let pairs = ["000", "001", "010", "011", "100", "101", "110", "111"].map { bits("11 " + $0) }
        #expect(types(reader, pairs) == [.i, .p, .p, .p, .b, .b, .b, .b])
        // A sequence header on the way says that it ends.
        let packet = sequence(isInterlaced: false) + [0, 0, 1, 0x0D] + bits("10")
        #expect(types(reader, [packet]) == [.b])
    }

    @Test func otherStreamsAreRefused() {
        #expect(isRefused(VC1PictureReader(isAdvanced: false, extradata: [])))
        #expect(isRefused(VC1PictureReader(isAdvanced: false, extradata: structC(profile: 3))))
        #expect(isRefused(VC1PictureReader(isAdvanced: false, extradata: structC(sprites: 1))))
        #expect(isRefused(VC1PictureReader(isAdvanced: true, extradata: structC())))
        #expect(isRefused(VC1PictureReader(isAdvanced: true, extradata: [0, 0, 1, 0x0F])))
        let reader = VC1PictureReader(isAdvanced: true, extradata: sequence(isInterlaced: true))
        // Nothing, an end of sequence, a header that is cut.
        #expect(types(reader, [[], [0, 0, 1, 0x0A], [0, 0, 1, 0x0D]]) == [nil, nil, nil])
    }
}
