internal import ScrubLibAV
internal import ScrubBase
internal import ScrubPictures
internal import Testing

/// Pixels that are not square.
@Suite struct StretchingTests {
    private let plain = ColorSpec(matrix: 0, isFullRange: true)

    @Test(arguments: [8, 16], [1, 2, 3, 4]) func flatPicturesStayFlat(bitDepth: Int, channels: Int) {
        let pixel: [UInt8] = [201, 7, 55, 128].prefix(channels).flatMap { [UInt8](repeating: $0, count: bitDepth / 8) }
        let bytes = (0..<35).flatMap { _ in pixel }
        let image = RasterImage(
            width: 7, height: 5, channels: channels, bitDepth: bitDepth, bytes: bytes, color: plain)
        for (width, height) in [(14, 5), (7, 9), (11, 11)] {
            let stretched = image.stretched(width: width, height: height)
            #expect(stretched.bytes == (0..<width * height).flatMap { _ in pixel })
        }
    }

    @Test func bothAxesAreTheSameFilter() {
        let image = OrientationTests.noise(width: 19, height: 13, channels: 3, bitDepth: 16)
        let turn = Orientation(quarterTurns: 1, isMirrored: false)
        let wide = image.stretched(width: 31, height: 13).turned(turn)
        let high = image.turned(turn).stretched(width: 13, height: 31)
        var worst = 0
        for y in 0..<31 {
            for x in 0..<13 {
                for k in 0..<3 {
                    let difference = wide.sample(x: x, y: y, channel: k) - high.sample(x: x, y: y, channel: k)
                    worst = max(worst, abs(difference))
                }
            }
        }
        // The order of the four additions may differ.
        #expect(worst <= 1)
    }

    @Test func colorUnderTransparencyDoesNotBleed() {
        // Opaque red beside transparent green.
        let bytes: [UInt8] = [255, 0, 0, 255, 0, 255, 0, 0]
        let image = RasterImage(width: 2, height: 1, channels: 4, bitDepth: 8, bytes: bytes, color: plain)
        let stretched = image.stretched(width: 8, height: 1)
        #expect((0..<8).contains { stretched.sample(x: $0, y: 0, channel: 3) > 0 })
        for x in 0..<8 where stretched.sample(x: x, y: 0, channel: 3) > 0 {
            #expect(stretched.sample(x: x, y: 0, channel: 0) == 255)
            #expect(stretched.sample(x: x, y: 0, channel: 1) == 0)
        }
    }

    @Test func containerAspectWinsOverTheFramesAndTurnsComeLast() throws {
        var maker = FrameMaker(format: "yuv420p", width: 12, height: 8)
        maker.aspect = (2, 1)
        let frame = try maker.flat(100, 128, 128)
        // A quarter turn clockwise, in 16.16.
        let quarter: [Int32] = [0, 65536, 0, -65536, 0, 0, 0, 0, 1 << 30]
        func size(_ aspect: Rational?, _ matrix: [Int32]?, raw: Bool = false) throws -> [Int] {
            let image = try PictureRenderer.render(
                frame, codec: maker.codec, containerAspect: aspect, displayMatrix: matrix, rawGeometry: raw
            ).image
            return [image.width, image.height]
        }
        #expect(try size(nil, nil) == [24, 8])
        #expect(try size(Rational(3, 2), nil) == [18, 8])
        #expect(try size(Rational(1, 2), nil) == [12, 16])
        #expect(try size(nil, quarter) == [8, 24])
        #expect(try size(nil, quarter, raw: true) == [12, 8])
        #expect(try size(Rational(99), nil) == [12, 8])
    }
}
