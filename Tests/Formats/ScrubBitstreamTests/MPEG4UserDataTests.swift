import Testing

@testable import ScrubBitstream

/// The encoder whose faults libavcodec imitates in MPEG-4 part 2, by the facts of the stream and the container.
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

    @Test func userDataBehindThePlaneIsIgnored() {
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

    /// A decoder that begins behind a name which came on the way, or came once, does not know of it.
    @Test(
        arguments: [
            (["Lavc59.37.100"], ["Lavc60.1.100"], ["Lavc59.37.100"], false),
            (["XviD0064"], ["XviD0050"], ["XviD0064"], false),
            ([], ["a camera"], [], false), (["XviD0064"], [], [], true), ([], ["XviD0064"], ["XviD0064"], true),
            (["Lavc59.37.100"], ["XviD0001"], ["Lavc59.37.100"], true),
            (["XviD0001"], ["XviD0001"], ["XviD0002"], true),
        ] as [([String], [String], [String], Bool)])
    func namesThatCarryOn(first: [String], second: [String], third: [String], inherits: Bool) {
        var parser = MPEG4PictureParser(extradata: layer.span)
        let pictures = [first, second, third].map { parser.parse(plane($0).span) }
        #expect(!pictures[0].inheritsState && pictures[2].inheritsState == inherits)
        #expect(pictures[2].randomAccess == .open)
    }

    @Test func namesOfTheConfigurationAreKnownToAll() {
        let names = [0, 0, 1, 0xb2] + Array("XviD0064".utf8)
        var parser = MPEG4PictureParser(extradata: (layer + names).span)
        for texts in [["XviD0064"], [], ["XviD0064"], []] {
            let picture = parser.parse(plane(texts).span)
            #expect(!picture.inheritsState && picture.parameterSetGeneration == 0)
        }
    }

    /// A layer with a resolution of 25 (ISO/IEC 14496-2 6.2.3).
    private var layer: [UInt8] {
        var w = BitWriter()
        w.bits(0, 9)
        w.flag(false)
        w.bits(1, 4)
        w.flag(false)
        w.bits(0, 2)
        w.flag(true)
        w.bits(25, 16)
        w.bits(0, 16)
        return [0, 0, 1, 0x20] + w.bytes
    }

    /// An I plane behind user data.
    private func plane(_ texts: [String]) -> [UInt8] {
        texts.flatMap { [0, 0, 1, 0xb2] + Array($0.utf8) } + [0, 0, 1, 0xb6, 0b0001_0000, 0b0110_0000, 0x55, 0x55]
    }
}
