internal import CScrubFFmpeg
internal import ScrubBase
internal import ScrubLibAV
@testable internal import ScrubPictures
internal import Testing

/// glibc's, which Swift does not import: `M_PERTURB` fills memory that is allotted or freed.
@_silgen_name("mallopt") private func setHeap(_ parameter: Int32, _ value: Int32) -> Int32
private let perturb: Int32 = -6

/// Every output of every pixel format, at its own size, smaller and larger, odd sizes too, is written whole: it does
/// not depend on what memory had in it before.
@Suite(.serialized) struct WholePictureTests {
    /// Formats that libswscale reads or that we read ourselves, as far as libav's raw decoder makes them.
    private static let formats = PixelFormatTests.allFormats.filter {
        Scaler.canRead(PixelFormat(rawValue: av_get_pix_fmt($0).rawValue))
    }
    private static let sizes = [(1, 1), (2, 6), (3, 5), (17, 9), (40, 26)]

    /// A bright slope.
    private func slope(_ maker: FrameMaker) throws -> SharedFrame {
        let descriptor = try #require(av_pix_fmt_desc_get(av_get_pix_fmt(maker.format))?.pointee)
        let components = [descriptor.comp.0, descriptor.comp.1, descriptor.comp.2, descriptor.comp.3]
        let depths = components.map { Int($0.depth) }
        let isFloat = PixelFormat(rawValue: av_get_pix_fmt(maker.format).rawValue).isFloat
        return try maker.frame { component, x, y in
            let share = 0.45 + 0.4 * Float(x + y + component) / Float(maker.width + maker.height + 4)
            guard isFloat else { return Int(share * Float((1 << depths[component]) - 1)) }
            return depths[component] == 16 ? Int(Float16(share).bitPattern) : Int(share.bitPattern)
        }
    }

    private struct Outputs: Equatable {
        var still: [UInt8]
        var thumbnails: [[UInt8]]
        var preview: [UInt8]?
        var array: [UInt8]
        var hash: String
    }

    private func outputs(_ maker: FrameMaker, fill: Int32) throws -> Outputs? {
        #expect(setHeap(perturb, fill) == 1)
        defer { _ = setHeap(perturb, 0) }
        let frame: SharedFrame
        do {
            frame = try slope(maker)
        } catch {
            // Formats that only exist inside decoders or devices.
            return nil
        }
        let (width, height) = (maker.width, maker.height)
        let sizes = [
            (width, height), ((width + 1) / 2, (height + 1) / 2), (width, max(1, height - 1)),
            (2 * width + 1, 2 * height),
        ].map { PictureSize(width: $0.0, height: $0.1) }
        let renderer = ThumbnailRenderer(sizes: sizes, codec: maker.codec, displayMatrix: nil, cleanAperture: nil)
        let still = try PictureRenderer.render(
            frame, codec: maker.codec, containerAspect: nil, displayMatrix: nil, rawGeometry: false
        ).image
        var array = [UInt8](repeating: UInt8(truncatingIfNeeded: fill), count: width * height * 3)
        var target = array.mutableSpan
        try PictureRenderer.writeRGB(
            frame, codec: maker.codec, containerAspect: nil, displayMatrix: nil, cleanAperture: nil, rawGeometry: false,
            into: &target)
        // Of memory that had another picture before.
        let allocator = FrameAllocator(reserveCount: 4)
        let coder = PreviewCoder(PreviewCoder.Recipe(longSide: 32), codec: maker.codec, allocator: allocator)
        var other = maker
        other.format = "rgb48be"
        _ = try coder.encode(other.frame { _, _, _ in Int(fill) * 257 })
        return Outputs(
            still: still.bytes, thumbnails: try renderer.render(frame).images.map(\.bytes),
            preview: try coder.encode(frame), array: array, hash: try frame.frame.md5())
    }

    @Test(arguments: formats) func samePictureWhateverWasInMemory(format: String) throws {
        if ["rgb4", "bgr4", "xv30be"].contains(format) { return }
        for (width, height) in Self.sizes {
            var maker = FrameMaker(format: format, width: width, height: height)
            (maker.matrix, maker.range) = (1, 2)
            if format == "pal8" { maker.palette = (0..<256).map { 0xff00_0000 | UInt32($0) * 0x010101 } }
            let first = try outputs(maker, fill: 0x55)
            let second = try outputs(maker, fill: 0xAA)
            #expect(first == second, "\(width)x\(height)")
        }
    }

    /// A thumbnail has what the still has, up to its last row and column: nothing is left out.
    @Test(arguments: formats) func thumbnailsAreLikeTheStill(format: String) throws {
        // Formats of a few colors have steps as large as what is looked for.
        if ["mono", "rgb4", "bgr4", "rgb8", "bgr8", "pal8", "xv30be"].contains(where: { format.hasPrefix($0) }) {
            return
        }
        for (width, height) in Self.sizes {
            var maker = FrameMaker(format: format, width: width, height: height)
            (maker.matrix, maker.range) = (1, 2)
            guard let frame = try? slope(maker) else { return }
            let still = shown(
                try PictureRenderer.render(
                    frame, codec: maker.codec, containerAspect: nil, displayMatrix: nil, rawGeometry: false
                ).image)
            let sizes = [(width, height), ((width + 1) / 2, (height + 1) / 2), (2 * width, 2 * height)]
            let renderer = ThumbnailRenderer(
                sizes: sizes.map { PictureSize(width: $0.0, height: $0.1) }, codec: maker.codec, displayMatrix: nil,
                cleanAperture: nil)
            for small in try renderer.render(frame).images.map(shown) {
                for (x, y) in [
                    (0, 0), (small.width - 1, 0), (0, small.height - 1), (small.width - 1, small.height - 1),
                ] {
                    let (left, top) = (x * width / small.width, y * height / small.height)
                    for k in 0..<3 {
                        let (found, wanted) = (
                            small.sample(x: x, y: y, channel: k), still.sample(x: left, y: top, channel: k)
                        )
                        #expect(
                            abs(found - wanted) <= 50,
                            "\(width)x\(height) to \(small.width)x\(small.height), \(x) \(y) \(k): \(found), \(wanted)")
                    }
                }
            }
        }
    }

    /// A cut picture has nothing of the one whose memory it gets, though its decoder reports no fault.
    @Test func aCutPictureHasNothingOfAnother() throws {
        // QOI: a header, one pixel, and runs of it, 62 pixels each.
        func file(_ runs: Int) -> [UInt8] {
            Array("qoif".utf8) + [0, 0, 0, 62, 0, 0, 0, 48, 3, 0, 0xFE, 250, 240, 230]
                + [UInt8](repeating: 0xC0 | 61, count: runs) + [0, 0, 0, 0, 0, 0, 0, 1]
        }
        var codec = CodecDescription()
        codec.codecID = AV_CODEC_ID_QOI.rawValue
        (codec.width, codec.height) = (62, 48)
        let allocator = FrameAllocator(reserveCount: 4)
        func decode(runs: Int) throws -> String {
            var decoder = try Decoder(codec, allocator: allocator)
            var packet = try Packet()
            let bytes = file(runs)
            try packet.fill(count: bytes.count) { $0.copyBytes(from: bytes) }
            packet.identify(as: 0, isKey: true)
            #expect(try decoder.send(packet) == .done)
            var frame = try Frame()
            #expect(try decoder.receive(into: &frame) == .done)
            return try frame.md5()
        }
        let cut = try decode(runs: 10)
        _ = try decode(runs: 48)
        #expect(try decode(runs: 10) == cut)
    }

    private func shown(_ image: RasterImage) -> RasterImage { image.flattened().reducedTo8Bits().withChannels(3) }
}
