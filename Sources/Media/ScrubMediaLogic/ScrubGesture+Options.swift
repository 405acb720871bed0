public import ScrubBase

extension ScrubGesture {
    /// Options for a gesture.
    ///
    /// Thread safety: a value.
    public struct Options: Hashable, Sendable {
        /// Whether a gesture that is cancelled or fails goes back to where it began. False leaves the medium where the
        /// last seek landed.
        public var returnsOnCancel: Bool
        /// Slower speeds for a finger that is further up or down, in any order. None by default.
        public var fineSpeeds: [FineSpeed]

        /// Makes options; the defaults are those of a plain pan.
        public init(returnsOnCancel: Bool = false, fineSpeeds: [FineSpeed] = []) {
            self.returnsOnCancel = returnsOnCancel
            self.fineSpeeds = fineSpeeds
        }

        /// Returns the factor for a finger that is `y` above or below the place where it began: that of the furthest
        /// distance it has reached.
        func speed(at y: Rational) -> Rational {
            let distance = y.magnitude
            let reached = fineSpeeds.filter { $0.distance <= distance }
            return reached.max { $0.distance < $1.distance }?.factor ?? .one
        }
    }

    /// A speed that holds from a vertical distance on.
    ///
    /// Thread safety: a value.
    public struct FineSpeed: Hashable, Sendable {
        /// Points above or below the place where the gesture began, from which the speed holds.
        public let distance: Rational
        /// The part of the finger's movement that counts.
        public let factor: Rational

        /// Makes a speed.
        ///
        /// - Precondition: `distance` is not negative; `factor` is above 0 and at most 1.
        public init(distance: Rational, factor: Rational) {
            precondition(distance >= .zero, "a distance of \(distance): give 0 or more")
            precondition(
                factor > .zero && factor <= .one, "a speed factor of \(factor): give one above 0 and at most 1")
            self.distance = distance
            self.factor = factor
        }

        /// Half the speed from 50 points on, a quarter from 100, a tenth from 150: within a thumb's reach.
        public static let phone = [
            FineSpeed(distance: Rational(50), factor: Rational(1, 2)),
            FineSpeed(distance: Rational(100), factor: Rational(1, 4)),
            FineSpeed(distance: Rational(150), factor: Rational(1, 10)),
        ]
    }
}
