package import ScrubMedia
package import ScrubPictures
package import Storyboards

/// The pictures of a strip one by one, for who shows them while they are made and writes no files.
///
/// Thread safety: a value; ``run(threadCount:_:)`` blocks.
package struct StripPictures: Sendable {
    /// The strip as it will be: where each thumbnail lies. Frames and verdicts are the plan's.
    package let storyboard: Storyboard
    /// Which frame each thumbnail shows.
    package let plan: ThumbnailPlan
    private let asset: VideoAsset
    private let width: Int

    /// Plans a strip; nothing is decoded.
    ///
    /// - Parameter width: of a thumbnail, in pixels.
    /// - Throws: as ``VideoAsset/thumbnailPlan(for:)``.
    package init(
        _ asset: VideoAsset, _ request: ThumbnailRequest, width: Int, sheets: SheetOptions
    ) throws(ScrubError) {
        (self.asset, self.width) = (asset, width)
        plan = try asset.thumbnailPlan(for: request)
        let size = try ThumbnailSize.width(width).fitting(try asset.uprightShape())
        storyboard = try plan.storyboard(of: asset, tile: size, sheets)
    }

    /// Makes the pictures, the first ones spread over the film.
    ///
    /// - Parameters:
    ///   - threadCount: threads that decode.
    ///   - deliver: takes a frame with its verdict and its picture, `nil` for one that cannot be decoded; what it throws ends the work.
    package func run(
        threadCount: Int, _ deliver: (Int, Verdict, RasterImage?) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        var options = ThumbnailOptions()
        (options.sizes, options.threadCount) = ([.width(width)], threadCount)
        let extractor = try ThumbnailExtractor(asset, options)
        try extractor.extract(Array(Set(plan.slots.map(\.frame)))) { (answer) throws(ScrubError) in
            try deliver(answer.frame, answer.verdict, answer.images.first)
        }
    }
}
