internal import ScrubBase

extension Storyboard {
    /// Returns the starts of the slots and the end of the last one, in milliseconds. Each boundary is truncated once.
    /// This way, slots follow each other without gaps, and the start of a slot, read as a position, names the frame
    /// that begins there. The end is rounded up.
    ///
    /// Players ignore a cue without a length: a slot shorter than a millisecond is extended to one, and the following
    /// slots begin later by the same amount.
    ///
    /// - Precondition: ``validate()`` has passed.
    /// - Throws: `usage` if the end does not fit.
    func millisecondBorders() throws(ScrubError) -> [Int] {
        // A Rational can represent times that are too large in milliseconds.
        guard let end = Int(exactly: end.roundedUp(Rational.milliseconds)), end < Int.max - thumbnails.count - 1000
        else {
            throw ScrubError(
                .usage, "\(duration) s is too long to be written in milliseconds",
                advice: "check the video: its duration is implausible")
        }
        // Below the end, which fits.
        var borders: [Int] = []
        for border in thumbnails.map({ Int(clamping: $0.start.scaledDown(Rational.milliseconds)) }) + [end] {
            borders.append(max(border, borders.last.map { $0 + 1 } ?? border))
        }
        return borders
    }

    /// Returns ``millisecondBorders()`` for formats with an end time for each thumbnail. The last thumbnail is shown
    /// for one second longer. Players disagree about a film's duration, because sound may be longer than the pictures.
    /// They also look up the end itself, and a slot does not contain its own end.
    func cueBorders() throws(ScrubError) -> [Int] {
        var borders = try millisecondBorders()
        if let end = borders.popLast() { borders.append(end + Storyboard.lastCueExtension) }
        return borders
    }

    /// The number of milliseconds from the end of the film to the end of the last cue.
    static let lastCueExtension = Int(Rational.milliseconds)
}
