/// The rotation that makes a stored picture upright: one of eight.
///
/// The picture is mirrored left to right first (if needed), then rotated clockwise.
package struct Orientation: Sendable, Hashable {
    /// Clockwise quarter turns, 0 to 3.
    package let quarterTurns: Int
    /// Whether the stored picture is mirrored left to right before it is rotated.
    package let isMirrored: Bool
    /// Whether the matrix specified something else, and this is the nearest orientation that keeps pixels whole.
    package let isApproximate: Bool

    package static let upright = Orientation(quarterTurns: 0, isMirrored: false)

    /// - Parameter quarterTurns: any number; four are a full turn.
    package init(quarterTurns: Int, isMirrored: Bool, isApproximate: Bool = false) {
        self.quarterTurns = quarterTurns & 3
        self.isMirrored = isMirrored
        self.isApproximate = isApproximate
    }

    /// The clockwise rotation in degrees: 0, 90, 180, or 270.
    package var degreesClockwise: Int { quarterTurns * 90 }
    /// Whether width and height are swapped.
    package var swapsAxes: Bool { quarterTurns & 1 == 1 }
    /// Whether the picture is already upright.
    package var isUpright: Bool { quarterTurns == 0 && !isMirrored }

    /// Creates the orientation of a display matrix (ISO/IEC 14496-12 8.3.2.3).
    ///
    /// The nine numbers are row by row `a b u, c d v, x y w`. A stored point (p, q), q growing downwards, is shown at
    /// (ap + cq + x, bp + dq + y). Only a, b, c and d matter here. The picture's place does not, and a different scale
    /// of the two axes is part of the sample aspect ratio. Anything that is not a matrix (too few numbers, no area) is
    /// upright.
    package init(displayMatrix m: [Int32]) {
        guard m.count >= 5 else {
            self = .upright
            return
        }
        let (a, b, c, d) = (Double(m[0]), Double(m[1]), Double(m[3]), Double(m[4]))
        // Columns are the displayed axes. Each is normalized individually so that scaling is not mistaken for rotation.
        let (x, y) = ((a * a + c * c).squareRoot(), (b * b + d * d).squareRoot())
        guard x > 0, y > 0 else {
            self = .upright
            return
        }
        let wanted = SIMD4(a / x, b / y, c / x, d / y)
        var best = Orientation.upright
        var bestLikeness = -Double.infinity
        for mirrored in [false, true] {
            for turns in 0..<4 {
                let candidate = Orientation(quarterTurns: turns, isMirrored: mirrored)
                let likeness = (candidate.matrix * wanted).sum()
                if likeness > bestLikeness { (best, bestLikeness) = (candidate, likeness) }
            }
        }
        // An exact match is 2. Within one degree on both axes is what a right angle becomes through rounding: 2 cos 1
        // degree.
        self.init(
            quarterTurns: best.quarterTurns, isMirrored: best.isMirrored,
            isApproximate: bestLikeness < 1.9996)
    }

    /// The values a, b, c, and d of the display matrix, each 1, 0, or -1.
    private var matrix: SIMD4<Double> {
        let turned: SIMD4<Double> =
            switch quarterTurns {
            case 0: SIMD4(1, 0, 0, 1)
            case 1: SIMD4(0, 1, -1, 0)
            case 2: SIMD4(-1, 0, 0, -1)
            default: SIMD4(0, -1, 1, 0)
            }
        // Mirroring comes first and reverses p, which a and b multiply.
        return isMirrored ? turned * SIMD4(-1, -1, 1, 1) : turned
    }

    /// The integers that map a pixel of the displayed picture to the stored one.
    struct PixelMap: Equatable {
        /// Stored column = xx * column + xy * row + x0, and likewise for the stored row.
        var xx = 1, xy = 0, x0 = 0
        var yx = 0, yy = 1, y0 = 0
    }

    /// Returns the map from the displayed picture to a stored picture of the given size.
    func pixelMap(width: Int, height: Int) -> PixelMap {
        var map = PixelMap()
        switch quarterTurns {
        case 0: break
        case 1: map = PixelMap(xx: 0, xy: 1, x0: 0, yx: -1, yy: 0, y0: height - 1)
        case 2: map = PixelMap(xx: -1, xy: 0, x0: width - 1, yx: 0, yy: -1, y0: height - 1)
        default: map = PixelMap(xx: 0, xy: -1, x0: width - 1, yx: 1, yy: 0, y0: 0)
        }
        if isMirrored { (map.xx, map.xy, map.x0) = (-map.xx, -map.xy, width - 1 - map.x0) }
        return map
    }
}
