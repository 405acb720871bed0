/// BT.601 YCbCr of 8 bits with color at half the resolution both ways, for encoders that take planes.
///
/// Rounding the three codes individually can make a decoded color differ from the intended one by 1.4 codes with full
/// range, or by 1.6 with limited range. A step of Cb alone is two codes of blue. So in a block of 2 x 2 pixels that is
/// flat, the codes whose decoded red, green, and blue are nearest are used. Elsewhere each is rounded individually,
/// since choices that vary from block to block would add noise to gradients.
///
/// Cost: one pass, about 8 ns per pixel. Memory: 1.5 bytes per pixel.
struct SubsampledPlanes {
    let luma: [UInt8]
    /// Cb and Cr, in rows of ``chromaWidth``.
    let blue: [UInt8]
    let red: [UInt8]
    let chromaWidth: Int
    let chromaHeight: Int

    /// - Precondition: the picture is RGB with 8 bits and no alpha.
    init(_ image: RasterImage, isFullRange: Bool) {
        precondition(image.channels == 3 && image.bitDepth == 8, "planes can only be made from opaque RGB")
        let (width, height) = (image.width, image.height)
        (chromaWidth, chromaHeight) = ((width + 1) / 2, (height + 1) / 2)
        let levels = isFullRange ? Levels(black: 0, luma: 255, chroma: 255) : Levels(black: 16, luma: 219, chroma: 224)
        var luma = [UInt8](repeating: 0, count: width * height)
        var blue = [UInt8](repeating: 0, count: chromaWidth * chromaHeight)
        var red = blue
        let source = image.bytes.span
        var lumaOut = luma.mutableSpan
        var blueOut = blue.mutableSpan
        var redOut = red.mutableSpan
        func pixel(_ x: Int, _ y: Int) -> SIMD4<Float> {
            let at = (y &* width &+ x) &* 3
            return unsafe SIMD4(
                Float(source[unchecked: at]), Float(source[unchecked: at &+ 1]), Float(source[unchecked: at &+ 2]), 0)
        }
        for row in 0..<chromaHeight {
            let (top, bottom) = (2 * row, min(2 * row + 1, height - 1))
            for column in 0..<chromaWidth {
                let (left, right) = (2 * column, min(2 * column + 1, width - 1))
                let (a, b) = (pixel(left, top), pixel(right, top))
                let (c, d) = (pixel(left, bottom), pixel(right, bottom))
                let place = row * chromaWidth + column
                if a == b, a == c, a == d {
                    let codes = levels.nearest(a)
                    (blueOut[place], redOut[place]) = (codes.blue, codes.red)
                    for at in [top * width + left, top * width + right, bottom * width + left, bottom * width + right] {
                        lumaOut[at] = codes.luma
                    }
                    continue
                }
                let differences = levels.differences((a + b + c + d) * 0.25)
                blueOut[place] = UInt8(max(0, min(255, (differences.blue + 0.5))))
                redOut[place] = UInt8(max(0, min(255, (differences.red + 0.5))))
                lumaOut[top * width + left] = levels.luma(of: a)
                lumaOut[top * width + right] = levels.luma(of: b)
                lumaOut[bottom * width + left] = levels.luma(of: c)
                lumaOut[bottom * width + right] = levels.luma(of: d)
            }
        }
        (self.luma, self.blue, self.red) = (luma, blue, red)
    }
}

/// The arithmetic between RGB and BT.601's codes (ISO/IEC 23091-2, equations 20 to 46 with matrix 6).
private struct Levels {
    /// The code of black, the number of codes between black and white, and that between the extremes of a difference.
    var black: Float
    var luma: Float
    var chroma: Float

    private static let (redWeight, greenWeight, blueWeight): (Float, Float, Float) = (0.299, 0.587, 0.114)
    /// The factors: red minus luma is Cr times the first, blue minus luma is Cb times the second.
    private static let (redSpan, blueSpan): (Float, Float) = (1.402, 1.772)

    private func brightness(_ c: SIMD4<Float>) -> Float {
        Self.redWeight * c.x + Self.greenWeight * c.y + Self.blueWeight * c.z
    }

    func luma(of color: SIMD4<Float>) -> UInt8 { UInt8(black + brightness(color) * (luma / 255) + 0.5) }

    /// Returns Cb and Cr in codes, not rounded.
    func differences(_ color: SIMD4<Float>) -> (blue: Float, red: Float) {
        let y = brightness(color)
        return (
            128 + (color.z - y) / Self.blueSpan * (chroma / 255), 128 + (color.x - y) / Self.redSpan * (chroma / 255)
        )
    }

    /// Returns the codes whose color is nearest, by the greatest difference of red, green and blue.
    func nearest(_ color: SIMD4<Float>) -> (luma: UInt8, blue: UInt8, red: UInt8) {
        let wanted = differences(color)
        var best: (luma: Float, blue: Float, red: Float) = (0, 0, 0)
        var least = Float.infinity
        for blue in [wanted.blue.rounded(.down), wanted.blue.rounded(.down) + 1] where blue <= 255 {
            for red in [wanted.red.rounded(.down), wanted.red.rounded(.down) + 1] where red <= 255 {
                let cb = (blue - 128) * (255 / chroma) * Self.blueSpan
                let cr = (red - 128) * (255 / chroma) * Self.redSpan
                let green = (cb * Self.blueWeight + cr * Self.redWeight) / Self.greenWeight
                // The ideal values of luma for each of the three channels: the middle one is best overall.
                let needs = SIMD3(color.x - cr, color.y + green, color.z - cb)
                let middle = (needs.max() + needs.min()) / 2
                let code = max(black, min(black + luma, (black + middle * (luma / 255)).rounded()))
                let shown = (code - black) * (255 / luma)
                let error = max(needs.max() - shown, shown - needs.min())
                if error < least { (least, best) = (error, (code, blue, red)) }
            }
        }
        return (UInt8(best.luma), UInt8(best.blue), UInt8(best.red))
    }
}
