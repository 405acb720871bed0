/// A part of a video in which to look for posters.
struct PosterScene {
    /// The frames that are on screen in this part; at least one.
    let frames: Range<Int>
    private let asset: VideoAsset

    /// Creates a scene from a time range.
    ///
    /// - Throws: `usage` if the range is entirely outside the video.
    init(_ range: Range<Rational>, of asset: VideoAsset) throws(ScrubError) {
        guard range.lowerBound < asset.duration || asset.frames.count == 1, range.upperBound > .zero else {
            throw ScrubError(
                .usage,
                "the time range from \(range.lowerBound.secondsText) to \(range.upperBound.secondsText) s is outside the film",
                file: asset.path, advice: "use a range between 0 and \(asset.duration.secondsText) s")
        }
        let first = try PosterScene.firstFrame(from: range.lowerBound, of: asset)
        let end = try PosterScene.firstFrame(from: range.upperBound, of: asset)
        // During a range between the starts of two frames, the earlier frame is on screen.
        frames = first < end ? first..<end : max(0, first - 1)..<max(1, first)
        self.asset = asset
    }

    /// Returns the number of the first frame that begins at a time or later, or the number of frames if there is none.
    private static func firstFrame(from time: Rational, of asset: VideoAsset) throws(ScrubError) -> Int {
        let shown = try asset.presentedFrame(nearest: .time(time))
        return shown.time < time ? shown.number + 1 : shown.number
    }

    /// The number of seconds from the start of the first frame to the start of the one after the last.
    var duration: Rational { end.subtracting(asset.time(ofFrame: frames.lowerBound)) ?? asset.duration }

    private var end: Rational {
        frames.upperBound < asset.frames.count ? asset.time(ofFrame: frames.upperBound) : asset.duration
    }

    /// Returns the midpoints of a number of equal parts, as times in the video.
    func times(_ count: Int) -> [Rational] {
        let start = asset.time(ofFrame: frames.lowerBound)
        return (0..<count).map { i in
            let part = duration.multiplied(by: Rational(Int64(2 * i + 1), Int64(2 * count)))
            return part.flatMap { start.adding($0) } ?? start
        }
    }
}
