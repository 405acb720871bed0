package import ScrubMedia
package import ScrubPictures
package import ScrubStoryboards

/// The pictures of a strip one by one, for callers that show them as they are made and write no files.
///
/// Kept previews are used if there are any; then almost nothing is decoded.
///
/// Thread safety: a value type; ``run(threadCount:_:)`` blocks.
package struct StripPictures: Sendable {
    /// The future strip, with the location of each thumbnail. Frames and verdicts are the plan's.
    package let storyboard: Storyboard
    /// The plan, with the frame that each thumbnail shows.
    package let plan: ThumbnailPlan
    /// The key picture nearest to each thumbnail, which can be shown until its own picture is available.
    private let keyFrames: [Int]
    private let asset: VideoAsset
    private let width: Int

    /// Plans a strip, without decoding.
    ///
    /// - Parameter width: the width of a thumbnail in pixels.
    /// - Throws: the errors of ``VideoAsset/thumbnailPlan(for:)``.
    package init(
        _ asset: VideoAsset, _ request: ThumbnailPlan.Request, width: Int, sheets: Storyboard.SheetOptions
    ) throws(ScrubError) {
        (self.asset, self.width) = (asset, width)
        plan = try asset.thumbnailPlan(for: request)
        let keyPlan = try asset.thumbnailPlan(for: .init(request.positions, tolerance: .keyframe))
        keyFrames = keyPlan.slots.map(\.frameNumber)
        let size = try ThumbnailPlan.Size.standard(width).fitting(try asset.uprightShape())
        storyboard = try plan.storyboard(of: asset, tile: size, sheets)
    }

    /// A picture of a strip.
    package struct Picture: Sendable {
        package var frame: Int
        /// The thumbnails that show it.
        package var places: [Int]
        /// Whether it is their own, rather than a key picture that stands in for it.
        package var isFinal: Bool
        /// The image; `nil` if it cannot be decoded.
        package var image: RasterImage?
        /// Whether it was made from a kept preview.
        package var isFromPreview: Bool
    }

    /// Makes the pictures: those from kept previews, then key pictures that stand in for the others at nearly no cost,
    /// then the others, with the first ones spread over the video.
    ///
    /// - Parameters:
    ///   - threadCount: the number of threads that decode.
    ///   - deliver: receives the pictures. An error that it throws ends the work.
    package func run(threadCount: Int, _ deliver: (Picture) throws(ScrubError) -> Void) throws(ScrubError) {
        var options = ThumbnailPlan.Options()
        (options.sizes, options.threadCount, options.usesKeptPreviews) = ([.standard(width)], threadCount, true)
        let extractor = try ThumbnailExtractor(asset, options, for: .near)
        let own = plan.slots.map(\.frameNumber)
        var (places, isFinal) = (Dictionary(grouping: own.indices) { own[$0] }, true)
        func take(_ answer: ThumbnailAnswer) throws(ScrubError) {
            try deliver(
                Picture(
                    frame: answer.frame, places: places[answer.frame] ?? [], isFinal: isFinal,
                    image: answer.images.first, isFromPreview: answer.isFromPreview))
        }
        var left = Set(own)
        try extractor.extractPreviews(left.sorted()) { (answer) throws(ScrubError) in
            try take(answer)
            left.remove(answer.frame)
        }
        let lacking = own.indices.filter { left.contains(own[$0]) }
        let keys = Dictionary(grouping: lacking) { keyFrames[$0] }
        if Set(keys.keys) != left {
            (places, isFinal) = (keys, false)
            try extractor.extract(keys.keys.sorted(), .coarseFirst, deliver: take)
        }
        (places, isFinal) = (Dictionary(grouping: lacking) { own[$0] }, true)
        try extractor.extract(left.sorted(), .coarseFirst, decoding: left, deliver: take)
    }
}
