internal import ScrubDecoding

/// A time that a thumbnail represents.
struct ThumbnailTime {
    var requested: Rational
    var start: Rational
    var end: Rational
    /// The frame on screen at ``requested``.
    var frame: Int
    /// The frames that appear from ``start`` to ``end``, while the thumbnail is shown. Empty if one frame lasts longer.
    var cue: Range<Int>
    /// The ``cue``, and the frame before it that is still on screen at ``start``.
    var onScreen: Range<Int>
    /// The kind of the place, which determines the frames that may be shown there.
    var kind: Kind

    enum Kind {
        /// Part of an even series.
        case interval
        /// A requested position.
        case position
        /// A scene. Its frames are ``cue``, and only they can represent it.
        case scene
    }
}

/// Chooses the frame that a thumbnail shows.
struct ThumbnailChooser {
    /// The maximum number of pictures to decode in order to show a different frame from the previous thumbnail's.
    private static let freshLimit = 16
    /// The number of frames before a place that are examined for a cheaper one: more than encoders' groups have.
    private static let reach = 4096

    private let asset: VideoAsset
    private let planner: SeekPlanner
    private let tolerance: ThumbnailPlan.Request.Tolerance
    private var keys: KeyFrames

    init(asset: VideoAsset, planner: SeekPlanner, tolerance: ThumbnailPlan.Request.Tolerance) {
        (self.asset, self.planner, self.tolerance) = (asset, planner, tolerance)
        keys = KeyFrames(asset, planner)
    }

    /// Returns the frame for a place.
    ///
    /// - Parameter previous: the frame of the previous thumbnail.
    mutating func frame(for place: ThumbnailTime, after previous: Int?) -> Int {
        switch tolerance {
        case .exact: return place.frame
        case .keyframe: return key(for: place)
        case .within(let seconds):
            return frame(within: seconds, of: place, previous, freshLimit: ThumbnailChooser.freshLimit)
        case .automatic:
            // Positions and scenes are fixed.
            guard place.kind == .interval else { return place.frame }
            return frame(within: nil, of: place, previous, freshLimit: .max)
        }
    }

    /// Returns a key picture within the place, or else the nearest one. Only key pictures are decoded.
    private mutating func key(for place: ThumbnailTime) -> Int {
        // A stream without a key picture is decoded from its beginning, so the first picture is the cheapest.
        let all = 0..<asset.frames.count
        switch place.kind {
        case .scene: return nearestKey(to: place, in: place.cue) ?? place.frame
        case .position: return nearestKey(to: place, in: all) ?? place.frame
        case .interval:
            return nearestKey(to: place, in: place.cue) ?? nearestKey(to: place, in: all) ?? place.frame
        }
    }

    /// Returns the cheapest picture within the place that is near enough: a key picture, or else the one that needs the
    /// fewest decoded pictures. It differs from the previous thumbnail's picture, unless that frame is still on screen
    /// or another one costs too much.
    ///
    /// - Parameter seconds: the allowed distance; `nil` for all of the place.
    private mutating func frame(
        within seconds: Rational?, of place: ThumbnailTime, _ previous: Int?, freshLimit: Int
    ) -> Int {
        if let key = nearestKey(to: place, in: place.cue), isNear(key, place, seconds) { return key }
        let frame = cheapest(within: seconds, of: place, previous)
        guard let previous, frame != previous, place.onScreen.contains(previous), isNear(previous, place, seconds),
            planner.distanceFromRestart(frame) > freshLimit
        else { return frame }
        return previous
    }

    private mutating func nearestKey(to place: ThumbnailTime, in allowed: Range<Int>) -> Int? {
        keys.nearest(to: place.requested, place.frame, in: allowed)
    }

    /// Returns the frame with the fewest pictures to decode among the near enough frames of the place, the earliest one
    /// of a group.
    private func cheapest(within seconds: Rational?, of place: ThumbnailTime, _ previous: Int?) -> Int {
        // Not beyond the cost of scanning a group, because this is done for every place of the video.
        let least = max(min(place.frame, place.cue.lowerBound), place.frame - ThumbnailChooser.reach)
        guard place.frame != previous else {
            let fresh = place.cue.first { $0 > place.frame }
            return fresh.flatMap { isNear($0, place, seconds) ? $0 : nil } ?? place.frame
        }
        var first = place.frame
        while first > least, first - 1 != previous, isNear(first - 1, place, seconds) { first -= 1 }
        var best = (frame: place.frame, cost: planner.distanceFromRestart(place.frame))
        // Later frames of the group cost more, and a new group within reach would begin with a key picture.
        for candidate in first..<place.frame {
            let cost = planner.distanceFromRestart(candidate)
            if cost < best.cost { best = (candidate, cost) }
        }
        return best.frame
    }

    private func isNear(_ frame: Int, _ place: ThumbnailTime, _ seconds: Rational?) -> Bool {
        guard let seconds else { return true }
        return asset.distance(ofFrame: frame, from: place.requested) <= seconds
    }
}
