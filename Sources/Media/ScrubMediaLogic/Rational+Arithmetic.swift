internal import ScrubBase

extension Rational {
    func clamped(to range: ClosedRange<Rational>) -> Rational { min(max(self, range.lowerBound), range.upperBound) }

    /// Creates a ratio from a value of the user interface, in steps of 1/1024. NaN becomes 0, and values that are too
    /// large are clamped.
    init(points: Double) {
        let limit = 0x1p50
        let steps = points.isNaN || points.isInfinite ? 0 : (points * 1024).rounded()
        self.init(Int64(min(max(steps, -limit), limit)), 1024)
    }
}
