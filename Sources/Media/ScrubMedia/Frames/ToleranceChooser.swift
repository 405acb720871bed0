internal import ScrubDecoding
internal import ScrubIndex

/// Chooses the frame that is given for a time when it need not be the very one.
struct ToleranceChooser {
    /// Frames before the one on screen that are looked at for one that is cheaper: more than encoders' groups have.
    private static let reach = 4096

    private let asset: VideoAsset
    private let planner: SeekPlanner
    private var keys: KeyFrames

    init(_ asset: VideoAsset, _ planner: SeekPlanner) {
        (self.asset, self.planner, keys) = (asset, planner, KeyFrames(asset, planner))
    }

    /// - Parameters:
    ///   - frame: the one on screen at `time`.
    ///   - isKept: whether a frame already exists.
    mutating func frame(
        for frame: Int, at time: Rational, _ tolerance: FrameTolerance, isKept: (Int) -> Bool
    ) -> Int {
        guard tolerance != .exact, !isKept(frame) else { return frame }
        let allowed = allowed(frame, time, tolerance)
        return keys.nearest(to: time, frame, in: Range(allowed)) ?? cheapest(frame, in: allowed)
    }

    /// Returns the frames in reach, by two searches: times never run backwards.
    private func allowed(_ frame: Int, _ time: Rational, _ tolerance: FrameTolerance) -> ClosedRange<Int> {
        let first = time.subtracting(tolerance.before)
        let last = time.adding(tolerance.after)
        let low = first.map { bound in asset.firstFrame { $0 >= bound } } ?? 0
        let high = last.map { bound in asset.firstFrame { $0 > bound } - 1 } ?? asset.frames.count - 1
        return min(low, frame)...max(high, frame)
    }

    /// Returns the frame with the fewest pictures to decode; of those that cost the same, the nearest. Later frames of
    /// a group cost more, and a group that begins in reach begins with a frame that stands alone.
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
    /// Returns the first frame whose time is as wanted; the number of frames when none is. The condition holds from
    /// some frame on.
    func firstFrame(where isWanted: (Rational) -> Bool) -> Int {
        var (low, high) = (0, frames.count)
        while low < high {
            let middle = low + (high - low) / 2
            if isWanted(time(ofFrame: middle)) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
