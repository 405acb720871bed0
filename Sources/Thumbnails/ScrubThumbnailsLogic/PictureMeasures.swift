internal import Glibc

/// The formulas for the scores, one function each. ``PosterScores/Criterion`` documents them for users.
enum PictureMeasures {
    /// Returns the variance of the four-neighbor Laplacian over all interior pixels, in squared luma steps.
    static func laplacianVariance(_ plane: LumaPlane) -> Double {
        let (width, height) = (plane.width, plane.height)
        guard width > 2 && height > 2 else { return 0 }
        let values = plane.values.span
        var (sum, squares) = (0, 0)
        for y in 1..<height - 1 {
            for place in y * width + 1..<(y + 1) * width - 1 {
                let around = Int(values[place - 1]) + Int(values[place + 1]) + Int(values[place - width])
                let value = around + Int(values[place + width]) - 4 * Int(values[place])
                sum += value
                squares += value * value
            }
        }
        let count = Double((width - 2) * (height - 2))
        let mean = Double(sum) / count
        return max(0, Double(squares) / count - mean * mean)
    }

    static func sharpness(_ plane: LumaPlane) -> Double {
        let variance = laplacianVariance(plane)
        return variance / (variance + 400)
    }

    static func exposure(_ histogram: LumaHistogram) -> Double {
        let offset = (histogram.mean - 127.5) / 127.5
        let clipped = histogram.share(0...8) + histogram.share(247...255)
        return unit((1 - offset * offset) * (1 - clipped))
    }

    static func contrast(_ histogram: LumaHistogram) -> Double {
        unit(Double(histogram.percentile(95) - histogram.percentile(5)) / 204)
    }

    static func entropy(_ histogram: LumaHistogram) -> Double {
        // A negative zero for a single value would be printed as such.
        unit(histogram.frequencies.reduce(0) { $0 - $1 * log2($1) } / 8)
    }

    static func fade(_ histogram: LumaHistogram, spread: Double) -> Double {
        let darkness = 1 - Double(histogram.percentile(95)) / 80
        let lightness = (Double(histogram.percentile(5)) - 175) / 80
        let uniformity = 1 - spread / 24
        return unit(max(darkness, lightness, uniformity))
    }

    /// Clamps a number to 0...1.
    static func unit(_ value: Double) -> Double { min(max(value, 0), 1) }
}

/// The result of one pass over the colors of a part of a picture.
struct ColorMeasures {
    /// Hasler and Süsstrunk's M.
    let colorfulness: Double
    /// The greatest standard deviation of red, green and blue, 0...127.5.
    let spread: Double

    /// Measures the colors of a picture.
    ///
    /// - Parameter without: rows to ignore, relative to the area; not all of them.
    init(_ image: PosterImage, in area: LumaArea, without left: Set<Int> = []) {
        let bytes = image.bytes.span
        var (red, green, blue) = (Moments(), Moments(), Moments())
        var (redGreen, yellowBlue) = (Moments(), Moments())
        for y in area.rows where !left.contains(y - area.rows.lowerBound) {
            var place = (y * image.width + area.columns.lowerBound) * 3
            for _ in area.columns {
                let (r, g, b) = (Int(bytes[place]), Int(bytes[place + 1]), Int(bytes[place + 2]))
                place += 3
                red.add(r)
                green.add(g)
                blue.add(b)
                redGreen.add(r - g)
                // Twice the yellow-blue axis, (R + G) / 2 - B, to stay in integers.
                yellowBlue.add(r + g - 2 * b)
            }
        }
        let count = Double(area.width * (area.height - left.count))
        let (a, b) = (redGreen.statistics(count), yellowBlue.statistics(count))
        colorfulness =
            (a.variance + b.variance / 4).squareRoot() + 0.3 * (a.mean * a.mean + b.mean * b.mean / 4).squareRoot()
        spread = [red, green, blue].map { $0.statistics(count).variance }.reduce(0, max).squareRoot()
    }

    /// Sums for a mean and a variance, exact in integers.
    private struct Moments {
        private var sum = 0
        private var squares = 0

        mutating func add(_ value: Int) {
            sum += value
            squares += value * value
        }

        func statistics(_ count: Double) -> (mean: Double, variance: Double) {
            let mean = Double(sum) / count
            return (mean, max(0, Double(squares) / count - mean * mean))
        }
    }
}
