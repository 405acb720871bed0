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
            // Times are integers, so a frame's time is at most f * duration exactly when it is at most its floor.
            return (frame(atOffset: max(fraction, .zero).scaledDown(duration)), fraction < .zero)
        case .timecode(let label):
            return try FrameTimecodes(self, isDropFrame: label.isDropFrame).frame(at: label)
        case .time(let seconds):
            let units = Int128(seconds.numerator) * Int128(facts.timeBase.denominator)
            let unit = Int128(seconds.denominator) * Int128(facts.timeBase.numerator)
            let offset = Rational.floor(units, unit)
            // The exact time, not the floored one, decides what is outside.
            let end = Int128(duration)
            let isClamped = offset < 0 || offset > end || (offset == end && units != offset * unit)
            return (frame(atOffset: max(offset, 0)), isClamped)
        }
    }
}
