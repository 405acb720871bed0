internal import Glibc

/// ThumbHash: a picture as at most 25 bytes, for a placeholder that keeps the aspect ratio.
///
/// It is the public format of evanw/thumbhash for opaque pictures. Lightness, yellow-blue and red-green are transformed
/// by cosines. The low frequencies are kept in 4 bits each, with more of them for lightness and along the longer side.
///
/// | bits | contents |
/// |---|---|
/// | 6, 6, 6 | means of lightness, yellow-blue, red-green |
/// | 5, 1 | the maximum lightness amplitude; 0 for "no alpha" |
/// | 3, 6, 6, 1 | components along the shorter side, the two other maximum amplitudes, whether it is landscape |
/// | 4 each | amplitudes: lightness, yellow-blue, red-green; rows of a triangle, without the constant one |
package enum ThumbHash {
    /// Returns the hash of a picture; those above 100 by 100 pixels are first reduced, as the format requires.
    package static func encode(_ image: PosterImage) -> [UInt8] {
        let image = image.fitting(100)
        let (width, height) = (image.width, image.height)
        let longest = Double(max(width, height))
        let columns = max(1, Int((7 * Double(width) / longest).rounded()))
        let rows = max(1, Int((7 * Double(height) / longest).rounded()))

        let planes = Planes(image)
        let light = Channel(planes.light, image, columns: max(3, columns), rows: max(3, rows))
        let yellow = Channel(planes.yellow, image, columns: 3, rows: 3)
        let red = Channel(planes.red, image, columns: 3, rows: 3)

        let isLandscape = width > height
        let head =
            steps(63, light.mean) | steps(63, 0.5 + yellow.mean / 2) << 6 | steps(63, 0.5 + red.mean / 2) << 12
            | steps(31, light.scale) << 18
        let shape =
            (isLandscape ? rows : columns) | steps(63, yellow.scale) << 3 | steps(63, red.scale) << 9
            | (isLandscape ? 1 : 0) << 15
        var hash = [head, head >> 8, head >> 16, shape, shape >> 8].map { UInt8($0 & 255) }
        let amplitudes = [light, yellow, red].flatMap(\.amplitudes).map { UInt8(steps(15, $0)) }
        for place in stride(from: 0, to: amplitudes.count, by: 2) {
            let high = place + 1 < amplitudes.count ? amplitudes[place + 1] : 0
            hash.append(amplitudes[place] | high << 4)
        }
        return hash
    }

    /// Converts a number in 0...1 to the nearest whole steps.
    ///
    /// An amplitude of zero is halfway between two steps; the margin selects the upper one, whatever the rounding
    /// errors of a machine's cosines.
    private static func steps(_ count: Double, _ value: Double) -> Int {
        Int((PictureMeasures.unit(value) * count + 0.5 + 1e-9).rounded(.down))
    }

    /// The picture in the format's three axes: lightness 0...1, the others -1...1.
    private struct Planes {
        var light: [Double] = []
        var yellow: [Double] = []
        var red: [Double] = []

        init(_ image: PosterImage) {
            for place in stride(from: 0, to: image.bytes.count, by: 3) {
                let r = Double(image.bytes[place]) / 255
                let g = Double(image.bytes[place + 1]) / 255
                let b = Double(image.bytes[place + 2]) / 255
                light.append((r + g + b) / 3)
                yellow.append((r + g) / 2 - b)
                red.append(r - g)
            }
        }
    }

    /// An axis in the frequency domain.
    private struct Channel {
        private(set) var mean = 0.0
        /// The maximum amplitude.
        private(set) var scale = 0.0
        /// Values in 0...1 with 0.5 for zero; all 0 without any amplitude.
        private(set) var amplitudes: [Double] = []

        init(_ values: [Double], _ image: PosterImage, columns: Int, rows: Int) {
            let (width, height) = (image.width, image.height)
            let across = (0..<columns).map { Channel.wave($0, over: width) }
            for j in 0..<rows {
                let down = Channel.wave(j, over: height)
                for i in 0..<columns where i * rows < columns * (rows - j) {
                    var sum = 0.0
                    for y in 0..<height {
                        var line = 0.0
                        for x in 0..<width { line += values[y * width + x] * across[i][x] }
                        sum += line * down[y]
                    }
                    let amplitude = sum / Double(width * height)
                    if i == 0 && j == 0 { mean = amplitude } else { amplitudes.append(amplitude) }
                }
            }
            scale = amplitudes.reduce(0) { max($0, abs($1)) }
            // Rounding errors of a flat picture are not amplitudes; when painted, both are the same, because their
            // scale is 0.
            let isFlat = scale < 1e-9
            let divisor = scale
            amplitudes = amplitudes.map { isFlat ? 0 : 0.5 + 0.5 / divisor * $0 }
        }

        private static func wave(_ frequency: Int, over length: Int) -> [Double] {
            (0..<length).map { cos(Double.pi / Double(length) * Double(frequency) * (Double($0) + 0.5)) }
        }
    }
}
