package import ScrubBase

extension FrameIndex {
    /// The frame that a position names.
    ///
    /// - Returns: the frame number, and whether the position lay outside the presentation and was clamped.
    /// - Throws: ``ScrubError/Code/usage`` for a frame number that does not exist.
    package func resolve(_ position: Position) throws(ScrubError) -> (frame: Int, isClamped: Bool) {
        switch position {
        case .frame(let number):
            let frame = number < 0 ? frameCount + number : number
            guard (0..<frameCount).contains(frame) else {
                throw ScrubError(
                    .usage, "there is no frame \(number)", advice: "frames are f0 to f\(frameCount - 1)")
            }
            return (frame, false)
        case .fraction(let fraction):
            if fraction >= .one { return (frameCount - 1, fraction > .one) }
            if fraction <= .zero { return (0, fraction < .zero) }
            // Times are integers, so a frame's time is at most f * duration exactly when it is at most its floor.
            return (frame(atOffset: fraction.scaledDown(duration)), false)
        case .time(let seconds):
            let offset = Rational.floor(
                Int128(seconds.numerator) * Int128(facts.timeBase.denominator),
                Int128(seconds.denominator) * Int128(facts.timeBase.numerator))
            let isClamped = offset < 0 || offset > Int128(duration)
            return (frame(atOffset: offset), isClamped)
        }
    }
}
