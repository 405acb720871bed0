/// The chromaticities of red, green, and blue in CIE 1931 x and y (ISO/IEC 23091-2 table 2).
struct Primaries {
    let red: SIMD2<Double>
    let green: SIMD2<Double>
    let blue: SIMD2<Double>
    let white: SIMD2<Double>

    /// The primaries of BT.709, which sRGB shares.
    static let bt709 = Primaries(
        SIMD2(0.640, 0.330), SIMD2(0.300, 0.600), SIMD2(0.150, 0.060), SIMD2(0.3127, 0.3290))

    private init(
        _ red: SIMD2<Double>, _ green: SIMD2<Double>, _ blue: SIMD2<Double>, _ white: SIMD2<Double>
    ) {
        self.red = red
        self.green = green
        self.blue = blue
        self.white = white
    }

    /// - Returns: `nil` for a code that is unspecified or not a set of three primaries.
    init?(_ code: UInt8) {
        let d65 = SIMD2(0.3127, 0.3290)
        let c = SIMD2(0.310, 0.316)
        switch code {
        case 1: self = .bt709
        case 4: self.init(SIMD2(0.67, 0.33), SIMD2(0.21, 0.71), SIMD2(0.14, 0.08), c)
        case 5: self.init(SIMD2(0.64, 0.33), SIMD2(0.29, 0.60), SIMD2(0.15, 0.06), d65)
        case 6, 7: self.init(SIMD2(0.630, 0.340), SIMD2(0.310, 0.595), SIMD2(0.155, 0.070), d65)
        case 8: self.init(SIMD2(0.681, 0.319), SIMD2(0.243, 0.692), SIMD2(0.145, 0.049), c)
        case 9: self.init(SIMD2(0.708, 0.292), SIMD2(0.170, 0.797), SIMD2(0.131, 0.046), d65)
        case 11: self.init(SIMD2(0.680, 0.320), SIMD2(0.265, 0.690), SIMD2(0.150, 0.060), SIMD2(0.314, 0.351))
        case 12: self.init(SIMD2(0.680, 0.320), SIMD2(0.265, 0.690), SIMD2(0.150, 0.060), d65)
        case 22: self.init(SIMD2(0.630, 0.340), SIMD2(0.295, 0.605), SIMD2(0.155, 0.077), d65)
        default: return nil
        }
    }

    /// CIE X, Y, and Z of red, green, and blue, scaled so that their sum is the white point with Y 1.
    private var lights: (red: SIMD3<Double>, green: SIMD3<Double>, blue: SIMD3<Double>) {
        func z(_ c: SIMD2<Double>) -> SIMD3<Double> { SIMD3(c.x, c.y, 1 - c.x - c.y) }
        let (r, g, b) = (z(red), z(green), z(blue))
        let share = Self.solve(r, g, b, z(white) / white.y)
        return (r * share.x, g * share.y, b * share.z)
    }

    /// The shares of red, green, and blue in the luminance of white; the sum is 1.
    var luminance: SIMD3<Double> { SIMD3(lights.red.y, lights.green.y, lights.blue.y) }

    /// Returns the rows of the matrix that converts linear RGB of these primaries to linear RGB of others.
    ///
    /// Gray stays gray even if the white points differ: each row is scaled to the sum 1.
    func rows(to target: Primaries) -> [SIMD3<Double>] {
        let (own, other) = (lights, target.lights)
        let columns = [own.red, own.green, own.blue].map { Self.solve(other.red, other.green, other.blue, $0) }
        return (0..<3).map { k in
            let row = SIMD3(columns[0][k], columns[1][k], columns[2][k])
            return row / row.sum()
        }
    }

    /// Returns the shares of three colors that add up to a fourth (Cramer's rule).
    private static func solve(
        _ a: SIMD3<Double>, _ b: SIMD3<Double>, _ c: SIMD3<Double>, _ sum: SIMD3<Double>
    ) -> SIMD3<Double> {
        func determinant(_ a: SIMD3<Double>, _ b: SIMD3<Double>, _ c: SIMD3<Double>) -> Double {
            a.x * (b.y * c.z - b.z * c.y) + a.y * (b.z * c.x - b.x * c.z) + a.z * (b.x * c.y - b.y * c.x)
        }
        return SIMD3(determinant(sum, b, c), determinant(a, sum, c), determinant(a, b, sum))
            / determinant(a, b, c)
    }
}
