import Testing

@testable import ScrubBitstream

struct BitReaderTests {
    @Test(arguments: [0, 1, 2, 7, 254, 65535, 0xFFFF_FFFE])
    func unsignedNumbers(value: Int) throws {
        var writer = BitWriter()
        writer.flag(true)
        writer.unsigned(value)
        writer.signed(-value / 2)
        writer.signed(value / 2)
        writer.trailing()
        var reader = BitReader(writer.bytes.span)
        _ = try reader.flag()
        let values = [try reader.unsigned(), try reader.signed(), try reader.signed()]
        #expect(values == [value, -(value / 2), value / 2])
    }

    @Test func leavesOutEmulationPrevention() throws {
        var writer = BitWriter()
        for value in [0, 0, 1, 0, 0, 0, 0, 3, 7] { writer.bits(value, 8) }
        let bytes = writer.unit(header: [])
        #expect(bytes == [0, 0, 3, 1, 0, 0, 3, 0, 0, 3, 3, 7])
        var reader = BitReader(bytes.span, isEscaped: true)
        var values: [Int] = []
        for _ in 0..<9 { values.append(try reader.bits(8)) }
        #expect(values == [0, 0, 1, 0, 0, 0, 0, 3, 7])
    }

    @Test func endsWithAnError() {
        #expect(throws: HeaderError.invalid) { try readUnsigned([0, 0, 0, 0, 0, 0]) }
        #expect(throws: HeaderError.truncated) { try readUnsigned([0, 0]) }
    }

    private func readUnsigned(_ bytes: [UInt8]) throws -> Int {
        var reader = BitReader(bytes.span)
        return try reader.unsigned()
    }
}

struct FramingTests {
    private func units(_ bytes: [UInt8], _ framing: NALFraming) -> (units: [[UInt8]], isOverrun: Bool) {
        var walk = NALUnits(bytes.span, framing: framing)
        var units: [[UInt8]] = []
        while let range = walk.next() { units.append(Array(bytes[range])) }
        return (units, walk.isOverrun)
    }

    @Test func annexB() {
        let bytes: [UInt8] = [0, 0, 0, 1, 9, 16, 0, 0, 1, 0, 0, 1, 7, 5, 0, 0, 0, 0, 1, 8, 0, 0]
        #expect(units(bytes, .annexB).units == [[9, 16], [7, 5], [8]])
    }

    @Test(arguments: [1, 2, 3, 4])
    func lengths(size: Int) {
        let zeros = [UInt8](repeating: 0, count: size - 1)
        let bytes = zeros + [2, 9, 16] + zeros + [0] + zeros + [1, 7]
        #expect(units(bytes, .lengthPrefixed(size)).units == [[9, 16], [7]])
        let cut = units(Array(bytes.dropLast()) + [], .lengthPrefixed(size))
        #expect(cut.units == [[9, 16]] && cut.isOverrun)
    }

    @Test func startCodesInALengthPrefixedStream() {
        #expect(units([0, 0, 0, 1, 0x65, 0x88, 0x84], .lengthPrefixed(4)).units == [[0x65, 0x88, 0x84]])
        // A unit of one byte looks like a start code, but its lengths add up.
        #expect(
            units([0, 0, 0, 1, 9, 0, 0, 0, 2, 0x65, 0x88], .lengthPrefixed(4)).units == [[9], [0x65, 0x88]])
    }

    @Test func framingOfConfigurations() {
        let avc: [UInt8] = [1, 100, 0, 31, 0xFD, 0xE0, 0]
        #expect(NALFraming(codec: .h264, extradata: avc.span) == .lengthPrefixed(2))
        let sets: [UInt8] = [0, 0, 0, 1, 0x67, 100, 0, 31]
        #expect(NALFraming(codec: .h264, extradata: sets.span) == .annexB)
        var hevc = [UInt8](repeating: 0, count: 23)
        hevc[0] = 1
        hevc[21] = 0xFF
        #expect(NALFraming(codec: .hevc, extradata: hevc.span) == .lengthPrefixed(4))
        let none: [UInt8] = []
        #expect(NALFraming(codec: .hevc, extradata: none.span) == .annexB)
    }
}
