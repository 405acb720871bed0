package import ScrubBase

/// The timecode of a stream's frames: its first value, and the rate at which it counts.
package struct FrameTimecodes: Hashable, Sendable {
    package let rate: Timecode.Rate
    package let isDropFrame: Bool
    /// The first frame's value, counted from 00:00:00:00.
    private let start: Int
    private let frameCount: Int
    /// Whether the file itself has a timecode.
    package let isTold: Bool

    /// - Parameter isDropFrame: the way to count frames if the file does not say.
    /// - Throws: ``ScrubError/Code/usage`` if frames have varying intervals, or a rate that timecode does not support.
    init(_ index: FrameIndex, isDropFrame: Bool) throws(ScrubError) {
        guard let rate = index.timecodeRate else {
            let rates = Timecode.Rate.all.map(\.description).joined(separator: ", ")
            throw ScrubError(
                .usage,
                "timecode needs a constant rate of \(rates), but these frames have a different or variable rate",
                advice: "use a time or a frame number")
        }
        self.rate = rate
        frameCount = index.frameCount
        // A first value that does not exist at the rate is ignored.
        let told = index.facts.startTimecode.flatMap { label in (try? label.frameNumber(at: rate)).map { (label, $0) } }
        isTold = told != nil
        start = told?.1 ?? 0
        self.isDropFrame = told?.0.isDropFrame ?? isDropFrame
    }

    /// Returns the timecode of a frame.
    ///
    /// - Precondition: the frame exists.
    package func timecode(ofFrame frame: Int) -> Timecode {
        precondition((0..<frameCount).contains(frame), "there is no frame \(frame)")
        return Timecode(frameNumber: start + frame, rate: rate, isDropFrame: isDropFrame)
    }

    /// Returns the frame with a timecode. A timecode before the first one belongs to the next day if the video is that
    /// long. A timecode after 23:59:59 equals that of the previous day if the file has a timecode.
    ///
    /// - Returns: the frame, and whether no frame has the timecode, so that the nearest end was used.
    func frame(at label: Timecode) throws(ScrubError) -> (frame: Int, isClamped: Bool) {
        guard isDropFrame || !label.isDropFrame || !isTold else {
            throw ScrubError(
                .usage,
                "the timecode \(label) is drop-frame, but the file's timecode is not: it begins at \(timecode(ofFrame: 0))",
                advice: "use a colon before the frame number")
        }
        // A colon means the file's own timecode, whichever way it counts.
        let meant = try Timecode(
            hours: label.hours, minutes: label.minutes, seconds: label.seconds, frames: label.frames,
            isDropFrame: isDropFrame)
        let offset = try meant.frameNumber(at: rate) - start
        let day = rate.framesPerDay(isDropFrame: isDropFrame)
        let others = isTold ? [offset, offset + day, offset - day * (label.hours / 24)] : [offset]
        if let found = others.first(where: { (0..<frameCount).contains($0) }) { return (found, false) }
        let isBehind = others.contains { $0 >= 0 && (offset >= 0 || $0 - frameCount < -offset) }
        return (isBehind ? frameCount - 1 : 0, true)
    }
}

extension FrameIndex {
    /// The timecode of the frames, if the file has one and the frames have a rate that timecode supports.
    ///
    /// Cost: a pass over the times of the frames.
    package var timecodes: FrameTimecodes? {
        guard facts.startTimecode != nil, let made = try? FrameTimecodes(self, isDropFrame: false), made.isTold else {
            return nil
        }
        return made
    }

    /// The constant rate of the frames, if timecode supports it. Each frame's time matches its number, apart from the
    /// rounding of two times to time base units.
    ///
    /// If several rates fit, such as 29.97 and 30 for a few frames in milliseconds, the nearest is used.
    var timecodeRate: Timecode.Rate? {
        var best: (rate: Timecode.Rate, error: Int128)?
        for rate in Timecode.Rate.all {
            if let error = deviation(from: rate.framesPerSecond), error < best?.error ?? .max { best = (rate, error) }
        }
        return best?.rate
    }

    /// Returns the total distance of the frames' times from those of a constant rate; `nil` if one is too far off. The
    /// result is in fractions of a second that are the same for all rates.
    private func deviation(from rate: Rational) -> Int128? {
        // In units of 1 / (time base's denominator * rate's numerator) seconds.
        let unit = Int128(facts.timeBase.numerator) * Int128(rate.numerator)
        let period = Int128(facts.timeBase.denominator) * Int128(rate.denominator)
        let tolerance = min(unit, period / 4)
        func error(_ units: Int64, _ periods: Int) -> Int128? {
            let error = (Int128(units) * unit - Int128(periods) * period).magnitude
            return error <= tolerance.magnitude ? Int128(error) : nil
        }
        if frameCount == 1 { return error(lastDuration, 1).map { $0 * 1_000_000 / Int128(rate.numerator) } }
        guard frameCount > 1, error(offset(ofFrame: frameCount - 1), frameCount - 1) != nil else { return nil }
        var sum: Int128 = 0
        for frame in 1..<frameCount {
            guard let error = error(offset(ofFrame: frame), frame) else { return nil }
            sum += error
        }
        return sum * 1_000_000 / Int128(rate.numerator)
    }
}
