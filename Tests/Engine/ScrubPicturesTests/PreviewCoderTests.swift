internal import ScrubLibAV
internal import ScrubBase
internal import ScrubPictures
internal import ScrubTestSupport
internal import Testing

/// A preview shows what its picture shows, in every kind of format, or there is none.
@Suite struct PreviewCoderTests {
    /// Formats of decoders, with the format that a preview's planes have.
    static let formats: [(name: String, planes: String?)] = [
        ("yuv420p", "yuv420p"), ("yuvj420p", "yuvj420p"), ("yuv422p", "yuv422p"), ("yuv444p", "yuv444p"),
        ("yuv440p", "yuv444p"), ("yuv411p", "yuv422p"), ("yuv410p", "yuv420p"), ("nv12", "yuv420p"),
        ("yuv420p10le", "yuv420p"), ("yuv422p12le", "yuv422p"), ("yuv444p16le", "yuv444p"), ("gray", "gray"),
        ("gray10le", "gray"), ("yuva420p", "yuva420p"), ("yuva444p10le", "yuva444p"), ("rgb24", "yuv444p"),
        ("gbrp10le", "yuv444p"), ("rgba", "yuva444p"), ("rgba64le", "yuva444p"), ("ya8", "yuva444p"),
        ("xyz12le", nil),
    ]

    /// Gentle slopes in every component, opaque in the middle.
    private func picture(_ maker: FrameMaker) throws -> SharedFrame {
        let depth = PixelFormat.depth(of: maker.format)
        return try maker.frame { component, x, y in
            let slope = component == 0 ? 60 + 2 * x + y / 2 : component == 3 ? 40 + 3 * x : 90 + x + component * y / 2
            return min(slope, 230) << (depth - 8)
        }
    }

    private func render(_ frame: SharedFrame, _ maker: FrameMaker) throws -> RasterImage {
        try PictureRenderer.render(
            frame, codec: maker.codec, containerAspect: nil, displayMatrix: nil, rawGeometry: true
        ).image
    }

    /// Returns the mean distance of two pictures' codes, of 255.
    private func distance(_ a: RasterImage, _ b: RasterImage) throws -> Double {
        try #require(a.width == b.width && a.height == b.height)
        let channels = max(a.channels, b.channels)
        let (a, b) = (a.withChannels(channels), b.withChannels(channels))
        var sum = 0.0
        for y in 0..<a.height {
            for x in 0..<a.width {
                for k in 0..<channels {
                    let one = Double(a.sample(x: x, y: y, channel: k)) / Double(a.maximum)
                    sum += abs(one - Double(b.sample(x: x, y: y, channel: k)) / Double(b.maximum))
                }
            }
        }
        return 255 * sum / Double(a.width * a.height * channels)
    }

    @Test(arguments: formats) func aPreviewIsNear(_ format: (name: String, planes: String?)) throws {
        var maker = FrameMaker(format: format.name, width: 64, height: 48)
        maker.aspect = (4, 3)
        let frame = try picture(maker)
        let allocator = FrameAllocator(reserveCount: 0)
        let coder = PreviewCoder(.init(longSide: 640), codec: maker.codec, allocator: allocator)
        let preview = try coder.encode(frame)
        guard let planes = format.planes else {
            #expect(preview == nil)
            return
        }
        let bytes = try #require(preview)
        let back = try #require(PreviewCoder.decode(bytes, limits: maker.codec, in: allocator))
        #expect(back.frame.pixelFormat.name == planes)
        #expect(back.frame.sampleAspectRatio == Rational(4, 3))
        let distance = try distance(try render(frame, maker), try render(back, maker))
        #expect(distance < 3, "\(format.name): \(distance)")
    }

    /// Untagged pictures are BT.709's by their size, and a preview of one is no larger than that rule's limit.
    @Test func aSmallPreviewKeepsItsColors() throws {
        let maker = FrameMaker(format: "yuv420p", width: 1280, height: 720)
        let frame = try maker.flat(120, 90, 60)
        let allocator = FrameAllocator(reserveCount: 0)
        let coder = PreviewCoder(.init(longSide: 320), codec: maker.codec, allocator: allocator)
        let preview = try coder.encode(frame)
        let bytes = try #require(preview)
        let back = try #require(PreviewCoder.decode(bytes, limits: maker.codec, in: allocator))
        #expect(back.frame.width == 320 && back.frame.height == 180)
        let (one, other) = (try render(frame, maker), try render(back, maker))
        for k in 0..<3 {
            let (a, b) = (one.sample(x: 9, y: 9, channel: k), other.sample(x: 9, y: 9, channel: k))
            #expect(abs(a - b) <= 2, "channel \(k): \(a) became \(b)")
        }
    }

    /// Sides are even, and never less than two.
    @Test(arguments: [(1, 1), (7, 5), (3, 64), (641, 3), (1279, 719)])
    func oddSidesBecomeEven(_ size: (Int, Int)) throws {
        let maker = FrameMaker(format: "yuv420p", width: size.0, height: size.1)
        let allocator = FrameAllocator(reserveCount: 0)
        let coder = PreviewCoder(.init(longSide: 640), codec: maker.codec, allocator: allocator)
        let preview = try coder.encode(maker.flat(99, 128, 128))
        let bytes = try #require(preview)
        let back = try #require(PreviewCoder.decode(bytes, limits: maker.codec, in: allocator))
        #expect(back.frame.width % 2 == 0 && back.frame.height % 2 == 0 && back.frame.width <= 640)
        let luma = back.withRow(0, plane: 0) { Int($0[0]) }
        #expect(abs(luma - 99) <= 1)
    }

    /// Bytes that were cut or changed are not believed: a picture of the same shape, or none.
    @Test func foreignBytesAreNoPreview() throws {
        let maker = FrameMaker(format: "yuva420p", width: 32, height: 16)
        let allocator = FrameAllocator(reserveCount: 0)
        let coder = PreviewCoder(.init(), codec: maker.codec, allocator: allocator)
        let whole = try coder.encode(picture(maker))
        let preview = try #require(whole)
        for count in 0..<preview.count {
            let cut = PreviewCoder.decode(Array(preview.prefix(count)), limits: maker.codec, in: allocator)
            #expect(cut == nil || cut?.frame.width == 32)
        }
        var random = SplitMix(35)
        for _ in 0..<2000 {
            var bytes = preview
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = PreviewCoder.decode(bytes, limits: maker.codec, in: allocator)
        }
        #expect(allocator.liveBytes == 0)
    }
}

extension PixelFormat {
    /// The depth of a named format.
    static func depth(of name: String) -> Int {
        if name.contains("64le") { return 16 }
        return [16, 12, 10].first { name.contains("p\($0)") || name.contains("y\($0)") } ?? 8
    }
}
