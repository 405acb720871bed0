internal import ScrubPictures
internal import ScrubBase
internal import Testing

/// Flattening, reducing, cropping, widening and pasting, against the same thing said pixel by pixel.
@Suite struct RasterConversionTests {
    private func pixels(_ image: RasterImage) -> [[Int]] {
        (0..<image.height).flatMap { y in
            (0..<image.width).map { x in (0..<image.channels).map { image.sample(x: x, y: y, channel: $0) } }
        }
    }

    @Test(arguments: [2, 4], [8, 16]) func flattening(channels: Int, bitDepth: Int) {
        let image = OrientationTests.noise(width: 19, height: 11, channels: channels, bitDepth: bitDepth)
        for ground in [
            RGBColor.black, RGBColor(red: 255, green: 255, blue: 255), RGBColor(red: 10, green: 200, blue: 30),
        ] {
            let flat = image.flattened(onto: ground)
            let isGray = channels == 2 && ground.red == ground.green
            #expect(flat.channels == (isGray ? 1 : 3) && flat.bitDepth == bitDepth)
            let scale = Double(image.maximum) / 255
            let behind = [ground.red, ground.green, ground.blue].map { Double($0) * scale }
            for (before, after) in zip(pixels(image), pixels(flat)) {
                let alpha = Double(before[channels - 1]) / Double(image.maximum)
                for k in 0..<flat.channels {
                    let exact = Double(before[channels == 2 ? 0 : k]) * alpha + behind[k] * (1 - alpha)
                    #expect(abs(Double(after[k]) - exact) <= 0.5001)
                }
            }
        }
    }

    @Test func reducingRounds() {
        let values = Array(0...65535)
        let image = RasterImage(
            width: 256, height: 256, channels: 1, bitDepth: 16,
            bytes: values.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }, color: .sRGB)
        let reduced = image.reducedTo8Bits()
        #expect(reduced.bitDepth == 8)
        let wanted = values.map { UInt8((Double($0) * 255 / 65535).rounded()) }
        #expect(reduced.bytes == wanted)
        #expect(reduced.reducedTo8Bits().bytes == reduced.bytes)
    }

    @Test(arguments: [1, 2, 3, 4], [8, 16]) func cropping(channels: Int, bitDepth: Int) {
        let image = OrientationTests.noise(width: 19, height: 11, channels: channels, bitDepth: bitDepth)
        let part = image.cropped(x: 3, y: 2, width: 7, height: 5)
        #expect(part.width == 7 && part.height == 5)
        for y in 0..<5 {
            for x in 0..<7 {
                for k in 0..<channels {
                    #expect(part.sample(x: x, y: y, channel: k) == image.sample(x: x + 3, y: y + 2, channel: k))
                }
            }
        }
        #expect(image.cropped(x: 0, y: 0, width: 19, height: 11).bytes == image.bytes)
    }

    @Test(
        arguments: [(1, 2), (1, 3), (1, 4), (2, 4), (3, 4), (3, 3)], [8, 16])
    func widening(channels: (from: Int, to: Int), bitDepth: Int) {
        let image = OrientationTests.noise(width: 9, height: 5, channels: channels.from, bitDepth: bitDepth)
        let wide = image.withChannels(channels.to)
        for (before, after) in zip(pixels(image), pixels(wide)) {
            let colors = channels.from < 3 ? [before[0], before[0], before[0]] : Array(before.prefix(3))
            let alpha = channels.from % 2 == 0 ? before[channels.from - 1] : image.maximum
            let wanted = Array(colors.prefix(channels.to < 3 ? 1 : 3)) + (channels.to % 2 == 0 ? [alpha] : [])
            #expect(after == wanted)
        }
    }

    @Test func pasting() {
        var canvas = SheetCanvas(width: 20, height: 12, ground: RGBColor(red: 1, green: 2, blue: 3))
        let color = OrientationTests.noise(width: 6, height: 5, channels: 3, bitDepth: 8)
        let gray = OrientationTests.noise(width: 6, height: 5, channels: 1, bitDepth: 8)
        canvas.paste(color, x: 0, y: 7)
        let before = canvas.image
        canvas.paste(gray, x: 14, y: 0)
        let sheet = canvas.image
        for y in 0..<12 {
            for x in 0..<20 {
                for k in 0..<3 {
                    let isColor = x < 6 && y >= 7
                    let isGray = x >= 14 && y < 5
                    let own = isColor ? color.sample(x: x, y: y - 7, channel: k) : k + 1
                    #expect(before.sample(x: x, y: y, channel: k) == own)
                    let wanted = isGray ? gray.sample(x: x - 14, y: y, channel: 0) : own
                    #expect(sheet.sample(x: x, y: y, channel: k) == wanted)
                }
            }
        }
    }
}
