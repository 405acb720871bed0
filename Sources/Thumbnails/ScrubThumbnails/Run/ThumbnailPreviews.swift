internal import ScrubIndex
internal import ScrubLibAV
internal import ScrubMedia
internal import ScrubPictures

/// The kept previews of a video, as far as thumbnails may be made of them.
struct ThumbnailPreviews: Sendable {
    /// Why no thumbnail is made of a preview.
    struct Unfit: Error {
        var reason: Wording
    }

    private let asset: VideoAsset
    private let kept: KeptPreviews
    private let background: RGBColor
    private let renderer: ThumbnailRenderer
    /// The thumbnails' longest and shortest sides.
    private let sides: [(long: Int, short: Int)]

    /// Opens the previews.
    ///
    /// - Parameters:
    ///   - sizes: the sizes of the thumbnails.
    ///   - shape: the upright shape that the sizes were made for.
    init(
        _ asset: VideoAsset, _ options: ThumbnailPlan.Options, _ sizes: [PictureSize], shape: (width: Int, height: Int)
    ) throws(Unfit) {
        guard !options.makesHashes else {
            throw Unfit(reason: "hashes are of pictures at full size")
        }
        let facts = asset.index.facts
        guard facts.alpha == .none else {
            throw Unfit(reason: "this video has its transparency beside it")
        }
        guard let kept = asset.keptPreviewsToRead() else {
            throw Unfit(reason: "none is kept of this video, which \(term: .previews) changes")
        }
        (self.asset, self.kept, background) = (asset, kept, options.background)
        // What is cut off is cut off of previews already.
        renderer = ThumbnailRenderer(
            sizes: sizes, codec: facts.descriptions.first, displayMatrix: facts.displayMatrix, cleanAperture: nil,
            shape: shape, containerAspect: facts.sampleAspectRatio)
        sides = sizes.map { (long: max($0.width, $0.height), short: min($0.width, $0.height)) }
        guard sides.allSatisfy({ $0.long <= PreviewTrack.keptSide }) else {
            throw Unfit(reason: "they have \(PreviewTrack.keptSide) samples at most, fewer than the thumbnails")
        }
    }

    /// Whether a frame has one. Nothing is read.
    func contains(_ frame: Int) -> Bool { kept.contains(frame) }

    /// Makes a frame's thumbnails of its preview.
    ///
    /// - Returns: `nil` if it is damaged, smaller than they are, or of a picture whose light or fields 8 bits and
    ///   reduced rows do not hold.
    func answer(_ frame: Int, in allocator: FrameAllocator) throws(ScrubError) -> ThumbnailAnswer? {
        guard let preview = kept.picture(ofFrame: frame, in: allocator), isFit(preview) else { return nil }
        let (images, warnings) = try renderer.render(preview)
        return ThumbnailAnswer(
            frame: frame, verdict: .approximate("made of a kept preview"),
            images: images.map { $0.shown(on: background) }, hash: nil, warnings: warnings, isFromPreview: true)
    }

    private func isFit(_ preview: SharedFrame) -> Bool {
        let color = ColorSpec.resolve(frame: preview.frame, codec: asset.index.facts.descriptions.first).color
        guard !preview.frame.isInterlaced, !ToneMapper.isNeeded(for: color) else { return false }
        let (width, height) = (preview.frame.width, preview.frame.height)
        let (long, short) = (max(width, height), min(width, height))
        // Pictures below the previews' size are kept as they are.
        return long < PreviewTrack.keptSide || sides.allSatisfy { $0.long <= long && $0.short <= short }
    }
}
