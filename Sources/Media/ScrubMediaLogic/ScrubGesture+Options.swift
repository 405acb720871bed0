public import ScrubBase

extension ScrubGesture {
    /// Options for a gesture.
    ///
    /// Thread safety: a value type.
    public struct Options: Hashable, Sendable {
        /// Whether a cancelled or failed gesture returns to its starting position. If false, the medium stays where the
        /// last seek landed.
        public var returnsOnCancel: Bool
        /// The slower speeds that apply when the finger is farther above or below its starting point. Their order does
        /// not matter. Empty by default.
        public var fineSpeeds: [FineSpeed]

        /// Creates options. The defaults are for a plain pan.
        public init(returnsOnCancel: Bool = false, fineSpeeds: [FineSpeed] = []) {
            self.returnsOnCancel = returnsOnCancel
            self.fineSpeeds = fineSpeeds
        }

        /// Returns the factor for a finger that is `y` above or below its starting point: that of the farthest distance
        /// it has reached.
        func speed(at y: Rational) -> Rational {
            let distance = y.magnitude
            let reached = fineSpeeds.filter { $0.distance <= distance }
            return reached.max { $0.distance < $1.distance }?.factor ?? .one
        }
    }

    /// A scrubbing speed that applies at or beyond a given vertical distance.
    ///
    /// Thread safety: a value type.
    public struct FineSpeed: Hashable, Sendable {
        /// The minimum vertical distance from the start of the gesture, in points, at which the speed applies.
        public let distance: Rational
        /// The factor by which the finger's movement is multiplied.
        public let factor: Rational

        /// Creates a speed.
        ///
        /// - Precondition: `distance` is not negative; `factor` is greater than 0 and at most 1.
        public init(distance: Rational, factor: Rational) {
            precondition(distance >= .zero, "the distance is \(distance): use 0 or more")
            precondition(
                factor > .zero && factor <= .one, "the speed factor is \(factor): use a value above 0, up to 1")
            self.distance = distance
            self.factor = factor
        }

        /// Half speed from 50 points, a quarter from 100, and a tenth from 150. These distances are within a thumb's
        /// reach.
        public static let phone = [
            FineSpeed(distance: Rational(50), factor: Rational(1, 2)),
            FineSpeed(distance: Rational(100), factor: Rational(1, 4)),
            FineSpeed(distance: Rational(150), factor: Rational(1, 10)),
        ]
    }
}
