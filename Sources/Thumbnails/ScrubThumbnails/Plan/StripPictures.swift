package import ScrubMedia
package import ScrubPictures
package import ScrubStoryboards

/// The pictures of a strip one by one, for callers that show them while they are made and write no files.
///
/// Thread safety: a value; ``run(_:threadCount:_:)`` blocks.
package struct StripPictures: Sendable {
    /// The strip as it will be: where each thumbnail is. Frames and verdicts are the plan's.
    package let storyboard: Storyboard
    /// Which frame each thumbnail shows.
    package let plan: ThumbnailPlan
    /// The key picture nearest to each thumbnail, which can be shown until its own picture is there.
    package let keyFrames: [Int]
    private let asset: VideoAsset
    private let width: Int

    /// Plans a strip; nothing is decoded.
    ///
    /// - Parameter width: of a thumbnail, in pixels.
    /// - Throws: as ``VideoAsset/thumbnailPlan(for:)``.
    package init(
        _ asset: VideoAsset, _ request: ThumbnailPlan.Request, width: Int, sheets: Storyboard.SheetOptions
    ) throws(ScrubError) {
        (self.asset, self.width) = (asset, width)
        plan = try asset.thumbnailPlan(for: request)
        keyFrames = try asset.thumbnailPlan(for: ThumbnailPlan.Request(request.places, tolerance: .keyframe)).slots.map(
            \.frame)
        let size = try ThumbnailPlan.Size.standard(width).fitting(try asset.uprightShape())
        storyboard = try plan.storyboard(of: asset, tile: size, sheets)
    }

    /// Makes pictures of some frames, the first ones spread over the film.
    ///
    /// - Parameters:
    ///   - frames: each comes once.
    ///   - threadCount: threads that decode.
    ///   - deliver: takes a frame with its verdict and its picture, `nil` for one that cannot be decoded; its error
    ///     ends the work.
    package func run(
        _ frames: some Sequence<Int>, threadCount: Int,
        _ deliver: (Int, Verdict, RasterImage?) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        var options = ThumbnailPlan.Options()
        (options.sizes, options.threadCount) = ([.standard(width)], threadCount)
        let extractor = try ThumbnailExtractor(asset, options, for: .near)
        try extractor.extract(Array(Set(frames)), .coarseFirst) { (answer) throws(ScrubError) in
            try deliver(answer.frame, answer.verdict, answer.images.first)
        }
    }
}
