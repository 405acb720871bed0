internal import CScrubFFmpeg
internal import ScrubLibAV
internal import ScrubBase
@testable internal import ScrubPictures
internal import Testing

/// Layouts, ranges and channels of formats other than plain YCbCr.
@Suite struct PixelFormatTests {
    /// Every format of this libavutil that its raw decoder can make.
    static let allFormats: [String] = {
        var names: [String] = []
        var descriptor = av_pix_fmt_desc_next(nil)
        while let found = descriptor {
            let native = av_pix_fmt_desc_get_id(found)
            // libav's own writer runs past the rows of uyyvyy411, whose luma is not evenly spaced.
            if found.pointee.flags & UInt64(AV_PIX_FMT_FLAG_HWACCEL) == 0, native != AV_PIX_FMT_UYYVYY411,
                let name = av_get_pix_fmt_name(native)
            {
                names.append(String(cString: name))
            }
            descriptor = av_pix_fmt_desc_next(found)
        }
        return names
    }()

    /// Whether libswscale has to help, by design.
    static func isSpecial(_ name: String) -> Bool {
        ["mono", "xyz", "bayer"].contains { name.hasPrefix($0) } || name == "pal8"
    }

    @Test(arguments: allFormats) func everyFormatGivesItsFlatColor(name: String) throws {
        let descriptor = try #require(av_pix_fmt_desc_get(av_get_pix_fmt(name))?.pointee)
        let components = [descriptor.comp.0, descriptor.comp.1, descriptor.comp.2, descriptor.comp.3]
        let depths = components.prefix(Int(descriptor.nb_components)).map { Int($0.depth) }
        var maker = FrameMaker(format: name, width: 9, height: 5)
        maker.matrix = 1
        maker.range = 2
        let isFloat = PixelFormat(rawValue: av_get_pix_fmt(name).rawValue).isFloat
        let codes = depths.enumerated().map { (i, depth) in
            guard isFloat else { return ((1 << depth) - 1) * (i + 2) / 6 }
            let number = Float(i + 2) / 6
            return depth == 16 ? Int(Float16(number).bitPattern) : Int(number.bitPattern)
        }
        let frame: SharedFrame
        do {
            frame = try maker.frame { component, _, _ in codes[component] }
        } catch {
            // Formats that only exist inside decoders or devices.
            return
        }
        if ["rgb4", "bgr4", "xv30be"].contains(name) {
            // Streams of bits that libswscale doesn't know.
            #expect(throws: ScrubError.self) { try render(frame, maker) }
            return
        }
        let image = try render(frame, maker)
        #expect(image.width == 9 && image.height == 5)
        if Self.isSpecial(name) { return }
        let isDeep = depths.contains { $0 > 8 }
        #expect(image.bitDepth == (isDeep ? 16 : 8) && image.channels == depths.count)
        var fractions = zip(codes, depths).map { code, depth in
            guard isFloat else { return Double(code) / Double((1 << depth) - 1) }
            let bits = UInt32(code)
            return depth == 16
                ? Double(Float16(bitPattern: UInt16(truncatingIfNeeded: bits))) : Double(Float(bitPattern: bits))
        }
        if depths.count >= 3 && descriptor.flags & UInt64(AV_PIX_FMT_FLAG_RGB) == 0 {
            fractions.replaceSubrange(
                0..<3,
                with: ColorAccuracyTests.ideal(
                    codes[0], codes[1], codes[2], depth: depths[0], full: true, kr: 0.2126, kb: 0.0722))
        }
        for (x, y) in [(0, 0), (8, 4), (4, 3)] {
            for k in fractions.indices {
                let wanted = min(max(fractions[k], 0), 1) * Double(image.maximum)
                #expect(abs(Double(image.sample(x: x, y: y, channel: k)) - wanted) <= 0.53)
            }
        }
    }

    /// Numbers beyond white and below black, and NaN, leave the other components alone.
    @Test func numbersOutsideTheRange() throws {
        let maker = FrameMaker(format: "gbrpf32le", width: 6, height: 1)
        let numbers: [Float] = [1.5, .infinity, -.infinity, .nan, -0.25, 0.5]
        let half = Float(0.5)
        let image = try render(
            maker.frame { component, x, _ in Int((component == 1 ? numbers[x] : half).bitPattern) }, maker)
        #expect((0..<6).map { image.sample(x: $0, y: 0, channel: 1) } == [65535, 65535, 0, 0, 0, 32768])
        #expect((0..<6).allSatisfy { image.sample(x: $0, y: 0, channel: 0) == 32768 })
        #expect((0..<6).allSatisfy { image.sample(x: $0, y: 0, channel: 2) == 32768 })
    }

    @Test func rowsStoredUpsideDown() throws {
        var maker = FrameMaker(format: "gray", width: 3, height: 4)
        maker.range = 2
        maker.isBottomUp = true
        let image = try render(maker.frame { _, x, y in 10 * y + x }, maker)
        #expect(image.bytes == [30, 31, 32, 20, 21, 22, 10, 11, 12, 0, 1, 2])
    }

    @Test(arguments: [("gray", 8), ("gray10le", 10), ("gray12be", 12), ("gray16le", 16), ("ya8", 8), ("ya16be", 16)])
    func grayStaysGray(format: String, depth: Int) throws {
        let unit = 1 << (depth - 8)
        var maker = FrameMaker(format: format)
        maker.range = 1
        for (code, wanted) in [(16 * unit, 0), (235 * unit, 1), (0, 0), (255 * unit, 1)] {
            let image = try render(maker.flat(code, unit), maker)
            #expect(image.channels == (format.hasPrefix("ya") ? 2 : 1))
            #expect(image.sample(x: 2, y: 2, channel: 0) == wanted * image.maximum)
        }
    }

    @Test(arguments: [("monob", 0, 0), ("monob", 1, 255), ("monow", 0, 255), ("monow", 1, 0)])
    func oneBitIsBlackOrWhite(format: String, bit: Int, wanted: Int) throws {
        let maker = FrameMaker(format: format, width: 11, height: 3)
        let image = try render(maker.flat(bit), maker)
        #expect(image.channels == 1 && image.bytes.allSatisfy { Int($0) == wanted })
    }

    @Test func palettes() throws {
        var maker = FrameMaker(format: "pal8", width: 4, height: 2)
        maker.palette = (0..<256).map { 0xff00_0000 | UInt32($0) << 16 | UInt32(255 - $0) << 8 | 7 }
        let opaque = try render(maker.frame { _, x, y in x + 10 * y }, maker)
        #expect(opaque.channels == 3)
        #expect((0..<3).map { opaque.sample(x: 3, y: 1, channel: $0) } == [13, 242, 7])
        maker.palette[200] = 0
        #expect(try render(maker.frame { _, x, y in x + 10 * y }, maker).channels == 3)
        maker.palette[12] = 0x80ff_0102
        let clear = try render(maker.frame { _, x, y in x + 10 * y }, maker)
        #expect(clear.channels == 4)
        #expect((0..<4).map { clear.sample(x: 2, y: 1, channel: $0) } == [255, 1, 2, 128])
    }

    @Test(arguments: [("yuva444p12le", 12), ("yuva420p", 8), ("yuva422p10le", 10), ("gbrap12le", 12)])
    func alphaIsFullRangeWhateverTheColorsAre(format: String, depth: Int) throws {
        var maker = FrameMaker(format: format)
        maker.range = 1
        let top = (1 << depth) - 1
        let half = 1 << (depth - 1)
        for alpha in [0, top / 3, top] {
            let image = try render(maker.flat(half, half, half, alpha), maker)
            let wanted = Double(alpha) / Double(top) * Double(image.maximum)
            #expect(image.channels == 4)
            #expect(abs(Double(image.sample(x: 1, y: 1, channel: 3)) - wanted) <= 0.53)
        }
    }

    /// A chroma ramp must come out as a ramp, in the place that its siting says. Catmull-Rom is exact on ramps.
    @Test(arguments: [(UInt32(1), 0.0, 0.5), (2, 0.5, 0.5), (3, 0, 0), (4, 0.5, 0), (5, 0, 1), (6, 0.5, 1)])
    func chromaIsWhereItsSitingSays(tag: UInt32, offsetX: Double, offsetY: Double) throws {
        var maker = FrameMaker(format: "yuv420p16le", width: 41, height: 33)
        maker.chromaLocation = tag
        maker.matrix = 1
        maker.range = 2
        let (step, middle) = (400, 32768)
        let image = try render(
            maker.frame { component, x, y in
                component == 0 ? middle : component == 1 ? middle + step * (x - 10) : middle + step * (y - 8)
            }, maker)
        for (x, y) in [(12, 10), (13, 11), (20, 17), (27, 20)] {
            let cb = Double(step) * ((Double(x) - offsetX) / 2 - 10)
            let cr = Double(step) * ((Double(y) - offsetY) / 2 - 8)
            let blue = Double(middle) + 2 * (1 - 0.0722) * cb
            let red = Double(middle) + 2 * (1 - 0.2126) * cr
            #expect(abs(Double(image.sample(x: x, y: y, channel: 2)) - blue) < 1)
            #expect(abs(Double(image.sample(x: x, y: y, channel: 0)) - red) < 1)
        }
    }

    @Test func onePixelPicturesOfSubsampledFormats() throws {
        for format in ["yuv420p", "yuv410p", "yuv411p", "yuv440p", "nv12", "yuyv422"] {
            var maker = FrameMaker(format: format, width: 1, height: 1)
            maker.range = 2
            let image = try render(maker.flat(77, 128, 128), maker)
            #expect(image.bytes == [77, 77, 77])
        }
    }

    private func render(_ frame: SharedFrame, _ maker: FrameMaker) throws -> RasterImage {
        try PictureRenderer.render(
            frame, codec: maker.codec, containerAspect: nil, displayMatrix: nil, rawGeometry: false
        ).image
    }
}
