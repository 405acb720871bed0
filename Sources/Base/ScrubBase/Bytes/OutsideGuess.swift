/// The possible meanings of a fraction outside 0...1: `5` may be meant as five seconds, frame 5 or five percent.
///
/// Thread safety: a value.
package struct OutsideGuess: Hashable, Sendable {
    /// As it was written, or as it would be.
    private let text: String
    /// Positions that lie in the video, as they are written.
    private let guesses: [String]

    /// - Parameters:
    ///   - text: as it was typed, where that is known.
    ///   - frameCount: the number of frames in the video, if known: no guess lies outside it.
    ///   - duration: its length in seconds, where that is known.
    /// - Returns: `nil` for a fraction of 0...1, and for other positions.
    package init?(_ position: FramePosition, text: String?, frameCount: Int?, duration: Rational?) {
        guard case .fraction(let fraction) = position, fraction < .zero || fraction > .one else { return nil }
        let text = text ?? OutsideGuess.written(fraction)
        self.text = text
        let isPercent = text.hasSuffix("%")
        let number = isPercent ? String(text.dropLast()) : text
        let frames = frameCount ?? .max
        guard !text.contains("/"), let value = isPercent ? fraction.multiplied(by: Rational(100)) : fraction else {
            guesses = []
            return
        }
        if fraction < .zero {
            // f-1 is the last frame, f-2 the one before.
            guesses = Int(number).flatMap { $0 != .min && -$0 <= frames && !isPercent ? ["f\($0)"] : nil } ?? []
            return
        }
        var guesses: [String] = []
        if duration.map({ value < $0 }) ?? true { guesses.append(number + "s") }
        if !isPercent, fraction <= Rational(100) { guesses.append(number + "%") }
        if let frame = Int(number), frame < frames { guesses.append("f\(number)") }
        self.guesses = guesses
    }

    /// Why it names no frame.
    package var error: ScrubError { error(advice: nil) }

    /// - Parameter advice: the other way out.
    package func error(advice: String?) -> ScrubError {
        let meant = guesses.isEmpty ? "write a fraction from 0 to 1" : "perhaps \(list) was meant"
        return ScrubError(
            .usage, "'\(text)' is outside the video: a fraction goes from \(ends)",
            advice: [meant, advice].compactMap { $0 }.joined(separator: "; "))
    }

    /// The same in words, for a position that was clamped.
    package var note: String {
        "a fraction goes from \(ends)" + (guesses.isEmpty ? "" : "; perhaps \(list) was meant")
    }

    private var ends: String { text.hasSuffix("%") ? "0% to 100%" : "0 to 1" }

    private var list: String {
        guard guesses.count > 1, let last = guesses.last else { return guesses.first ?? "" }
        return guesses.dropLast().joined(separator: ", ") + " or " + last
    }

    /// Returns a decimal where there is one of few digits, else a ratio.
    private static func written(_ fraction: Rational) -> String {
        let isDecimal = 1_000_000_000 % fraction.denominator == 0
        return isDecimal ? TimeText(fraction).seconds : "\(fraction.numerator)/\(fraction.denominator)"
    }
}
