package import ScrubBase

extension FrameIndex {
    /// Returns the frame that a position names.
    ///
    /// - Parameter clampsFractions: takes the nearer end for a fraction outside 0...1, as gestures and scripts want it.
    /// - Returns: the frame number, and whether the position lay outside the presentation and was clamped.
    /// - Throws: ``ScrubError/Code/usage`` for a frame number that does not exist, and for a fraction outside 0...1.
    package func resolve(
        _ position: FramePosition, clampsFractions: Bool = false
    ) throws(ScrubError) -> (frame: Int, isClamped: Bool) {
        switch position {
        case .frame(let number):
            let frame = number < 0 ? frameCount + number : number
            guard (0..<frameCount).contains(frame) else {
                throw ScrubError(
                    .usage, "there is no frame \(number)", advice: "frames are f0 to f\(frameCount - 1)")
            }
            return (frame, false)
        case .fraction(let fraction):
            if !clampsFractions, let guess = outsideGuess(position) { throw guess.error }
            if fraction >= .one { return (frameCount - 1, fraction > .one) }
            // Times are integers, so a frame's time is at most f * duration exactly when it is at most its floor.
            return (frame(atOffset: max(fraction, .zero).scaledDown(duration)), fraction < .zero)
        case .timecode(let label):
            return try FrameTimecodes(self, isDropFrame: label.isDropFrame).frame(at: label)
        case .time(let seconds):
            return instant(seconds)
        case .roundedTime(let seconds, let decimals):
            return frame(afterRounded: seconds, decimals).map { ($0, false) } ?? instant(seconds)
        }
    }

    /// Returns the possible meanings of a fraction outside 0...1; `nil` for other positions.
    package func outsideGuess(_ position: FramePosition, text: String? = nil) -> OutsideGuess? {
        let length = Rational(checked: duration, 1)?.multiplied(by: facts.timeBase)
        return OutsideGuess(position, text: text, frameCount: frameCount, duration: length)
    }

    /// Returns the time from the beginning of the frame before a frame to its own, in time base units. Frames that
    /// share a time are one. `nil` for the first frame.
    package func lead(ofFrame frame: Int) -> Int64? {
        let own = time(ofFrame: frame)
        var before = frame - 1
        if before >= 0, time(ofFrame: before) == own {
            before = (0..<frame).partitioningIndex { time(ofFrame: $0) >= own } - 1
        }
        return before >= 0 ? distance(time(ofFrame: before), own) : nil
    }

    private func instant(_ seconds: Rational) -> (frame: Int, isClamped: Bool) {
        let (offset, rest) = units(seconds)
        // The exact time, not the floored one, decides what is outside.
        let end = Int128(duration)
        let isClamped = offset < 0 || offset > end || (offset == end && rest > 0)
        return (frame(atOffset: max(offset, 0)), isClamped)
    }

    /// Returns a time in whole time base units, rounded down, and the rest, in parts of `seconds.denominator *
    /// timeBase.numerator`.
    private func units(_ seconds: Rational) -> (whole: Int128, rest: Int128) {
        let units = Int128(seconds.numerator) * Int128(facts.timeBase.denominator)
        let unit = Int128(seconds.denominator) * Int128(facts.timeBase.numerator)
        let whole = Rational.floor(units, unit)
        return (whole, units - whole * unit)
    }

    /// Returns the first frame that begins less than one unit of the last decimal after a time, where none begins at
    /// that very time.
    private func frame(afterRounded seconds: Rational, _ decimals: Int) -> Int? {
        let (whole, rest) = units(seconds)
        let current = whole < 0 ? -1 : frame(atOffset: whole)
        guard current + 1 < frameCount, current < 0 || rest > 0 || Int128(offset(ofFrame: current)) != whole else {
            return nil
        }
        let next = Int128(offset(ofFrame: current + 1))
        // The next frame is (next - whole) * base - rest of its parts away: less than 10^-decimals seconds?
        let (numerator, denominator) = (Int128(facts.timeBase.numerator), Int128(facts.timeBase.denominator))
        let (far, isFar) = (next - whole).multipliedReportingOverflow(by: numerator)
        // A second and a unit: more is beyond every rounding, and less leaves room for the products.
        guard !isFar, far <= denominator + numerator else { return nil }
        let away = (far * Int128(seconds.denominator) - rest).magnitude
        let scale = (0..<min(max(decimals, 0), 18)).reduce(UInt128(1)) { scale, _ in scale * 10 }
        let (high, low) = away.multipliedFullWidth(by: scale)
        let unit = (denominator * Int128(seconds.denominator)).magnitude
        guard high == 0, low < unit else { return nil }
        // Of frames that share a time the last is the one on screen.
        return frame(atOffset: next)
    }
}
