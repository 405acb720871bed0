#if CommandLine
internal import Scrub

/// Figures of a played gesture that more than one report has.
extension GesturePlayer.Recording {
    /// A frame of a display of 60 Hz, in nanoseconds.
    private static let displayFrame: Int64 = 16_700_000

    /// Moves whose frame was on screen before the display's next one, exact or as a preview.
    var rightShown: Int {
        var (right, place) = (0, 0)
        for move in moves {
            // The last picture before the move may be of its frame already.
            while place + 1 < shown.count, shown[place + 1].time <= move.time { place += 1 }
            let inTime = shown[place...].prefix { $0.time <= move.time + Self.displayFrame }
            if inTime.contains(where: { $0.isRight && $0.frame.number == move.frame }) { right += 1 }
        }
        return right
    }

    /// Milliseconds of the longest gap between two new pictures.
    var worstGap: Double { Double(counters.worstGap.wholeNanoseconds) / 1e6 }

    /// Milliseconds from the last move to its last picture; `nil` without either.
    var rest: Double? {
        guard let last, let move = moves.last else { return nil }
        return max(0, Double(last.shown.time - move.time) / 1e6)
    }
}
#endif
