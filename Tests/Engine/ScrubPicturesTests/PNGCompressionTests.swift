internal import CScrubPNG
internal import ScrubBase
internal import ScrubPictures
internal import ScrubTestSupport
internal import Testing

/// The pixels of PNG files: all sizes and depths, by libpng's own reader and libav's, and the same bytes with any
/// number of threads.
@Suite struct PNGCompressionTests {
    /// What pixels look like, and so which way of compression is chosen.
    enum Content: CaseIterable, Sendable {
        /// Grain: every byte by chance.
        case noise
        /// One color.
        case flat
        /// A little more from pixel to pixel and from row to row.
        case slope
        /// Small numbers, each twice as rare as the next smaller one: the best codes would be longer than they may be.
        case differences
        /// Some bytes of chance, and runs of 1 to 600 of them.
        case runs
        /// A tile of chance, again and again.
        case tiles
        /// Stripes of all of these.
        case mixed

        func image(width: Int, height: Int, channels: Int, bitDepth: Int) -> RasterImage {
            var random = SplitMix(UInt64(width * 131 + height * 7 + channels))
            let pixel = channels * bitDepth / 8
            let tile = (0..<16 * 5 * pixel).map { _ in UInt8.random(in: 0...255, using: &random) }
            var bytes: [UInt8] = []
            var run = 0
            bytes.reserveCapacity(width * height * pixel)
            for y in 0..<height {
                let kinds: [Content] = [.noise, .tiles, .flat, .slope]
                let kind = self == .mixed ? kinds[y * 9 / height % 4] : self
                for x in 0..<width * pixel {
                    let byte: UInt8 =
                        switch kind {
                        case .noise, .mixed: UInt8.random(in: 0...255, using: &random)
                        case .flat: 77
                        case .slope: UInt8(truncatingIfNeeded: x / pixel + 3 * y)
                        case .differences: UInt8(UInt32.random(in: 1...UInt32.max, using: &random).leadingZeroBitCount)
                        case .runs: chanceRun(&run, after: bytes.last ?? 0, &random)
                        case .tiles: tile[x % (16 * pixel) + y % 5 * 16 * pixel]
                        }
                    bytes.append(byte)
                }
            }
            return RasterImage(
                width: width, height: height, channels: channels, bitDepth: bitDepth, bytes: bytes,
                color: ColorSpec(matrix: 0, isFullRange: true))
        }

        private func chanceRun(_ left: inout Int, after last: UInt8, _ random: inout SplitMix) -> UInt8 {
            left -= 1
            guard left < 0 else { return last }
            left = Bool.random(using: &random) ? 0 : Int.random(in: 0...600, using: &random)
            return UInt8.random(in: 0...255, using: &random)
        }
    }

    /// The pixels that libpng reads: all of a picture's with 8 bits, for its simple interface has no 16.
    private func readByLibPNG(_ png: [UInt8], channels: Int) throws -> [UInt8] {
        var image = unsafe png_image()
        unsafe image.version = UInt32(PNG_IMAGE_VERSION)
        defer { unsafe png_image_free(&image) }
        return try unsafe png.withUnsafeBytes { file in
            try #require(unsafe png_image_begin_read_from_memory(&image, file.baseAddress, file.count) == 1)
            // Bit 0 is alpha and bit 1 color.
            try #require(unsafe Int(image.format) == channels - 1)
            var pixels = unsafe [UInt8](repeating: 0, count: Int(image.width * image.height) * channels)
            let status = unsafe pixels.withUnsafeMutableBytes { out in
                unsafe png_image_finish_read(&image, nil, out.baseAddress, 0, nil)
            }
            #expect(status == 1)
            #expect(unsafe image.warning_or_error == 0)
            return pixels
        }
    }

    @Test(arguments: [8, 16], [1, 2, 3, 4]) func allSmallSizes(bitDepth: Int, channels: Int) throws {
        for content in Content.allCases {
            for (width, height) in (1...17).flatMap({ width in (1...17).map { (width, $0) } }) {
                let image = content.image(width: width, height: height, channels: channels, bitDepth: bitDepth)
                let png = try PNG.encode(image)
                let back = try PNGTests.decoded(png)
                guard back.bytes == image.bytes, back.channels == channels, back.bitDepth == bitDepth else {
                    Issue.record("\(content) of \(width)x\(height)")
                    return
                }
                guard bitDepth == 8 else { continue }
                #expect(try readByLibPNG(png, channels: channels) == image.bytes, "\(content) of \(width)x\(height)")
            }
        }
    }

    /// Rows as long as vectors, as blocks of filtered bytes and as stripes, and a little more and less.
    @Test(arguments: [8, 16], [1, 2, 3, 4]) func widthsAtEdges(bitDepth: Int, channels: Int) throws {
        let pixel = channels * bitDepth / 8
        let edges = [16, 32, 64, 256, 258, 512, 1 << 15, 1 << 16, 1 << 18]
        for content in Content.allCases {
            for width in Set(edges.flatMap { [$0 / pixel - 1, $0 / pixel, $0 / pixel + 1, $0 / pixel + 2] }).sorted()
            where width > 0 {
                let image = content.image(width: width, height: 3, channels: channels, bitDepth: bitDepth)
                let png = try PNG.encode(image, threads: 2)
                #expect(try PNGTests.decoded(png).bytes == image.bytes, "\(content), \(width) pixels")
            }
        }
    }

    @Test(arguments: [8, 16], [1, 2, 3, 4]) func sameBytesWithAnyNumberOfThreads(bitDepth: Int, channels: Int) throws {
        for content in Content.allCases {
            let image = content.image(width: 701, height: 1200, channels: channels, bitDepth: bitDepth)
            let png = try PNG.encode(image, threads: 1)
            #expect(try PNGTests.decoded(png).bytes == image.bytes, "\(content)")
            if bitDepth == 8 { #expect(try readByLibPNG(png, channels: channels) == image.bytes, "\(content)") }
            for threads in [1, 2, 3, 8] { #expect(try PNG.encode(image, threads: threads) == png, "\(content)") }
        }
    }

    /// What takes 4 MB as it is.
    @Test func sizes() throws {
        func size(_ content: Content) throws -> Int {
            try PNG.encode(content.image(width: 1400, height: 960, channels: 3, bitDepth: 8)).count
        }
        let raw = 1400 * 960 * 3
        // Bytes by chance get one byte of a filter for each row, and a few for each block that is stored.
        #expect(try size(.noise) < raw + raw / 500)
        // Half a byte's codes have one bit, a quarter's two: two bits on average.
        #expect(try size(.differences) < raw / 4 + raw / 200)
        // zlib's longest run is 258 bytes in two bits; a head, and one group only.
        #expect(try size(.flat) < raw / 258 * 2 / 8 + 2000)
        #expect(try size(.slope) < raw / 50)
    }

    @Test(arguments: [1, 3, 4]) func noLargerThanFFmpegs(channels: Int) throws {
        for content in [Content.noise, .flat, .slope, .differences] {
            let image = content.image(width: 701, height: 600, channels: channels, bitDepth: 8)
            let own = try PNG.encode(image)
            let folder = try TemporaryFolder()
            let input = try folder.write(own, to: "own.png")
            let result = try Tool.run(
                "ffmpeg", ["-v", "error", "-i", input, "-frames:v", "1", "-c:v", "png", "-f", "image2pipe", "-"])
            try #require(result.status == 0, "\(result.errors)")
            #expect(own.count <= result.bytes.count, "\(content)")
        }
    }

    /// Matches reach over from one group to the next, whose stripes are compressed side by side.
    @Test func matchesReachBack() throws {
        var random = SplitMix(5)
        let (row, period) = (700 * 3, 4)
        let block = (0..<row * period).map { _ in UInt8.random(in: 0...255, using: &random) }
        let bytes = (0..<1500 / period).flatMap { _ in block }
        let image = RasterImage(
            width: 700, height: 1500, channels: 3, bitDepth: 8, bytes: bytes,
            color: ColorSpec(matrix: 0, isFullRange: true))
        let png = try PNG.encode(image)
        #expect(try PNGTests.decoded(png).bytes == bytes)
        // The block once, and for the rest 14 bits for 258 bytes, of which 12 are the distance. Without the rows
        // before, each of the groups, of some 750 KiB, would have the block.
        #expect(png.count < 2 * block.count + bytes.count / 258 * 2)
    }
}
