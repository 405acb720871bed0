/// A part of a video in which to look for posters.
struct PosterScene {
    /// The frames on screen in it; at least one.
    let frames: Range<Int>
    private let asset: VideoAsset

    /// Creates a scene from a time span.
    ///
    /// - Throws: `usage` if the span is entirely outside the video.
    init(_ span: Range<Rational>, of asset: VideoAsset) throws(ScrubError) {
        guard span.lowerBound < asset.duration || asset.frames.count == 1, span.upperBound > .zero else {
            throw ScrubError(
                .usage,
                "the span from \(span.lowerBound.secondsText) to \(span.upperBound.secondsText) s is outside the film",
                file: asset.path, advice: "use a span within 0 to \(asset.duration.secondsText) s")
        }
        let first = try PosterScene.firstFrame(from: span.lowerBound, of: asset)
        let end = try PosterScene.firstFrame(from: span.upperBound, of: asset)
        // A span between two frames shows the previous one.
        frames = first < end ? first..<end : max(0, first - 1)..<max(1, first)
        self.asset = asset
    }

    /// Returns the first frame that begins at a time or later; the number of frames if there is none.
    private static func firstFrame(from time: Rational, of asset: VideoAsset) throws(ScrubError) -> Int {
        let shown = try asset.presentedFrame(nearest: .time(time))
        return shown.time < time ? shown.number + 1 : shown.number
    }

    /// The seconds from its first frame to the one after its last.
    var duration: Rational { end.subtracting(asset.time(ofFrame: frames.lowerBound)) ?? asset.duration }

    private var end: Rational {
        frames.upperBound < asset.frames.count ? asset.time(ofFrame: frames.upperBound) : asset.duration
    }

    /// Returns the middles of equal parts, as frames' own times.
    func times(_ count: Int) -> [Rational] {
        let start = asset.time(ofFrame: frames.lowerBound)
        return (0..<count).map { i in
            let part = duration.multiplied(by: Rational(Int64(2 * i + 1), Int64(2 * count)))
            return part.flatMap { start.adding($0) } ?? start
        }
    }
}
