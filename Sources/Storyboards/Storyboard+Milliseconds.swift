internal import ScrubBase

extension Storyboard {
    /// Where the slots begin and the last one ends, in milliseconds: each border is cut off once, so that slots follow each other
    /// without gaps and the begin of a slot, read as a position, names the frame that begins there; the end is rounded up.
    ///
    /// - Precondition: ``validate()`` has passed.
    /// - Throws: `usage` when a slot has less than a millisecond or the end does not fit.
    func millisecondBorders() throws(ScrubError) -> [Int] {
        // Times of a Rational reach beyond what it can hold as milliseconds.
        guard let end = Int(exactly: duration.roundedUp(Rational.milliseconds)) else {
            throw ScrubError(
                .usage, "\(duration) s cannot be written in milliseconds",
                advice: "make thumbnails every so many whole milliseconds")
        }
        // Below the end, which fits.
        let borders = thumbnails.map { Int(clamping: $0.start.scaledDown(Rational.milliseconds)) } + [end]
        for (number, (start, next)) in zip(borders, borders.dropFirst()).enumerated() where start >= next {
            throw ScrubError(
                .usage, "thumbnail \(number) is shown for less than a millisecond",
                advice: "make fewer thumbnails")
        }
        return borders
    }
}
