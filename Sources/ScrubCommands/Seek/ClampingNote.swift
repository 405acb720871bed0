internal import Scrub
internal import ScrubSources

/// What was perhaps meant by a position outside the video.
enum ClampingNote {
    static func text(_ text: String, _ position: Position, _ frame: PresentedFrame, in asset: VideoAsset) -> String {
        self.text(text, position, frame, frameCount: asset.frames.count, duration: asset.duration)
    }

    /// - Parameters:
    ///   - frameCount: how many frames the video has: no guess lies outside it.
    ///   - duration: its length.
    static func text(
        _ text: String, _ position: Position, _ frame: PresentedFrame, frameCount: Int, duration: Rational
    ) -> String {
        let note = "\(text) is outside the video; frame \(frame.number) is taken"
        guard case .fraction(let fraction) = position else { return note }
        let (isPercent, isRatio) = (text.hasSuffix("%"), text.contains("/"))
        let number = isPercent ? String(text.dropLast()) : text
        if fraction < .zero {
            // f-1 is the last frame, f-2 the one before.
            guard !isPercent, let place = Int(number), place.magnitude <= frameCount else { return note }
            return note + " (perhaps f\(number), counted from the end, was meant)"
        }
        guard !isRatio else { return note + " (a fraction is at most 1)" }
        let seconds = isPercent ? fraction.multiplied(by: Rational(100)) : fraction
        var guesses: [String] = []
        if let seconds, seconds < duration { guesses.append("\(number)s") }
        if !isPercent, fraction <= Rational(100) { guesses.append("\(number)%") }
        if let frame = Int(number), frame < frameCount { guesses.append("f\(number)") }
        let most = "a fraction is at most \(isPercent ? "100%" : "1")"
        guard let last = guesses.popLast() else { return note + " (\(most))" }
        let list = guesses.isEmpty ? last : guesses.joined(separator: ", ") + " or " + last
        return note + " (\(most); perhaps \(list) was meant)"
    }
}
