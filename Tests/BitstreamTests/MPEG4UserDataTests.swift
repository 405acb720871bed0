import Testing

@testable import Bitstream

/// Whose faults libavcodec imitates in MPEG-4 part 2, by what the stream and the container say of its encoder.
@Suite struct MPEG4UserDataTests {
    private func header(_ texts: [String]) -> [UInt8] {
        [0, 0, 1, 0x20, 8] + texts.flatMap { [0, 0, 1, 0xb2] + Array($0.utf8) } + [0, 0, 1, 0xb6, 0x50]
    }

    private func encoder(_ texts: [String], tag: String = "mp4v") -> MPEG4UserData.Encoder {
        var data = MPEG4UserData()
        data.take(header(texts).span)
        return data.encoder(tag: tag.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) })
    }

    @Test func encodersAreKnownByTheirNames() {
        #expect(encoder(["Lavc59.37.100"]) == .sound)
        #expect(encoder(["Lavc59.37.100"], tag: "XVID") == .sound)
        #expect(encoder(["XviD0050"], tag: "xvid") == .sound)
        #expect(encoder(["Lavc"]) == .unknown)
        #expect(encoder(["a camera"]) == .unknown)
        #expect(encoder([]) == .unknown)
    }

    @Test func faultyOnesAreLeftToLibavcodec() {
        #expect(encoder(["Lavc51.40.4"]) == .faulty)
        // Builds that leave the edges of intra pictures out.
        #expect(encoder(["Lavc56.1.100"]) == .faulty)
        #expect(encoder(["Lavc59.x"]) == .faulty)
        #expect(encoder(["XviD0003"]) == .faulty)
        #expect(encoder(["XviD"]) == .faulty)
        #expect(encoder(["DivX503b1393p"]) == .faulty)
        #expect(encoder(["XviD0050", "DivX503b1393p"]) == .faulty)
        #expect(encoder(["ffmpeg"]) == .faulty)
        for tag in ["XVID", "xvid", "DIVX", "RMP4"] { #expect(encoder([], tag: tag) == .faulty) }
        for tag in ["XVIX", "UMP4"] { #expect(encoder(["Lavc59.37.100"], tag: tag) == .faulty) }
    }

    @Test func whatStandsBehindThePlaneIsNone() {
        var data = MPEG4UserData()
        let packets: [[UInt8]] = [
            header(["Lavc59.37.100"]), header(["Lavc59.37.100"]), header([]) + [0, 0, 1, 0xb2, 0x44], [0, 0, 1], [],
            header(["Lavc59.37.101"]), [0, 0, 1, 0xb2],
        ]
        var areNew: [Bool] = []
        for packet in packets { areNew.append(data.take(packet.span)) }
        #expect(areNew == [true, false, false, false, false, true, true])
        #expect(data.units == [Array("Lavc59.37.100".utf8), Array("Lavc59.37.101".utf8), []])
    }
}
