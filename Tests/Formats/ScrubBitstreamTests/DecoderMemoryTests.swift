import Testing

@testable import ScrubBitstream

/// What a decoder keeps beyond its pictures, of codecs whose key pictures are believed.
@Suite struct DecoderMemoryTests {
    private func begin(
        _ codec: String, tag: UInt32 = 1, extradata: [UInt8] = [], height: Int = 0
    ) throws -> DecoderMemory {
        try #require(DecoderMemory(codecName: codec, codecTag: tag, extradata: extradata, height: height))
    }

    /// Gives packets to a codec's memory.
    ///
    /// - Returns: whether decoders that begin with each know all.
    private func take(_ memory: inout DecoderMemory, _ packets: [[UInt8]]) -> [Bool] {
        packets.map { memory.take($0.span).beginsAlike }
    }

    @Test func onlySomeCodecsAreLookedAt() {
        for codec in ["prores", "huffyuv", "h264", "mpeg2video", "rawvideo"] {
            #expect(DecoderMemory(codecName: codec, codecTag: 0, extradata: [], height: 0) == nil)
        }
    }

    private func segment(_ marker: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        [0xFF, marker, 0, UInt8(bytes.count + 2)] + bytes
    }

    private func jpeg(_ extra: [UInt8] = [], lines: UInt8 = 64, ends: Int = 1) -> [UInt8] {
        let frame = segment(0xC0, [8, 0, lines, 0, 64, 1, 1, 0x22, 0])
        let one = [0xFF, 0xD8] + extra + frame + segment(0xDA, [1, 1, 0, 0, 63, 0]) + [1, 2, 3, 0xFF, 0xD9]
        return (0..<ends).flatMap { _ in one }
    }

    @Test(arguments: [
        "Intel(R) JPEG Library, version 1.5", "Metasoft MJPEG Codec", "CS=ITU601", "MULTISCOPE II", "AVID x",
    ])
    func commentsOfJPEG(_ text: String) throws {
        let comment = segment(0xFE, Array(text.utf8))
        var memory = try begin("mjpeg")
        #expect(take(&memory, [jpeg(), jpeg(comment), jpeg(), jpeg(comment)]) == [true, true, false, true])
        #expect(memory.varies)
        // All alike, as one encoder writes them.
        memory = try begin("mjpeg")
        #expect(take(&memory, [jpeg(comment), jpeg(comment)]) == [true, true] && !memory.varies)
        // Without a container's tag libavcodec does not believe Intel's.
        memory = try begin("mjpeg", tag: 0)
        #expect(take(&memory, [jpeg(comment), jpeg()]) == [true, text.hasPrefix("Intel")])
        memory = try begin("mjpeg")
        #expect(take(&memory, [jpeg(segment(0xFE, Array("Lavc60.3".utf8))), jpeg()]) == [true, true])
    }

    @Test func fieldsOfJPEG() throws {
        // The first picture decides, and another size ends it.
        var memory = try begin("mjpeg", height: 64)
        #expect(take(&memory, [jpeg(), jpeg(lines: 32), jpeg()]) == [true, false, true])
        memory = try begin("mjpeg", height: 64)
        let pair = jpeg(lines: 32, ends: 2)
        #expect(take(&memory, [pair, pair, jpeg(lines: 32), pair, pair]) == [true, true, true, false, true])
        #expect(memory.varies)
    }

    private func png(indexed: Bool, palette: [UInt8]?) -> [UInt8] {
        func chunk(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
            [0, 0, 0, UInt8(bytes.count)] + Array(name.utf8) + bytes + [0, 0, 0, 0]
        }
        let header = chunk("IHDR", [0, 0, 0, 8, 0, 0, 0, 8, 8, indexed ? 3 : 2, 0, 0, 0])
        return [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10] + header + (palette.map { chunk("PLTE", $0) } ?? [])
            + chunk("IDAT", [1, 2, 3])
    }

    @Test func palettesOfPNG() throws {
        var memory = try begin("png")
        let packets = [png(indexed: true, palette: nil), png(indexed: true, palette: [1, 2, 3])]
        #expect(take(&memory, packets + [png(indexed: true, palette: nil)]) == [true, true, false] && memory.varies)
        memory = try begin("png")
        let own = png(indexed: true, palette: [1, 2, 3])
        #expect(take(&memory, [own, own, png(indexed: false, palette: nil)]) == [true, true, true] && !memory.varies)
    }

    private func tiff(_ tags: [(UInt8, UInt8)]) -> [UInt8] {
        [0x49, 0x49, 42, 0, 8, 0, 0, 0, UInt8(tags.count), 0]
            + tags.flatMap { [$0.0, 1, 3, 0, 1, 0, 0, 0, $0.1, 0, 0, 0] }
    }

    @Test func tagsOfTIFF() throws {
        // 320 is a palette, 284 the planes' order: low bytes behind 256.
        var memory = try begin("tiff")
        #expect(take(&memory, [tiff([(64, 8)]), tiff([]), tiff([(64, 8)])]) == [true, false, true])
        memory = try begin("tiff")
        #expect(take(&memory, [tiff([(28, 2)]), tiff([(28, 1)]), tiff([])]) == [true, true, false])
    }

    @Test func entryPointsOfVC1() throws {
        let (entry, other): ([UInt8], [UInt8]) = ([0, 0, 1, 0x0E, 0x48], [0, 0, 1, 0x0E, 0x50])
        let frame: [UInt8] = [0, 0, 1, 0x0D, 0xC0]
        var memory = try begin("vc1", extradata: entry)
        #expect(take(&memory, [frame, other + frame, frame, entry + frame, frame]) == [true, true, false, true, true])
    }

    private func dirac(_ code: UInt8, _ bytes: [UInt8] = []) -> [UInt8] {
        Array("BBCD".utf8) + [code, 0, 0, 0, UInt8(13 + bytes.count), 0, 0, 0, 0] + bytes
    }

    @Test func unitsOfDirac() throws {
        let (first, other, picture) = (dirac(0, [1]), dirac(0, [2]), dirac(0x0C, [0, 0, 0, 0]))
        var memory = try begin("dirac")
        let packets = [first + picture, other + picture, first + picture, dirac(0x10) + other + picture]
        #expect(take(&memory, packets) == [true, false, true, true])
        memory = try begin("dirac")
        let old = dirac(0x20, [1] + Array("Schroedinger 1.0.7".utf8))
        #expect(take(&memory, [first + picture, old + first + picture, first + picture]) == [true, true, false])
    }

    @Test func keysOfOtherCodecs() throws {
        // VP6: a key picture with a filter header, one without, one that is not a key.
        var memory = try begin("vp6f")
        #expect(take(&memory, [[0, 0x46], [0, 0x40], [0x80, 0]]) == [true, false, true])
        memory = try begin("vp6a")
        #expect(take(&memory, [[0, 0, 9, 0, 0x46], [0, 0, 9, 0, 0x40]]) == [true, false])
        // Theora: headers on the way.
        memory = try begin("theora", extradata: [0, 2, 0x80, 7, 0, 2, 0x82, 8])
        #expect(take(&memory, [[0], [0x80, 7], [0], [0x82, 9], [0]]) == [true, true, true, true, false])
        // H.263+: the modes are in the header (UFEP 1), or those of an earlier one.
        memory = try begin("h263p")
        #expect(take(&memory, [[0, 0, 0x80, 0x02, 0x1C, 0x80], [0, 0, 0x80, 0x02, 0x1C, 0]]) == [true, false])
        // CineForm: groups of two.
        memory = try begin("cfhd")
        #expect(take(&memory, [[0, 1, 0, 0, 0, 10, 0, 0]]) == [true] && !memory.varies)
        #expect(take(&memory, [[0, 1, 0, 0, 0, 10, 0, 2]]) == [true] && memory.varies)
    }
}
