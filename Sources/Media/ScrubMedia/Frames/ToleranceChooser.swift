internal import ScrubDecoding
internal import ScrubIndex

/// Chooses the frame for a time when a tolerance allows other frames.
struct ToleranceChooser {
    /// The number of frames before the one on screen to examine for a cheaper one: more than in an encoder's groups.
    private static let reach = 4096

    private let asset: VideoAsset
    private let planner: SeekPlanner
    private var keys: KeyFrames

    init(_ asset: VideoAsset, _ planner: SeekPlanner) {
        (self.asset, self.planner, keys) = (asset, planner, KeyFrames(asset, planner))
    }

    /// Returns the frame to use.
    ///
    /// - Parameters:
    ///   - frame: the frame on screen at `time`.
    ///   - isKept: whether a frame already exists.
    mutating func frame(
        for frame: Int, at time: Rational, _ tolerance: FrameTolerance, isKept: (Int) -> Bool
    ) -> Int {
        guard tolerance != .exact, !isKept(frame) else { return frame }
        let allowed = allowed(frame, time, tolerance)
        return keys.nearest(to: time, frame, in: Range(allowed)) ?? cheapest(frame, in: allowed)
    }

    /// Returns the frames within the tolerance. This takes only two searches, because times never go backward.
    private func allowed(_ frame: Int, _ time: Rational, _ tolerance: FrameTolerance) -> ClosedRange<Int> {
        let first = time.subtracting(tolerance.before)
        let last = time.adding(tolerance.after)
        let low = first.map { bound in asset.firstFrame { $0 >= bound } } ?? 0
        let high = last.map { bound in asset.firstFrame { $0 > bound } - 1 } ?? asset.frames.count - 1
        return min(low, frame)...max(high, frame)
    }

    /// Returns the frame with the fewest pictures to decode; among equally cheap ones, the nearest. Later frames of a
    /// group cost more, and a group that begins within the range begins with an independent frame.
    private func cheapest(_ frame: Int, in allowed: ClosedRange<Int>) -> Int {
        var best = (frame: frame, cost: planner.distanceFromRestart(frame))
        for candidate in stride(
            from: frame - 1, through: max(allowed.lowerBound, frame - ToleranceChooser.reach), by: -1)
        {
            let cost = planner.distanceFromRestart(candidate)
            if cost < best.cost { best = (candidate, cost) }
        }
        return best.frame
    }
}

extension VideoAsset {
    /// Returns the first frame whose time satisfies a condition, or the number of frames if there is none. The
    /// condition must be true for all frames from some frame on.
    func firstFrame(where isWanted: (Rational) -> Bool) -> Int {
        var (low, high) = (0, frames.count)
        while low < high {
            let middle = low + (high - low) / 2
            if isWanted(time(ofFrame: middle)) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
