internal import Glibc

/// BlurHash: a picture as about 20 to 30 characters, from which a browser paints a blurred placeholder.
///
/// It is the public algorithm of blurha.sh: a two-dimensional cosine transform of the linear colors, of which a few
/// components are kept, quantized and written in base 83. It does not contain the aspect ratio; the program that paints
/// it must know the size.
package enum BlurHash {
    /// Returns the hash of a picture, `4 + 2 * componentsX * componentsY` characters of ASCII that are safe in JSON.
    ///
    /// Reduce the picture first: more than about 100 pixels cost time without a visible effect. The colors are treated
    /// as sRGB.
    ///
    /// - Precondition: both numbers of components are in 1...9.
    package static func encode(_ image: PosterImage, componentsX: Int = 4, componentsY: Int = 3) -> String {
        precondition(
            (1...9).contains(componentsX) && (1...9).contains(componentsY),
            "BlurHash has 1 to 9 components in each direction")
        let factors = components(of: image, columns: componentsX, rows: componentsY)
        let varying = factors.dropFirst()
        let greatest = varying.reduce(0) { max($0, abs($1.red), abs($1.green), abs($1.blue)) }
        let step = varying.isEmpty ? 0 : min(max(Int((greatest * 166 - 0.5).rounded(.down)), 0), 82)
        let scale = varying.isEmpty ? 1 : Double(step + 1) / 166

        var text = ""
        append(componentsX - 1 + (componentsY - 1) * 9, digits: 1, to: &text)
        append(step, digits: 1, to: &text)
        let mean = factors[0]
        append(coded(mean.red) << 16 | coded(mean.green) << 8 | coded(mean.blue), digits: 4, to: &text)
        for factor in varying {
            let red = quantized(factor.red / scale)
            let green = quantized(factor.green / scale)
            append((red * 19 + green) * 19 + quantized(factor.blue / scale), digits: 2, to: &text)
        }
        return text
    }

    /// A component's amplitude in each color, in linear light.
    private struct Factor {
        var red = 0.0
        var green = 0.0
        var blue = 0.0

        mutating func add(_ other: Factor, times weight: Double) {
            red += other.red * weight
            green += other.green * weight
            blue += other.blue * weight
        }
    }

    /// Returns the amplitudes row by row. The transform is separable: first along each row, then down the columns.
    private static func components(of image: PosterImage, columns: Int, rows: Int) -> [Factor] {
        let (width, height) = (image.width, image.height)
        let light = (0...255).map { linear(Double($0) / 255) }
        let across = waves(columns, over: width)
        let down = waves(rows, over: height)
        let bytes = image.bytes.span
        var factors = [Factor](repeating: Factor(), count: columns * rows)
        var line = [Factor](repeating: Factor(), count: width)
        for y in 0..<height {
            for x in 0..<width {
                let place = (y * width + x) * 3
                line[x].red = light[Int(bytes[place])]
                line[x].green = light[Int(bytes[place + 1])]
                line[x].blue = light[Int(bytes[place + 2])]
            }
            for i in 0..<columns {
                var sum = Factor()
                for x in 0..<width { sum.add(line[x], times: across[i * width + x]) }
                for j in 0..<rows { factors[j * columns + i].add(sum, times: down[j * height + y]) }
            }
        }
        let count = Double(width * height)
        return factors.enumerated().map { index, factor in
            var result = Factor()
            result.add(factor, times: (index == 0 ? 1 : 2) / count)
            return result
        }
    }

    /// Returns cos(π · i · x / length) for `count` values of i, each over the whole length.
    private static func waves(_ count: Int, over length: Int) -> [Double] {
        (0..<count).flatMap { i in (0..<length).map { x in cos(Double.pi * Double(i * x) / Double(length)) } }
    }

    /// Converts an sRGB value to linear light (IEC 61966-2-1).
    private static func linear(_ value: Double) -> Double {
        value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    /// Converts linear light to an sRGB byte.
    private static func coded(_ light: Double) -> Int {
        let light = PictureMeasures.unit(light)
        let value = light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
        return Int(value * 255 + 0.5)
    }

    /// Converts an amplitude in -1...1 to 0...18 on a square-root scale.
    private static func quantized(_ value: Double) -> Int {
        let root = abs(value).squareRoot() * (value < 0 ? -1 : 1)
        return min(max(Int((root * 9 + 9.5).rounded(.down)), 0), 18)
    }

    private static let alphabet = Array(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~")

    /// Appends a number in base 83, the most significant digit first.
    private static func append(_ value: Int, digits: Int, to text: inout String) {
        var divisor = 1
        for _ in 1..<max(digits, 1) { divisor *= 83 }
        while divisor > 0 {
            text.append(alphabet[value / divisor % 83])
            divisor /= 83
        }
    }
}
