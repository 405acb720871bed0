public import ScrubBase

extension ScrubGesture {
    /// The finger's offset from the start of the pan, in points. Right and down are positive.
    ///
    /// Thread safety: a value type.
    public struct Translation: Hashable, Sendable {
        /// The horizontal offset.
        public var x: Rational
        /// The vertical offset.
        public var y: Rational

        /// No movement.
        public static let zero = Translation(x: .zero, y: .zero)

        /// Creates a translation from exact values. Numeric literals select the initializer that takes `Double`.
        @_disfavoredOverload
        public init(x: Rational, y: Rational) {
            self.x = x
            self.y = y
        }

        /// Creates a translation from a pan recognizer's values, rounded to 1/1024 point.
        ///
        /// Values that are not finite become 0, and values beyond 2^40 points are clamped, so that no input event can
        /// cause a trap.
        public init(x: Double, y: Double) {
            self.init(x: Rational(points: x), y: Rational(points: y))
        }
    }

    /// Returns whether a pan that has moved this far should scrub, that is, whether it is mostly horizontal: |x| > |y|.
    ///
    /// A recognizer calls this before it begins, so that a vertical pan can still scroll a list of videos.
    public static func shouldBegin(translation: Translation) -> Bool {
        translation.x.magnitude > translation.y.magnitude
    }
}
