public import ScrubBase

extension ScrubGesture {
    /// Options for a gesture.
    ///
    /// Thread safety: a value type.
    public struct Options: Hashable, Sendable {
        /// Whether a cancelled or failed gesture returns to its starting position. If false, the medium stays where the
        /// last seek landed.
        public var returnsOnCancel: Bool
        /// Slower speeds for a finger that is farther up or down, in any order. Empty by default.
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

    /// A speed that applies beyond a given vertical distance.
    ///
    /// Thread safety: a value type.
    public struct FineSpeed: Hashable, Sendable {
        /// The minimum distance in points above or below the start of the gesture at which the speed applies.
        public let distance: Rational
        /// The fraction of the finger's movement that counts.
        public let factor: Rational

        /// Creates a speed.
        ///
        /// - Precondition: `distance` is not negative; `factor` is above 0 and at most 1.
        public init(distance: Rational, factor: Rational) {
            precondition(distance >= .zero, "a distance of \(distance): use 0 or more")
            precondition(
                factor > .zero && factor <= .one, "a speed factor of \(factor): use one above 0 and at most 1")
            self.distance = distance
            self.factor = factor
        }

        /// Half speed at 50 points or more, a quarter at 100, a tenth at 150: within a thumb's reach.
        public static let phone = [
            FineSpeed(distance: Rational(50), factor: Rational(1, 2)),
            FineSpeed(distance: Rational(100), factor: Rational(1, 4)),
            FineSpeed(distance: Rational(150), factor: Rational(1, 10)),
        ]
    }
}
