internal import ScrubBase

/// The path from the fraction where a gesture began to the one it has reached.
///
/// The movement counts from an anchor, not from event to event. Without fine speeds, the result depends only on the
/// newest event. A finger that has left the range at one end must come all the way back before the position changes.
struct DragPath: Hashable, Sendable {
    /// One position of the finger.
    struct Step: Hashable, Sendable {
        /// Points to the right of where the gesture began.
        var x: Rational
        /// The width in points that represents the whole duration, above 0.
        var width: Rational
        /// The fraction of the movement that counts at this position.
        var speed: Rational
    }

    /// The position where the gesture began, in 0...1.
    let begin: Rational
    private var anchor: Rational
    private var anchorX = Rational.zero
    private var speed = Rational.one
    private var fraction: Rational
    private var x = Rational.zero

    init(begin: Rational) {
        self.begin = begin.clamped(to: .zero ... .one)
        anchor = self.begin
        fraction = self.begin
    }

    /// Moves to a step, and returns the fraction there.
    ///
    /// If the speed has changed, the last fraction and position become the new anchor, so that the position does not
    /// jump.
    mutating func move(to step: Step) -> Rational {
        if step.speed != speed {
            (anchor, anchorX, speed) = (fraction, x, step.speed)
        }
        x = step.x
        fraction = exactFraction(width: step.width) ?? coarseFraction(width: step.width)
        return fraction
    }

    /// Returns anchor + (x - anchorX) * speed / width within 0...1, or `nil` if an intermediate result has too many
    /// digits.
    private func exactFraction(width: Rational) -> Rational? {
        x.subtracting(anchorX)?.multiplied(by: speed)?.divided(by: width)?
            // Beyond 1, it is at one end or the other, whatever the anchor.
            .clamped(to: Rational(-1)...Rational(1)).adding(anchor)?.clamped(to: .zero ... .one)
    }

    /// Returns the same from rounded values, to 2^-40 of the duration: 33 ns in ten hours.
    private func coarseFraction(width: Rational) -> Rational {
        // A millionth of a point and a million points exceed any screen. All products stay below 2^106.
        let fine: Int64 = 1 << 20
        let points = Rational(-fine)...Rational(fine)
        let distance = x.clamped(to: points).scaledDown(fine) - anchorX.clamped(to: points).scaledDown(fine)
        let whole = max(min(width, points.upperBound).scaledDown(fine), 1)
        let factor = max(speed.scaledDown(1 << 24), 1)
        let parts: Int64 = 1 << 40
        let moved = Rational.floor(distance * factor * Int128(parts), whole << 24)
        let sum = anchor.scaledDown(parts) + moved
        return Rational(Int64(min(max(sum, 0), Int128(parts))), parts)
    }
}
