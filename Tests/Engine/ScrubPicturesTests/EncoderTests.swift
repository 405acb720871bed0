internal import CScrubAVIF
internal import ScrubBase
@testable internal import ScrubPictures
internal import ScrubTestSupport
internal import Testing

/// JPEG, WebP and AVIF files, read back with the system's ffmpeg.
@Suite struct EncoderTests {
    private static let gray: [[UInt8]] = [[10], [90], [170], [250]]
    private static let clear: [[UInt8]] = [
        [200, 60, 40, 255], [30, 160, 70, 128], [50, 70, 190, 200], [9, 9, 9, 255],
    ]

    // MARK: JPEG

    @Test(arguments: [(JPEG.Sampling.half, "yuvj420p"), (.halfAcross, "yuvj422p"), (.full, "yuvj444p")])
    func jpegColors(sampling: JPEG.Sampling, format: String) throws {
        let patches = Patches()
        let file = try JPEG.encode(patches.image(), quality: 90, sampling: sampling)
        #expect(try patches.worst(EncoderReading.pixels(file, "jpg", format: "rgb24")) <= 2)
        let facts = try EncoderReading.facts(file, "jpg")
        #expect(facts["codec_name"] == "mjpeg" && facts["profile"] == "Baseline" && facts["pix_fmt"] == format)
        #expect(facts["width"] == "64" && facts["height"] == "48")
    }

    /// Rows of tiles of a sheet, 180 pixels high. Color of one side of a seam hardly gets to the other when it keeps
    /// its rows.
    @Test func seamsBetweenTiles() throws {
        let (width, tileHeight) = (160, 180)
        let colors: [[UInt8]] = [
            [230, 20, 20], [20, 210, 30], [30, 40, 220], [230, 220, 20], [20, 210, 220], [220, 30, 210],
            [240, 240, 240], [15, 15, 15],
        ]
        // Bars of 20 pixels, others in the lower tile.
        func color(_ x: Int, _ y: Int) -> [UInt8] { colors[y < tileHeight ? x / 20 : (x / 20 * 5 + 3) % 8] }
        var bytes: [UInt8] = []
        for y in 0..<2 * tileHeight { for x in 0..<width { bytes += color(x, y) } }
        let image = RasterImage(
            width: width, height: 2 * tileHeight, channels: 3, bitDepth: 8, bytes: bytes, color: .sRGB)
        func meanDifference(_ sampling: JPEG.Sampling, row: Int) throws -> Double {
            let file = try JPEG.encode(image, quality: 80, sampling: sampling)
            let pixels = try EncoderReading.pixels(file, "jpg", format: "rgb24")
            var sum = 0
            for x in 0..<width {
                for k in 0..<3 { sum += abs(Int(pixels[(row * width + x) * 3 + k]) - Int(color(x, row)[k])) }
            }
            return Double(sum) / Double(3 * width)
        }
        for row in [tileHeight - 1, tileHeight] {
            let inside = try meanDifference(.halfAcross, row: tileHeight / 2)
            let (own, other) = (try meanDifference(.halfAcross, row: row), try meanDifference(.half, row: row))
            // The rest is a block of eight rows that holds luma of both.
            #expect(own <= inside + 5 && own * 2.5 <= other, "\(own), with 4:2:0 \(other)")
        }
    }

    @Test func jpegGray() throws {
        let patches = Patches(colors: Self.gray)
        let file = try JPEG.encode(patches.image(), quality: 90)
        #expect(try patches.worst(EncoderReading.pixels(file, "jpg", format: "gray")) <= 2)
        #expect(try EncoderReading.facts(file, "jpg")["pix_fmt"] == "gray")
    }

    @Test func jpegIsBaseline() throws {
        let file = try JPEG.encode(Patches().image(), quality: 75)
        #expect(file.starts(with: [0xff, 0xd8, 0xff, 0xe0]))
        // The segments before the scan: a marker, then a length that counts itself (T.81 B.1.1.4).
        var markers: [UInt8] = []
        var at = 2
        while at + 4 <= file.count, markers.last != 0xda {
            try #require(file[at] == 0xff)
            markers.append(file[at + 1])
            at += 2 + Int(file[at + 2]) << 8 + Int(file[at + 3])
        }
        let frames = markers.filter { (0xc0...0xcf).contains($0) && ![0xc4, 0xc8, 0xcc].contains($0) }
        #expect(frames == [0xc0])
    }

    @Test func jpegRefusals() throws {
        #expect(
            try Self.code { () throws(ScrubError) in try JPEG.encode(Patches(colors: Self.clear).image(), quality: 90) }
                == .usage)
        #expect(
            try Self.code { () throws(ScrubError) in try JPEG.encode(Patches().image(bitDepth: 16), quality: 90) }
                == .usage)
        #expect(try Self.code { () throws(ScrubError) in try JPEG.encode(Self.line(65501), quality: 90) } == .usage)
        #expect(try !JPEG.encode(Self.line(65500), quality: 90).isEmpty)
    }

    // MARK: WebP

    @Test func webpColors() throws {
        let patches = Patches()
        let file = try WebP.encode(patches.image(), quality: 90)
        #expect(try patches.worst(EncoderReading.pixels(file, "webp", format: "rgb24")) <= 2)
        let facts = try EncoderReading.facts(file, "webp")
        #expect(facts["codec_name"] == "webp" && facts["pix_fmt"] == "yuv420p")
    }

    /// The codes of a flat part are the best ones: no others decode to a nearer color (BT.601, limited and full range).
    @Test(arguments: [false, true]) func flatPartsHaveTheNearestCodes(isFullRange: Bool) {
        var generator = SplitMix(SplitMix.seed())
        let (black, luma, chroma) = isFullRange ? (0.0, 255.0, 255.0) : (16.0, 219.0, 224.0)
        func distance(_ codes: [Int], _ color: [UInt8]) -> Double {
            let y = (Double(codes[0]) - black) / luma * 255
            let (cb, cr) = ((Double(codes[1]) - 128) / chroma * 255, (Double(codes[2]) - 128) / chroma * 255)
            let (red, blue) = (y + 1.402 * cr, y + 1.772 * cb)
            let green = (y - 0.299 * red - 0.114 * blue) / 0.587
            return zip([red, green, blue], color).map { abs($0 - Double($1)) }.max() ?? 0
        }
        for _ in 0..<200 {
            let color = (0..<3).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let image = RasterImage(
                width: 3, height: 3, channels: 3, bitDepth: 8, bytes: (0..<27).map { color[$0 % 3] }, color: .sRGB)
            let planes = SubsampledPlanes(image, isFullRange: isFullRange)
            #expect(Set(planes.luma).count == 1 && Set(planes.blue).count == 1 && Set(planes.red).count == 1)
            #expect(planes.luma.count == 9 && planes.blue.count == 4 && planes.red.count == 4)
            let own = [Int(planes.luma[0]), Int(planes.blue[0]), Int(planes.red[0])]
            let found = distance(own, color)
            #expect(found <= (isFullRange ? 1.1 : 1.3), "\(color) became \(own)")
            for step in 0..<27 {
                let other = [own[0] + step % 3 - 1, own[1] + step / 3 % 3 - 1, own[2] + step / 9 - 1]
                guard other.allSatisfy({ (0...255).contains($0) }) else { continue }
                // Black and white end the range of luma.
                guard Double(other[0]) >= black, Double(other[0]) <= black + luma else { continue }
                #expect(found <= distance(other, color) + 0.001, "\(color): \(other) is nearer than \(own)")
            }
        }
    }

    /// Parts that are not flat are rounded sample by sample, around the mean of four pixels' color; odd sides repeat
    /// the edge.
    @Test func otherPartsAreRounded() {
        let bytes: [UInt8] = [200, 40, 60, 30, 160, 80, 50, 70, 210, 230, 210, 40, 220, 170, 140, 8, 16, 24]
        let image = RasterImage(width: 3, height: 2, channels: 3, bitDepth: 8, bytes: bytes, color: .sRGB)
        let planes = SubsampledPlanes(image, isFullRange: true)
        let brightness = stride(from: 0, to: 18, by: 3).map {
            0.299 * Double(bytes[$0]) + 0.587 * Double(bytes[$0 + 1]) + 0.114 * Double(bytes[$0 + 2])
        }
        for (code, wanted) in zip(planes.luma, brightness) { #expect(abs(Double(code) - wanted) <= 0.51) }
        for (column, pixels) in [[0, 1, 3, 4], [2, 2, 5, 5]].enumerated() {
            let mean = (0..<3).map { k in pixels.map { Double(bytes[$0 * 3 + k]) }.reduce(0, +) / 4 }
            let y = 0.299 * mean[0] + 0.587 * mean[1] + 0.114 * mean[2]
            #expect(abs(Double(planes.blue[column]) - 128 - (mean[2] - y) / 1.772) <= 0.51)
            #expect(abs(Double(planes.red[column]) - 128 - (mean[0] - y) / 1.402) <= 0.51)
        }
    }

    @Test func webpAlpha() throws {
        let patches = Patches(colors: Self.clear)
        let file = try WebP.encode(patches.image(), quality: 90)
        #expect(try patches.worst(EncoderReading.pixels(file, "webp", format: "rgba")) <= 3)
        #expect(try EncoderReading.facts(file, "webp")["pix_fmt"] == "yuva420p")
    }

    @Test func webpGray() throws {
        let patches = Patches(colors: Self.gray.map { [$0[0], $0[0], $0[0]] })
        let file = try WebP.encode(Patches(colors: Self.gray).image(), quality: 90)
        #expect(try patches.worst(EncoderReading.pixels(file, "webp", format: "rgb24")) <= 2)
    }

    @Test(arguments: [3, 4]) func webpLossless(channels: Int) throws {
        let image = OrientationTests.noise(width: 37, height: 21, channels: channels, bitDepth: 8)
        let file = try WebP.encode(image, quality: 50, isLossless: true)
        #expect(try EncoderReading.pixels(file, "webp", format: channels == 3 ? "rgb24" : "rgba") == image.bytes)
    }

    @Test func webpRefusals() throws {
        #expect(
            try Self.code { () throws(ScrubError) in try WebP.encode(Patches().image(bitDepth: 16), quality: 90) }
                == .usage)
        #expect(try Self.code { () throws(ScrubError) in try WebP.encode(Self.line(16384), quality: 90) } == .usage)
        #expect(try !WebP.encode(Self.line(16383), quality: 90).isEmpty)
    }

    @Test func webpAnimation() throws {
        var animation = try WebPAnimation(width: 64, height: 48, quality: 80)
        let turns = [[200, 60, 40], [30, 160, 70], [50, 70, 190]] as [[UInt8]]
        for (i, color) in turns.enumerated() {
            try animation.append(Patches(colors: [color, color, color, color]).image(), milliseconds: 100 * (i + 1))
        }
        let file = try animation.finish()
        #expect(file.starts(with: Array("RIFF".utf8)) && Array(file[8..<12]) == Array("WEBP".utf8))
        // RFC 9649, 2.7: chunks of a name, a length of 32 bits and a body padded to an even length.
        var chunks: [(name: String, body: ArraySlice<UInt8>)] = []
        var at = 12
        while at + 8 <= file.count {
            let count = (0..<4).reduce(0) { $0 | Int(file[at + 4 + $1]) << (8 * $1) }
            try #require(at + 8 + count <= file.count)
            chunks.append((String(decoding: file[at..<at + 4], as: UTF8.self), file[at + 8..<at + 8 + count]))
            at += 8 + count + count & 1
        }
        let frames = chunks.filter { $0.name == "ANMF" }.map { Array($0.body) }
        #expect(frames.map { Int($0[12]) | Int($0[13]) << 8 | Int($0[14]) << 16 } == [100, 200, 300])
        // Four bytes of background, then the loop count: 0 is for ever.
        #expect(chunks.first { $0.name == "ANIM" }.map { Array($0.body.suffix(2)) } == [0, 0])
    }

    @Test func webpAnimationRefusals() throws {
        #expect(
            try Self.code { () throws(ScrubError) in
                try WebPAnimation(width: 64, height: 48, quality: 80).finish()
            } == .usage)
        #expect(
            try Self.code { () throws(ScrubError) in
                var animation = try WebPAnimation(width: 64, height: 50, quality: 80)
                try animation.append(Patches().image(), milliseconds: 40)
                return []
            } == .usage)
        #expect(
            try Self.code { () throws(ScrubError) in
                try WebPAnimation(width: 16384, height: 2, quality: 80).finish()
            } == .usage)
    }

    // MARK: AVIF

    @Test(arguments: [8, 16]) func avifColors(bitDepth: Int) throws {
        let patches = Patches()
        let file = try AVIF.encode(patches.image(bitDepth: bitDepth), quality: 90)
        #expect(try patches.worst(EncoderReading.pixels(file, "avif", format: "rgb24")) <= 2)
        let facts = try EncoderReading.facts(file, "avif")
        #expect(facts["codec_name"] == "av1" && facts["color_range"] == "pc")
        #expect(facts["pix_fmt"] == (bitDepth == 8 ? "yuv420p" : "yuv420p10le"))
        #expect(facts["color_primaries"] == "bt709" && facts["color_transfer"] == "iec61966-2-1")
        #expect(facts["color_space"] == "smpte170m")
    }

    @Test(arguments: [UInt8(9), 2]) func avifHDR(primaries: UInt8) throws {
        let color = ColorSpec(matrix: 0, isFullRange: true, primaries: primaries, transfer: 16)
        let file = try AVIF.encode(Patches().image(bitDepth: 16, color: color), quality: 90)
        let facts = try EncoderReading.facts(file, "avif")
        #expect(facts["color_primaries"] == "bt2020" && facts["color_transfer"] == "smpte2084")
        #expect(facts["color_space"] == "bt2020nc" && facts["pix_fmt"] == "yuv420p10le")
        // The nclx box: primaries, transfer and matrix of 16 bits, then the range's bit (ISO/IEC 14496-12, 12.1.5).
        let box = Array("colrnclx".utf8) + [0, 9, 0, 16, 0, 9, 0x80]
        #expect(file.indices.contains { file[$0...].starts(with: box) })
    }

    @Test func avifGrayAndAlpha() throws {
        let patches = Patches(colors: Self.gray)
        let gray = try AVIF.encode(patches.image(), quality: 90)
        #expect(try patches.worst(EncoderReading.pixels(gray, "avif", format: "gray")) <= 2)
        // ffmpeg 5.1 reads the color item only; the alpha item's role is in the file.
        let clear = try AVIF.encode(Patches(colors: Self.clear).image(), quality: 90)
        let role = Array("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha".utf8)
        #expect(clear.indices.contains { clear[$0...].starts(with: role) })
    }

    /// The tests have libavif; another library, or a missing one, is not taken for it.
    @Test func avifLibrary() throws {
        try AVIF.checkIsAvailable()
        #expect(cavif_load() != nil && cavif_load() == cavif_load())
        let version = String(cString: cavif_version())
        #expect(version.contains(/^(0\.\d+|[1-9]\d*)$/))
        let found = try #require(cavif_load()?.pointee)
        var library = found
        #expect(cavif_load_file("libscrub-has-none.so.1", &library) == 0)
        #expect(cavif_load_file("libm.so.6", &library) == 0)
    }

    // MARK: Formats

    @Test(arguments: ImageFormat.allCases) func everyFormatTakesEveryPicture(format: ImageFormat) throws {
        for channels in 1...4 {
            for bitDepth in [8, 16] {
                let image = OrientationTests.noise(width: 33, height: 17, channels: channels, bitDepth: bitDepth)
                let facts = try EncoderReading.facts(
                    format.encode(image, quality: 80), format == .jpeg ? "jpg" : format.rawValue)
                #expect(facts["width"] == "33" && facts["height"] == "17")
            }
        }
    }

    // MARK: Helpers

    private static func line(_ width: Int) -> RasterImage {
        RasterImage(
            width: width, height: 1, channels: 1, bitDepth: 8, bytes: [UInt8](repeating: 9, count: width),
            color: .sRGB)
    }

    /// The code of the error that is thrown, which must give advice.
    private static func code(_ body: () throws(ScrubError) -> [UInt8]) throws -> ScrubError.Code? {
        do throws(ScrubError) {
            _ = try body()
            return nil
        } catch {
            #expect(error.advice != nil)
            return error.code
        }
    }
}
