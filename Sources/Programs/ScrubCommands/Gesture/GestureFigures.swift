#if CommandLine
internal import Scrub

/// Figures of a played gesture. The summary, the plot and the benchmark use them. They are computed only from the
/// plotted events.
extension GesturePlayer.Recording {
    /// A frame of a 60 Hz display, in nanoseconds.
    private static let displayFrame: Int64 = 16_700_000

    /// The number of moves whose frame was on screen before the display's next frame, exact or as a preview.
    var rightShown: Int {
        var (right, place) = (0, 0)
        for move in moves {
            // The last picture before the move may already show its frame.
            while place + 1 < shown.count, shown[place + 1].time <= move.time { place += 1 }
            let inTime = shown[place...].prefix { $0.time <= move.time + Self.displayFrame }
            if inTime.contains(where: { $0.isRight && $0.frame.number == move.frame }) { right += 1 }
        }
        return right
    }

    /// How a picture relates to the requested frame.
    enum Nearness: CaseIterable {
        /// The requested frame, exact.
        case exact
        /// The requested frame, as a preview.
        case preview
        /// A different frame, or a reduced picture.
        case nearest

        init(_ shown: GesturePlayer.Shown) {
            self = shown.isExact ? .exact : shown.isRight ? .preview : .nearest
        }
    }

    /// Returns the number of pictures with this relation.
    func count(_ nearness: Nearness) -> Int { shown.count { Nearness($0) == nearness } }

    /// A period in which the picture on screen was not the requested frame, in nanoseconds since the beginning.
    struct Wait {
        var start: Int64
        var end: Int64

        var milliseconds: Double { Double(end - start) / 1e6 }
    }

    /// The longest wait for a new picture while the finger moved; `nil` if there was none.
    ///
    /// It begins with a move that requests a frame other than the one on screen, or with a picture of a different
    /// frame. It ends with the next new picture. The wait after the last move is ``rest``.
    var longestWait: Wait? {
        guard let last = moves.last else { return nil }
        var longest: Wait?
        // Before the first move, no frame is requested.
        var (since, wanted, onScreen) = (Int64?.none, Int?.none, Int?.none)
        func end(at time: Int64) {
            guard let start = since, time > start, time - start > longest.map({ $0.end - $0.start }) ?? 0 else {
                return
            }
            longest = Wait(start: start, end: time)
        }
        var next = 0
        for move in moves {
            while next < shown.count, shown[next].time <= move.time {
                let picture = shown[next]
                next += 1
                guard picture.frame.number != onScreen else { continue }
                end(at: picture.time)
                onScreen = picture.frame.number
                since = wanted == nil || wanted == onScreen ? nil : picture.time
            }
            wanted = move.frame
            since = onScreen == wanted ? nil : since ?? move.time
        }
        end(at: last.time)
        return longest
    }

    /// The duration of ``longestWait`` in milliseconds; 0 if there was none.
    var worstGap: Double { longestWait?.milliseconds ?? 0 }

    /// New pictures per second of the movement, exact ones and all of them; `nil` without a movement.
    var rates: (exact: Double, new: Double)? {
        guard let first = moves.first, let last = moves.last, last.time > first.time else { return nil }
        let seconds = Double(last.time - first.time) / 1e9
        var (exact, new, before) = (0, 0, Int?.none)
        for picture in shown where picture.time <= last.time {
            if picture.frame.number != before, picture.time >= first.time {
                new += 1
                if picture.isExact { exact += 1 }
            }
            before = picture.frame.number
        }
        return (Double(exact) / seconds, Double(new) / seconds)
    }

    /// Milliseconds from the last move to its last picture; `nil` if either is missing.
    var rest: Double? {
        guard let last, let move = moves.last else { return nil }
        return max(0, Double(last.shown.time - move.time) / 1e6)
    }
}
#endif
