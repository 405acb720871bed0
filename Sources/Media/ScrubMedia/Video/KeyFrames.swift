package import ScrubBase
package import ScrubDecoding
internal import ScrubIndex

/// The frames of a film that stand alone: the container's word for it, until a look at the picture's header shows that
/// it is wrong.
///
/// Use from one thread.
package struct KeyFrames {
    private let asset: VideoAsset
    private let planner: SeekPlanner
    /// Ascending. Those that don't stand alone are taken out when it shows.
    private lazy var frames = asset.index.restarts.compactMap { asset.index.frame(ofPicture: Int($0)) }.sorted()

    /// Looks at nothing yet.
    package init(_ asset: VideoAsset, _ planner: SeekPlanner) { (self.asset, self.planner) = (asset, planner) }

    /// Returns the one whose time is nearest.
    ///
    /// - Parameters:
    ///   - frame: the one on screen at `time`.
    ///   - allowed: the frames that it may be.
    package mutating func nearest(to time: Rational, _ frame: Int, in allowed: Range<Int>) -> Int? {
        while true {
            let above = frames.partitioningIndex { $0 > max(frame, allowed.lowerBound - 1) }
            let near = [above - 1, above].filter { frames.indices.contains($0) && allowed.contains(frames[$0]) }
            let best = near.min {
                asset.distance(ofFrame: frames[$0], from: time) < asset.distance(ofFrame: frames[$1], from: time)
            }
            guard let best else { return nil }
            // A header that could not be read now says nothing.
            if planner.isKeyFrame(frames[best]) || Cancellation.isCurrentCancelled { return frames[best] }
            frames.remove(at: best)
        }
    }
}

extension VideoAsset {
    /// Returns the distance of a frame's time from another, in seconds.
    package func distance(ofFrame frame: Int, from time: Rational) -> Rational {
        self.time(ofFrame: frame).subtracting(time)?.magnitude ?? Rational(.max)
    }
}
