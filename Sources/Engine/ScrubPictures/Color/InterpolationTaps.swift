/// The four neighbors and their weights for every position of a line that is enlarged.
///
/// The kernel is the Catmull-Rom spline: it passes through the samples, keeps edges, and reproduces flat areas and
/// ramps exactly.
struct InterpolationTaps {
    /// The first of four consecutive neighbors; may be outside the line, where the edge sample is repeated.
    private(set) var first: [Int] = []
    private(set) var weights: [SIMD4<Float>] = []

    /// - Parameters:
    ///   - count: the number of positions to compute.
    ///   - scale: the number of source samples per position.
    ///   - origin: the source coordinate of position 0; sample i is at coordinate i.
    init(count: Int, scale: Double, origin: Double) {
        first.reserveCapacity(count)
        weights.reserveCapacity(count)
        for i in 0..<count {
            let place = Double(i) * scale + origin
            let whole = place.rounded(.down)
            first.append(Int(whole) - 1)
            weights.append(Self.weights(at: place - whole))
        }
    }

    /// Returns the taps of a line of `input` samples stretched over `output` positions, pixel edges on pixel edges.
    static func stretching(_ input: Int, to output: Int) -> InterpolationTaps {
        let scale = Double(input) / Double(output)
        return InterpolationTaps(count: output, scale: scale, origin: (scale - 1) / 2)
    }

    private static func weights(at t: Double) -> SIMD4<Float> {
        let (t2, t3) = (t * t, t * t * t)
        return SIMD4<Float>(
            SIMD4(-t + 2 * t2 - t3, 2 - 5 * t2 + 3 * t3, t + 4 * t2 - 3 * t3, t3 - t2) / 2)
    }
}
