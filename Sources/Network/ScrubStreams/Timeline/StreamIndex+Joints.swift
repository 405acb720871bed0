internal import ScrubBase

extension StreamIndex {
    /// Looks for a joint that the playlist does not mark (a missing `EXT-X-DISCONTINUITY`). There, the timestamps of a
    /// segment do not continue those of the previous segment and do not match the playlist's durations.
    ///
    /// If only the playlist's durations are wrong, there is no joint, because the timestamps continue. No further
    /// segments are opened while timestamps and playlist differ by less than half a segment, relative to the nearest
    /// known place. Otherwise a binary search finds the difference.
    ///
    /// A segment that does not begin with a restart is not a joint. Its first frame is somewhere inside, which alone
    /// explains why it is later than in the playlist.
    ///
    /// - Returns: the first segment of another timeline, at most the window's first; `nil` if there is none.
    mutating func unmarkedJoint(upTo window: SegmentWindow) throws(ScrubError) -> Int? {
        let segment = window.segments.lowerBound
        let first = timeline.runs[timeline.run(ofSegment: segment)].segments.lowerBound
        guard segment > first, lateness[segment] == nil, window.beginsWithRestart else { return nil }
        let own = try lateness(of: window)
        var before = lateness.keys.filter { (first..<segment).contains($0) }.max() ?? first
        var (early, behind, late) = (lateness[before] ?? .zero, segment, own)
        while isJump(early, late) {
            let middle = (before + behind) / 2
            if middle == before {
                guard try !goesOn(from: before, to: behind) else { break }
                return behind
            }
            // A segment whose first picture cannot be decoded does not count.
            guard let found = try self.window(middle..<middle + 1), found.beginsWithRestart else { break }
            let value = try lateness(of: found)
            if distance(early, value) > distance(value, late) {
                (behind, late) = (middle, value)
            } else {
                (before, early) = (middle, value)
            }
        }
        (lateness[before], lateness[behind], lateness[segment]) = (early, late, own)
        return nil
    }

    /// Returns how many seconds later than in the playlist a window begins in its run.
    private mutating func lateness(of window: SegmentWindow) throws(ScrubError) -> Rational {
        let segment = window.segments.lowerBound
        let run = timeline.runs[timeline.run(ofSegment: segment)]
        let offset = try startByTimestamps(of: window).subtracting(run.start)
        return offset?.subtracting(timeline.estimate(ofSegment: segment)) ?? .zero
    }

    private func isJump(_ early: Rational, _ late: Rational) -> Bool {
        distance(early, late) > max(Rational(1, 2), timeline.longest.multiplied(by: Rational(1, 2)) ?? .one)
    }

    private func distance(_ a: Rational, _ b: Rational) -> Rational {
        (a < b ? b.subtracting(a) : a.subtracting(b)) ?? .zero
    }

    /// Returns whether the timestamps of a segment continue those of the previous one, within half a second.
    private mutating func goesOn(from before: Int, to segment: Int) throws(ScrubError) -> Bool {
        guard let earlier = try window(before..<before + 1), let own = try window(segment..<segment + 1) else {
            return true
        }
        let last = earlier.frameCount - 1
        let length = earlier.time(ofFrame: last).adding(earlier.duration(ofFrame: last))
        let end = try length.flatMap { (length) throws(ScrubError) in
            try startByTimestamps(of: earlier).adding(length)
        }
        guard let end else { return true }
        return distance(end, try startByTimestamps(of: own)) <= Rational(1, 2)
    }
}
