internal import ScrubFileIO
package import ScrubBase

extension FrameIndex {
    /// Returns the frame that a position specifies.
    ///
    /// - Parameter clamps: whether a position outside the video is clamped to the nearest end, as gestures and scripts
    ///   need.
    /// - Returns: the frame number, and whether the position was outside the video and was clamped.
    /// - Throws: ``ScrubError/Code/usage`` for a frame number that does not exist, and for a fraction, a time, or a
    ///   timecode outside the video.
    package func resolve(
        _ position: FramePosition, clamps: Bool = false
    ) throws(ScrubError) -> (frame: Int, isClamped: Bool) {
        let found = try locate(position)
        if found.isClamped, !clamps, let place = outside(position) { throw place.error }
        return found
    }

    /// Returns the message for a fraction, a time, or a timecode outside the video; `nil` for other positions.
    ///
    /// - Parameter text: the position as it was typed.
    package func outside(_ position: FramePosition, text: String? = nil) -> OutsidePosition? {
        switch position.kind {
        case .frame: return nil
        case .fraction:
            let isEndKnown = coverage.map { $0.end != nil } ?? true
            return OutsidePosition(
                position, text: text, frameCount: totalFrameCount,
                duration: isEndKnown ? Rational(units: duration, of: facts.timeBase) : nil)
        case .time, .roundedTime, .computedTime:
            guard let isClamped = try? locate(position).isClamped, isClamped else { return nil }
            return OutsidePosition(
                position, text: text, from: TimeText(.zero).clock, to: timeText(ofFrame: frameCount - 1))
        case .timecode(let label):
            guard let timecodes = try? FrameTimecodes(self, isDropFrame: label.isDropFrame),
                let isClamped = try? timecodes.frame(at: label).isClamped, isClamped
            else { return nil }
            return OutsidePosition(
                position, text: text, from: timecodes.timecode(ofFrame: 0).description,
                to: timecodes.timecode(ofFrame: frameCount - 1).description)
        }
    }

    private func locate(_ position: FramePosition) throws(ScrubError) -> (frame: Int, isClamped: Bool) {
        switch position.kind {
        case .frame(let number):
            let frame = number < 0 ? frameCount + number : number
            guard (0..<frameCount).contains(frame) else {
                throw ScrubError(
                    .usage, "there is no frame \(number)", advice: "the frames are f0 to f\(frameCount - 1)")
            }
            return (frame, false)
        case .fraction(let fraction):
            if fraction >= .one { return (frameCount - 1, fraction > .one) }
            // Times are integers, so a frame's time is at most f * duration exactly when it is at most its floor.
            return (frame(atOffset: max(fraction, .zero).scaledDown(duration)), fraction < .zero)
        case .timecode(let label):
            return try FrameTimecodes(self, isDropFrame: label.isDropFrame).frame(at: label)
        case .time(let seconds):
            return instant(seconds)
        case .roundedTime(let seconds, let decimals):
            return written(seconds, min(max(decimals, 0), 18))
        case .computedTime(let time):
            return computed(time)
        }
    }

    /// Returns the time from the beginning of the previous frame to that of a frame, in time base units. Frames that
    /// share a time are one. `nil` for the first frame.
    ///
    /// The frame before the first known one of a stretch is not known. Frames are approximately evenly spaced.
    package func lead(ofFrame frame: Int) -> Int64? {
        let own = time(ofFrame: frame)
        if frame > 0, coverage != nil {
            let (picture, before) = (Int(frames[frame]), Int(frames[frame - 1]))
            if firstKnownPicture(before: picture) != firstKnownPicture(before: before) {
                return duration(ofFrame: frame)
            }
        }
        var before = frame - 1
        if before >= 0, time(ofFrame: before) == own {
            before = (0..<frame).partitioningIndex { time(ofFrame: $0) >= own } - 1
        }
        return before >= 0 ? distance(time(ofFrame: before), own) : nil
    }

    /// Returns a frame's time as text.
    private func timeText(ofFrame frame: Int) -> String {
        TimeText(
            Rational(units: offset(ofFrame: frame), of: facts.timeBase),
            after: lead(ofFrame: frame).map { Rational(units: $0, of: facts.timeBase) }
        ).clock
    }
}

// Times: instants, written times, and computed times.
extension FrameIndex {
    private func instant(_ seconds: Rational) -> (frame: Int, isClamped: Bool) {
        let (offset, rest) = units(seconds)
        // The exact time, not the rounded one, determines whether a position is outside.
        let end = Int128(duration)
        let isClamped = offset < 0 || offset > end || (offset == end && rest > 0)
        return (frame(atOffset: max(offset, 0)), isClamped)
    }

    /// Returns the frame for a time. A time less than one unit of its last decimal after the end counts as the end.
    /// Similarly, a time specifies a frame that begins less than one unit later.
    private func written(_ seconds: Rational, _ decimals: Int) -> (frame: Int, isClamped: Bool) {
        let (whole, rest) = units(seconds)
        let current = whole < 0 ? -1 : frame(atOffset: whole)
        let isExact = current >= 0 && rest == 0 && Int128(offset(ofFrame: current)) == whole
        if current + 1 < frameCount, !isExact {
            let next = Int128(offset(ofFrame: current + 1))
            // If frames share a time, the last one is on screen.
            if isLess(next - whole, -rest, seconds, decimals) { return (frame(atOffset: next), false) }
            // Only a computed number is printed this way.
            if decimals > ComputedTime.mostPrinted, current >= 0 {
                let frame = computed(ComputedTime(seconds: seconds)).frame
                if frame > current { return (frame, false) }
            }
        }
        let found = instant(seconds)
        guard found.isClamped, current == frameCount - 1 else { return found }
        return (found.frame, !isLess(whole - Int128(duration), rest, seconds, decimals))
    }

    private func computed(_ time: ComputedTime) -> (frame: Int, isClamped: Bool) {
        let (unit, one) = (facts.timeBase, ComputedTime.unitParts)
        let place = time.seconds.parts(of: unit)
        let current = place < 0 ? -1 : frame(atOffset: Rational.floor(place, one))
        if current + 1 < frameCount {
            let next = Int128(offset(ofFrame: current + 1)) * one
            let own = current < 0 ? nil : Int128(offset(ofFrame: current)) * one
            let gap = own.map { next - $0 } ?? Int128(duration(ofFrame: frame(atOffset: 0))) * one
            // If a unit is as long as a frame, the time of the frame on screen may be the nominal time of the next
            // frame.
            let isOwn = own.map { 2 * (place - $0) <= one } ?? false
            if time.names(next: next, at: place, own: own, gap: gap, unit: unit)
                || !isOwn && next - place < one && isNominal(time.seconds, frame: current + 1)
            {
                return (frame(atOffset: Rational.floor(next, one)), false)
            }
        }
        if current < 0 { return (frame(atOffset: 0), true) }
        let beyond = place - Int128(duration) * one
        let isOutside = beyond > 0 && !time.reaches(beyond, lastDuration: Int128(lastDuration) * one, unit: unit)
        return (current, isOutside)
    }

    /// Returns whether a position may name another frame once all frames are known: a computed time that is a multiple
    /// of a common frame period.
    package func dependsOnAllFrames(_ position: FramePosition) -> Bool {
        switch position.kind {
        case .computedTime(let time): isNearNominal(time.seconds)
        case .roundedTime(let seconds, let decimals): decimals > ComputedTime.mostPrinted && isNearNominal(seconds)
        case .time, .fraction, .frame, .timecode: false
        }
    }

    private func isNearNominal(_ seconds: Rational) -> Bool {
        Rational.usualFrameRates.contains { rate in
            let (n, d) = (Int128(rate.numerator), Int128(rate.denominator))
            let (place, period) = (Int128(seconds.numerator) * n, Int128(seconds.denominator) * d)
            let number = Rational.floor(2 * place + period, 2 * period)
            return (place - number * period).magnitude <= (period >> 16).magnitude
        }
    }

    /// Returns whether a time is the nominal time of a frame at a common frame rate that all frames follow.
    ///
    /// If a container also rounds the first frame's time, a frame may begin nearly one unit after its nominal time.
    private func isNominal(_ seconds: Rational, frame: Int) -> Bool {
        let base = facts.timeBase
        guard coverage == nil, frameCount > 1, base.numerator < 1 << 31, base.denominator < 1 << 31 else {
            return false
        }
        let last = Int128(offset(ofFrame: frameCount - 1)) * Int128(base.numerator)
        return Rational.usualFrameRates.contains { rate in
            let (n, d) = (Int128(rate.numerator), Int128(rate.denominator))
            let period = Int128(seconds.denominator) * d
            let error = (Int128(seconds.numerator) * n - Int128(frame) * period).magnitude
            let drift = (last * n - Int128(frameCount - 1) * d * Int128(base.denominator)).magnitude
            return error <= (period >> 16).magnitude && drift <= (n * Int128(base.numerator)).magnitude
        }
    }

    /// Returns a time in whole time base units, rounded down, and the remainder, in parts of `seconds.denominator *
    /// timeBase.numerator`.
    private func units(_ seconds: Rational) -> (whole: Int128, rest: Int128) {
        let units = Int128(seconds.numerator) * Int128(facts.timeBase.denominator)
        let unit = Int128(seconds.denominator) * Int128(facts.timeBase.numerator)
        let whole = Rational.floor(units, unit)
        return (whole, units - whole * unit)
    }

    /// Returns whether a distance is less than one unit of the last decimal.
    ///
    /// - Parameters:
    ///   - whole: time base units.
    ///   - rest: the remainder, as ``units(_:)`` returns it.
    private func isLess(_ whole: Int128, _ rest: Int128, _ seconds: Rational, _ decimals: Int) -> Bool {
        // whole * base + rest of its parts: less than 10^-decimals seconds?
        let (numerator, denominator) = (Int128(facts.timeBase.numerator), Int128(facts.timeBase.denominator))
        let (far, isFar) = whole.multipliedReportingOverflow(by: numerator)
        // One second and one unit: more is beyond any rounding, and this limit leaves room for the products.
        guard !isFar, far <= denominator + numerator else { return false }
        let away = (far * Int128(seconds.denominator) + rest).magnitude
        let scale = (0..<decimals).reduce(UInt128(1)) { scale, _ in scale * 10 }
        let (high, low) = away.multipliedFullWidth(by: scale)
        return high == 0 && low < (denominator * Int128(seconds.denominator)).magnitude
    }
}
