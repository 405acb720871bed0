package import ScrubBase
package import ScrubDecoding
internal import ScrubIndex

/// The independent frames of a video: those that the container marks, unless the picture's header shows otherwise.
///
/// Use from one thread.
package struct KeyFrames {
    private let asset: VideoAsset
    private let planner: SeekPlanner
    /// The frames in ascending order. Those that are not independent are removed when this is discovered.
    private lazy var frames = asset.index.restarts.compactMap { asset.index.frame(ofPicture: Int($0)) }.sorted()

    /// Creates the list without reading any headers.
    package init(_ asset: VideoAsset, _ planner: SeekPlanner) { (self.asset, self.planner) = (asset, planner) }

    /// Returns the frame with the nearest time.
    ///
    /// - Parameters:
    ///   - frame: the frame on screen at `time`.
    ///   - allowed: the allowed frames.
    package mutating func nearest(to time: Rational, _ frame: Int, in allowed: Range<Int>) -> Int? {
        while true {
            let above = frames.partitioningIndex { $0 > max(frame, allowed.lowerBound - 1) }
            let near = [above - 1, above].filter { frames.indices.contains($0) && allowed.contains(frames[$0]) }
            let best = near.min {
                asset.distance(ofFrame: frames[$0], from: time) < asset.distance(ofFrame: frames[$1], from: time)
            }
            guard let best else { return nil }
            // A header that could not be read proves nothing.
            if planner.isKeyFrame(frames[best]) || Cancellation.isCurrentCancelled { return frames[best] }
            frames.remove(at: best)
        }
    }
}

extension VideoAsset {
    /// Returns the distance between a frame's time and another time, in seconds.
    package func distance(ofFrame frame: Int, from time: Rational) -> Rational {
        self.time(ofFrame: frame).subtracting(time)?.magnitude ?? Rational(.max)
    }
}
