import ScrubThumbnailsLogic
import ScrubTestSupport

// Synthetic pictures.
extension PosterImage {
    /// The color of each place.
    init(_ width: Int, _ height: Int, _ color: (_ x: Int, _ y: Int) -> (Int, Int, Int)) {
        var bytes: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                let (red, green, blue) = color(x, y)
                bytes += [red, green, blue].map { UInt8($0) }
            }
        }
        self.init(width: width, height: height, bytes: bytes)
    }

    static func flat(_ value: Int) -> PosterImage { PosterImage(160, 90) { _, _ in (value, value, value) } }

    static func checkerboard(low: Int = 40, high: Int = 210, size: Int = 4) -> PosterImage {
        PosterImage(160, 90) { x, y in
            let value = (x / size + y / size).isMultiple(of: 2) ? low : high
            return (value, value, value)
        }
    }

    /// From black at the left to white at the right.
    static var gradient: PosterImage {
        PosterImage(160, 90) { x, _ in (x * 255 / 159, x * 255 / 159, x * 255 / 159) }
    }

    static func noise(_ seed: UInt64, _ width: Int = 160, _ height: Int = 90) -> PosterImage {
        var random = SplitMix(seed)
        return PosterImage(width, height) { _, _ in
            let bits = random.next()
            return (Int(bits & 255), Int(bits >> 8 & 255), Int(bits >> 16 & 255))
        }
    }

    /// A scene of soft colored waves and some texture: not the same for any two seeds.
    static func scene(_ seed: UInt64) -> PosterImage {
        var random = SplitMix(seed)
        let base = (0..<9).map { _ in Int.random(in: 20...110, using: &random) }
        let steps = (0..<3).map { _ in Int.random(in: 13...61, using: &random) }
        return PosterImage(160, 90) { x, y in
            let grain = Int(random.next() & 15)
            let left = x < steps[0] * 2
            let top = y < steps[1]
            return (
                base[0] + (left ? base[1] : 0) + grain, base[3] + (top ? base[4] : 0) + grain,
                base[6] + (left != top ? base[7] : x / 2) + grain
            )
        }
    }

    /// The color at a place.
    func color(_ x: Int, _ y: Int) -> (Int, Int, Int) {
        let place = (y * width + x) * 3
        return (Int(bytes[place]), Int(bytes[place + 1]), Int(bytes[place + 2]))
    }

    /// The picture with every pixel changed.
    func mapped(_ change: (_ x: Int, _ y: Int, _ color: (Int, Int, Int)) -> (Int, Int, Int)) -> PosterImage {
        PosterImage(width, height) { x, y in
            let place = (y * width + x) * 3
            return change(x, y, (Int(bytes[place]), Int(bytes[place + 1]), Int(bytes[place + 2])))
        }
    }

    /// Black rows at the top and bottom, and black columns at the sides.
    func barred(top: Int = 0, bottom: Int = 0, side: Int = 0) -> PosterImage {
        mapped { x, y, color in
            let isInside = y >= top && y < height - bottom && x >= side && x < width - side
            return isInside ? color : (2, 2, 2)
        }
    }

    /// The mean over the `2 * radius + 1` square around each pixel, edges repeated.
    func blurred(_ radius: Int) -> PosterImage {
        PosterImage(width, height) { x, y in
            var sums = [0, 0, 0]
            for dy in -radius...radius {
                for dx in -radius...radius {
                    let (column, row) = (min(max(x + dx, 0), width - 1), min(max(y + dy, 0), height - 1))
                    for channel in 0..<3 { sums[channel] += Int(bytes[(row * width + column) * 3 + channel]) }
                }
            }
            let count = (2 * radius + 1) * (2 * radius + 1)
            return (sums[0] / count, sums[1] / count, sums[2] / count)
        }
    }

    /// Strokes as wide as those of large letters in a band of rows, with soft edges.
    func titled(row: Int, height: Int, luma: Int = 235) -> PosterImage {
        mapped { x, y, color in
            guard y >= row, y < row + height, x >= 20, x < 140, x % 14 < 7 else { return color }
            if x % 14 == 0 || x % 14 == 6 {
                return ((color.0 + luma) / 2, (color.1 + luma) / 2, (color.2 + luma) / 2)
            }
            return (luma, luma, luma)
        }
    }

    /// White strokes with dark gaps in a band of rows, as letters have them.
    func captioned(row: Int, height: Int) -> PosterImage {
        mapped { x, y, color in
            guard y >= row, y < row + height, x >= 30, x < 130 else { return color }
            return x % 4 < 2 ? (240, 240, 240) : (10, 10, 10)
        }
    }
}
