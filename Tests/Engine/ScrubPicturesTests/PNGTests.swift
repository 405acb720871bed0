internal import ScrubLibAV
internal import ScrubBase
internal import ScrubPictures
internal import Testing

/// The contents of written files, read back with libav's own PNG decoder.
@Suite struct PNGTests {
    /// The types and bodies of a PNG's chunks.
    private func chunks(_ png: [UInt8]) throws -> [(type: String, body: ArraySlice<UInt8>)] {
        #expect(png.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))
        var chunks: [(String, ArraySlice<UInt8>)] = []
        var at = 8
        while at + 12 <= png.count {
            let count = png[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
            try #require(at + 12 + count <= png.count)
            chunks.append((String(decoding: png[at + 4..<at + 8], as: UTF8.self), png[at + 8..<at + 8 + count]))
            at += 12 + count
        }
        #expect(at == png.count)
        return chunks
    }

    static func decoded(_ png: [UInt8]) throws -> RasterImage {
        var codec = CodecDescription()
        codec.codecID = 61  // AV_CODEC_ID_PNG
        var decoder = try Decoder(codec)
        var packet = try Packet()
        try packet.fill(count: png.count) { $0.copyBytes(from: png) }
        packet.identify(as: 0, isKey: true)
        #expect(try decoder.send(packet) == .done)
        var frame = try Frame()
        #expect(try decoder.receive(into: &frame) == .done)
        return try PictureRenderer.render(
            SharedFrame(try frame.take()), codec: codec, containerAspect: nil, displayMatrix: nil, rawGeometry: true
        ).image
    }

    @Test(arguments: [8, 16], [1, 2, 3, 4]) func pixelsComeBack(bitDepth: Int, channels: Int) throws {
        let image = OrientationTests.noise(width: 37, height: 21, channels: channels, bitDepth: bitDepth)
        let back = try Self.decoded(PNG.encode(image))
        #expect(back.channels == channels && back.bitDepth == bitDepth)
        #expect(back.bytes == image.bytes)
    }

    @Test(
        arguments: [
            (ColorSpec(matrix: 0, isFullRange: true), nil),
            (ColorSpec(matrix: 0, isFullRange: true, primaries: 1, transfer: 1), [1, 1, 0, 1]),
            (ColorSpec(matrix: 0, isFullRange: true, primaries: 9, transfer: 16), [9, 16, 0, 1]),
            (ColorSpec(matrix: 0, isFullRange: true, primaries: 9, transfer: 18), [9, 18, 0, 1]),
            (ColorSpec(matrix: 0, isFullRange: true, primaries: 2, transfer: 16), [9, 16, 0, 1]),
            (ColorSpec(matrix: 0, isFullRange: true, primaries: 1, transfer: 2), nil),
        ] as [(ColorSpec, [UInt8]?)]) func colorChunk(color: ColorSpec, wanted: [UInt8]?) throws
    {
        let image = RasterImage(
            width: 2, height: 1, channels: 3, bitDepth: 8, bytes: [1, 2, 3, 4, 5, 6], color: color)
        let chunks = try chunks(PNG.encode(image))
        #expect(chunks.first { $0.type == "cICP" }.map { Array($0.body) } == wanted)
        #expect(chunks.first?.type == "IHDR" && chunks.last?.type == "IEND")
        // 5.6: before the pixels.
        if wanted != nil { #expect(chunks[1].type == "cICP") }
    }

    @Test func texts() throws {
        let image = OrientationTests.noise(width: 128, height: 72, channels: 3, bitDepth: 8).withChannels(4)
        let texts = [
            ("Thumb::URI", "file:///home/jens/photos/me.png"), ("Thumb::MTime", "1700000000"), ("Empty", ""),
            ("Größe", "naïve\nlines"),
        ]
        let png = try PNG.encode(image, texts: texts)
        let chunks = try chunks(png)
        let found = chunks.filter { $0.type == "tEXt" }.map { Array($0.body) }
        let wanted = texts.map { pair in
            (pair.0 + "\0" + pair.1).unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        }
        #expect(found == wanted)
        // 8 bits, RGBA, not interlaced, as freedesktop's thumbnails are.
        #expect(Array(chunks[0].body.suffix(5)) == [8, 6, 0, 0, 0])
        #expect(try Self.decoded(png).bytes == image.bytes)
    }

    @Test(
        arguments: [
            ("", "x"), (" a", "x"), ("a ", "x"), ("a  b", "x"), ("a\nb", "x"), (String(repeating: "k", count: 80), "x"),
            ("日", "x"), ("key", "日"), ("key", "a\0b"),
        ]) func refusedTexts(keyword: String, text: String)
    {
        let image = OrientationTests.noise(width: 2, height: 2, channels: 1, bitDepth: 8)
        #expect(throws: ScrubError.self) { try PNG.encode(image, texts: [(keyword, text)]) }
    }
}
