public import ScrubBase

extension ScrubGesture {
    /// The distance of the finger from the beginning of the pan, in points; right and down are positive.
    ///
    /// Thread safety: a value.
    public struct Translation: Hashable, Sendable {
        /// To the right.
        public var x: Rational
        /// Downward.
        public var y: Rational

        /// No movement.
        public static let zero = Translation(x: .zero, y: .zero)

        /// Makes a translation from exact parts.
        /// Numbers that are written out take the one with `Double`.
        @_disfavoredOverload
        public init(x: Rational, y: Rational) {
            self.x = x
            self.y = y
        }

        /// Makes a translation from a pan recogniser's numbers, rounded to 1/1024 point.
        ///
        /// A part that is not finite becomes 0, and one beyond 2^40 points is cut: events of a user interface never
        /// trap.
        public init(x: Double, y: Double) {
            self.init(x: Rational(points: x), y: Rational(points: y))
        }
    }

    /// Whether a pan that has moved this far is one over the video, that is mostly horizontal: |x| > |y|.
    ///
    /// A recogniser asks before it begins, so that a list of videos can still be scrolled.
    public static func shouldBegin(translation: Translation) -> Bool {
        translation.x.magnitude > translation.y.magnitude
    }
}
