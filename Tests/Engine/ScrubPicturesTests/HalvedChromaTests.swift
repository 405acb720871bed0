internal import CScrubShims
internal import ScrubLibAV
internal import ScrubBase
@testable internal import ScrubPictures
internal import ScrubTestSupport
internal import Testing

/// The pass over whole pictures against the rows that it stands for: to the bit, with all vectors that the processor
/// has.
@Suite struct HalvedChromaTests {
    private func expectSame(
        _ maker: FrameMaker, seed: UInt64, _ value: @escaping (Int, Int, Int) -> Int
    ) throws {
        let frame = try maker.frame(value)
        let (color, _) = ColorSpec.resolve(frame: frame.frame, codec: maker.codec)
        let known = frame.frame.pixelFormat.sampleLayouts
        let layouts = try #require(known)
        let siting = ChromaSiting(frame: frame.frame, codec: maker.codec)
        let matrix = ColorMatrix(color, depths: [8, 8, 8], isRGB: false, maximum: 255)
        let packer = PixelPacker(matrix, channels: 3, bitDepth: 8)
        let made = HalvedChroma(layouts, frame.frame, siting: siting, packer)
        let halved = try #require(made)
        let components = ComponentSource.all(layouts, of: frame.frame, siting: siting)
        let wanted = rows(frame, try #require(components), packer)
        for vectors in [SCRUB_VECTORS_COMMON, SCRUB_VECTORS_V3, SCRUB_VECTORS_V4] {
            // Bytes behind the picture are not touched.
            var found = [UInt8](repeating: 7, count: wanted.count + 64)
            var target = found.mutableSpan
            let isWritten = halved.write(frame.frame, into: &target, vectors: vectors)
            #expect(isWritten)
            #expect(
                found == wanted + [UInt8](repeating: 7, count: 64),
                "\(maker.format) \(maker.width)x\(maker.height), chroma at \(maker.chromaLocation), vectors \(vectors), seed \(seed)"
            )
        }
    }

    private func rows(_ frame: SharedFrame, _ sources: [ComponentSource], _ packer: PixelPacker) -> [UInt8] {
        let (width, height) = (frame.frame.width, frame.frame.height)
        var sources = sources
        var (first, second, third) = ([Float](repeating: 0, count: width), [Float](), [Float]())
        (second, third) = (first, first)
        var bytes = [UInt8](repeating: 0, count: width * height * 3)
        var target = bytes.mutableSpan
        for y in 0..<height {
            sources[0].read(y, of: frame.frame, into: &first)
            sources[1].read(y, of: frame.frame, into: &second)
            sources[2].read(y, of: frame.frame, into: &third)
            packer.convert(&first, &second, &third)
            for (channel, line) in [first, second, third].enumerated() {
                packer.store(line.span, channel: channel, into: &target, at: y * width * 3)
            }
        }
        return bytes
    }

    /// Every place of chroma, all sizes around the vectors' lengths, both ranges.
    @Test(arguments: ["yuv420p", "yuv422p", "yuvj420p", "yuvj422p"], UInt32(0)...6)
    func places(format: String, location: UInt32) throws {
        let seed = SplitMix.seed()
        var generator = SplitMix(seed)
        for (width, height) in [
            (1, 1), (2, 1), (1, 2), (2, 2), (3, 5), (7, 6), (15, 3), (16, 4), (17, 9), (31, 8), (33, 7), (64, 12),
            (130, 6),
        ] {
            for matrix: UInt32 in [1, 6, 9] {
                var maker = FrameMaker(format: format, width: width, height: height)
                (maker.matrix, maker.chromaLocation) = (matrix, location)
                maker.range = format.contains("j") ? 2 : UInt32.random(in: 1...2, using: &generator)
                // Noise of extremes: sums go as far as they can both ways.
                let isExtreme = Bool.random(using: &generator)
                try expectSame(maker, seed: seed) { _, _, _ in
                    isExtreme ? Bool.random(using: &generator) ? 255 : 0 : Int.random(in: 0...255, using: &generator)
                }
            }
        }
    }

    /// Large pictures are written past the caches where a row begins with a line of 64 bytes: here each 32nd one.
    @Test func largePictures() throws {
        let seed = SplitMix.seed()
        var generator = SplitMix(seed)
        let maker = FrameMaker(format: "yuv420p", width: 1366, height: 520)
        try expectSame(maker, seed: seed) { _, _, _ in Int.random(in: 0...255, using: &generator) }
    }

    /// Every luma with every pair of differences that lie on a grid, flat, so that each is exact.
    @Test(arguments: [UInt32(1), 4, 5, 7, 9], [UInt32(1), 2]) func colors(matrix: UInt32, range: UInt32) throws {
        var maker = FrameMaker(format: "yuv420p", width: 512, height: 512)
        (maker.matrix, maker.range) = (matrix, range)
        for shift in 0..<2 {
            try expectSame(maker, seed: 0) { component, x, y in
                // Luma changes from pixel to pixel, chroma from column to column and from row to row.
                switch component {
                case 0: (x * 7 + y * 13 + shift) & 255
                case 1: (x + shift * 3) & 255
                default: y & 255
                }
            }
        }
    }

    /// Other kinds of pictures are left to the rows.
    @Test(arguments: [
        ("yuv444p", UInt32(1)), ("yuv440p", 1), ("yuv410p", 1), ("nv12", 1), ("yuv420p10le", 1), ("gray", 1),
        ("gbrp", 1),
        ("yuv420p", 8), ("yuva420p", 1),
    ]) func otherKinds(format: String, matrix: UInt32) throws {
        var maker = FrameMaker(format: format, width: 8, height: 6)
        maker.matrix = matrix
        let frame = try maker.frame { _, _, _ in 100 }
        let (color, _) = ColorSpec.resolve(frame: frame.frame, codec: maker.codec)
        let known = frame.frame.pixelFormat.sampleLayouts
        let layouts = try #require(known)
        let colors = layouts.count <= 2 ? 1 : 3
        let map = ColorMatrix(
            color, depths: layouts.prefix(colors).map(\.depth), isRGB: frame.frame.pixelFormat.isRGB, maximum: 255)
        let packer = PixelPacker(map, channels: layouts.count, bitDepth: 8)
        let siting = ChromaSiting(frame: frame.frame, codec: maker.codec)
        let halved = HalvedChroma(layouts, frame.frame, siting: siting, packer)
        #expect(halved == nil, "\(format)")
    }
}
