/// The message for a position outside a video. It contains the valid range and, for a fraction, possible meanings. `5`
/// may mean five seconds, frame 5 or five percent.
///
/// Thread safety: a value type.
package struct OutsidePosition: Hashable, Sendable {
    /// The position as it was or would be typed.
    private let text: String
    /// The valid range: "fractions range from 0 to 1".
    private let range: String
    /// Positions inside the video, as they are typed.
    private let guesses: [String]
    /// The advice if there is no guess.
    private let advice: String

    /// Creates the message for a fraction outside 0...1.
    ///
    /// - Parameters:
    ///   - text: the position as it was typed, if known.
    ///   - frameCount: the number of frames in the video, if known; no guess is outside that range.
    ///   - duration: the video's duration in seconds, if known.
    /// - Returns: `nil` for a fraction in 0...1, and for other positions.
    package init?(_ position: FramePosition, text: String?, frameCount: Int?, duration: Rational?) {
        guard case .fraction(let fraction) = position.kind, fraction < .zero || fraction > .one else { return nil }
        let text = text ?? OutsidePosition.written(fraction)
        self.text = text
        let isPercent = text.hasSuffix("%")
        range = "fractions range from " + (isPercent ? "0% to 100%" : "0 to 1")
        advice = "write a fraction from 0 to 1"
        let number = isPercent ? String(text.dropLast()) : text
        let frames = frameCount ?? .max
        guard !text.contains("/"), let value = isPercent ? fraction.multiplied(by: Rational(100)) : fraction else {
            guesses = []
            return
        }
        if fraction < .zero {
            // f-1 is the last frame, f-2 the one before it.
            guesses = Int(number).flatMap { $0 != .min && -$0 <= frames && !isPercent ? ["f\($0)"] : nil } ?? []
            return
        }
        var guesses: [String] = []
        if duration.map({ value < $0 }) ?? true { guesses.append(number + "s") }
        if !isPercent, fraction <= Rational(100) { guesses.append(number + "%") }
        if let frame = Int(number), frame < frames { guesses.append("f\(number)") }
        self.guesses = guesses
    }

    /// Creates the message for a time or a timecode outside the video.
    ///
    /// - Parameters:
    ///   - text: the position as it was typed, if known.
    ///   - first: the first frame's time or timecode, as text.
    ///   - last: the last frame's; `nil` if it is unknown.
    /// - Returns: `nil` for other positions.
    package init?(_ position: FramePosition, text: String?, from first: String, to last: String?) {
        let (kind, written): (String, String)
        switch position.kind {
        case .timecode(let label): (kind, written) = ("timecodes", label.description)
        case .time, .roundedTime, .computedTime:
            guard let seconds = position.writtenTime else { return nil }
            (kind, written) = ("times", TimeText(seconds).seconds + "s")
        case .frame, .fraction: return nil
        }
        self.text = text ?? written
        range =
            "its \(kind) "
            + (last.map { "range from \(first) to \($0), the start of the last frame" } ?? "start at \(first)")
        guesses = []
        advice = "use a position in this range, or 'last' for the last frame"
    }

    /// The error that explains why the position does not name a frame.
    package var error: ScrubError { error(advice: nil) }

    /// Returns the error.
    ///
    /// - Parameter advice: a different remedy.
    package func error(advice: String?) -> ScrubError {
        let meant = guesses.isEmpty ? self.advice + (advice == nil ? "" : ";") : "did you mean \(list)?"
        return ScrubError(
            .usage, "'\(text)' is outside the video: \(range)",
            advice: [meant, advice].compactMap { $0 }.joined(separator: " "))
    }

    /// The same message, for a position that was clamped.
    package var note: String { range + (guesses.isEmpty ? "" : "; did you mean \(list)?") }

    private var list: String {
        guard guesses.count > 1, let last = guesses.last else { return guesses.first ?? "" }
        return guesses.dropLast().joined(separator: ", ") + " or " + last
    }

    /// Returns a decimal number if one with few digits exists, and a ratio otherwise.
    private static func written(_ fraction: Rational) -> String {
        let isDecimal = 1_000_000_000 % fraction.denominator == 0
        return isDecimal ? TimeText(fraction).seconds : "\(fraction.numerator)/\(fraction.denominator)"
    }
}
