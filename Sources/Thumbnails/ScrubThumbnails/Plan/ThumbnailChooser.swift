internal import ScrubDecoding

/// A time that a thumbnail stands for.
struct ThumbnailPlace {
    var requested: Rational
    var start: Rational
    var end: Rational
    /// The one on screen at ``requested``.
    var frame: Int
    /// The frames that may stand for it; `nil` for all.
    var allowed: Range<Int>?
    /// Half the time to the next one: pictures farther away are another thumbnail's. 0 for places without an interval.
    var reach = Rational.zero
}

/// Chooses the frame that a thumbnail shows.
struct ThumbnailChooser {
    /// Pictures that are decoded at most to show another frame than the thumbnail before.
    private static let freshLimit = 16
    /// Frames before a place that are looked at for one that is cheaper: more than encoders' groups have.
    private static let reach = 4096

    private let asset: VideoAsset
    private let planner: SeekPlanner
    private let tolerance: ThumbnailPlan.Request.Tolerance
    private var keys: KeyFrames

    init(asset: VideoAsset, planner: SeekPlanner, tolerance: ThumbnailPlan.Request.Tolerance) {
        (self.asset, self.planner, self.tolerance) = (asset, planner, tolerance)
        keys = KeyFrames(asset, planner)
    }

    /// - Parameter previous: the frame of the thumbnail before.
    mutating func frame(for place: ThumbnailPlace, after previous: Int?) -> Int {
        let allowed = place.allowed ?? 0..<asset.frames.count
        switch tolerance {
        case .exact: return place.frame
        // A stream without any key picture is decoded from its beginning: that is its cheapest.
        case .keyframe: return nearestKey(to: place, in: allowed) ?? place.frame
        case .within(let seconds):
            return frame(within: seconds, of: place, in: allowed, previous, freshLimit: ThumbnailChooser.freshLimit)
        case .automatic:
            // Positions and scenes are where they are.
            guard place.reach > .zero else { return place.frame }
            return frame(within: place.reach, of: place, in: allowed, previous, freshLimit: .max)
        }
    }

    private mutating func frame(
        within seconds: Rational, of place: ThumbnailPlace, in allowed: Range<Int>, _ previous: Int?, freshLimit: Int
    ) -> Int {
        let key = nearestKey(to: place, in: allowed).flatMap { isNear($0, place, seconds) ? $0 : nil }
        guard let key else { return cheapest(within: seconds, of: place, in: allowed) }
        guard let previous, key == previous else { return key }
        let fresh = max(allowed.lowerBound, previous + 1)..<max(allowed.upperBound, previous + 1)
        if let other = nearestKey(to: place, in: fresh), isNear(other, place, seconds) { return other }
        guard place.frame > previous, place.reach > .zero else { return key }
        let other = cheapest(within: min(seconds, place.reach), of: place, in: fresh)
        return planner.distanceFromRestart(other) <= freshLimit ? other : key
    }

    private mutating func nearestKey(to place: ThumbnailPlace, in allowed: Range<Int>) -> Int? {
        keys.nearest(to: place.requested, place.frame, in: allowed)
    }

    /// Returns the frame with the fewest pictures to decode among those that are near enough: the earliest of a group.
    private func cheapest(within seconds: Rational, of place: ThumbnailPlace, in allowed: Range<Int>) -> Int {
        var first = place.frame
        // Not beyond what a group costs to look through: every place of the film is looked at so.
        let least = max(allowed.lowerBound, place.frame - ThumbnailChooser.reach)
        while first > least, isNear(first - 1, place, seconds) { first -= 1 }
        var best = (frame: place.frame, cost: planner.distanceFromRestart(place.frame))
        // Later frames of the group cost more, and a new group in reach would begin with a key picture.
        for candidate in first..<place.frame {
            let cost = planner.distanceFromRestart(candidate)
            if cost < best.cost { best = (candidate, cost) }
        }
        return best.frame
    }

    private func isNear(_ frame: Int, _ place: ThumbnailPlace, _ seconds: Rational) -> Bool {
        asset.distance(ofFrame: frame, from: place.requested) <= seconds
    }
}
