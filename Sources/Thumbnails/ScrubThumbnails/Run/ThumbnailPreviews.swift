internal import ScrubIndex
internal import ScrubLibAV
internal import ScrubMedia
internal import ScrubPictures

/// The kept previews of a video that are suitable for thumbnails.
struct ThumbnailPreviews: Sendable {
    /// The reason why no thumbnail is made from a preview.
    struct Unfit: Error {
        var reason: Wording
    }

    private let asset: VideoAsset
    private let kept: SavedPreviews
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
        guard !options.computesMD5 else {
            throw Unfit(reason: "hashes need full-size pictures")
        }
        let facts = asset.index.facts
        guard facts.alpha == .none else {
            throw Unfit(reason: "this video stores its alpha channel separately")
        }
        guard let kept = asset.keptPreviewsToRead() else {
            throw Unfit(reason: "this video has no kept previews; \(term: .previews) makes them")
        }
        (self.asset, self.kept, background) = (asset, kept, options.background)
        // Previews are already cropped.
        renderer = ThumbnailRenderer(
            sizes: sizes, codec: facts.descriptions.first, displayMatrix: facts.displayMatrix, cleanAperture: nil,
            shape: shape, containerAspect: facts.sampleAspectRatio)
        sides = sizes.map { (long: max($0.width, $0.height), short: min($0.width, $0.height)) }
        guard sides.allSatisfy({ $0.long <= PreviewTrack.keptSide }) else {
            throw Unfit(
                reason:
                    "the longer side of a preview is at most \(PreviewTrack.keptSide) pixels, and the thumbnails are larger"
            )
        }
    }

    /// Returns whether a frame has a preview, without reading it.
    func contains(_ frame: Int) -> Bool { kept.contains(frame) }

    /// Makes a frame's thumbnails from its preview.
    ///
    /// - Returns: `nil` if the preview is damaged or smaller than they are, or if 8 bits and reduced rows cannot
    ///   represent the picture's dynamic range or fields.
    func answer(_ frame: Int, in allocator: FrameAllocator) throws(ScrubError) -> ThumbnailAnswer? {
        guard let preview = kept.picture(ofFrame: frame, in: allocator), isFit(preview) else { return nil }
        let (images, warnings) = try renderer.render(preview)
        return ThumbnailAnswer(
            frame: frame, verdict: .approximate("made from a kept preview"),
            images: images.map { $0.shown(on: background) }, hash: nil, warnings: warnings, isFromPreview: true)
    }

    private func isFit(_ preview: SharedFrame) -> Bool {
        let color = ColorSpec.resolve(frame: preview.frame, codec: asset.index.facts.descriptions.first).color
        guard !preview.frame.isInterlaced, !ToneMapper.isNeeded(for: color) else { return false }
        let (width, height) = (preview.frame.width, preview.frame.height)
        let (long, short) = (max(width, height), min(width, height))
        // Pictures below the previews' size are kept unchanged.
        return long < PreviewTrack.keptSide || sides.allSatisfy { $0.long <= long && $0.short <= short }
    }
}
