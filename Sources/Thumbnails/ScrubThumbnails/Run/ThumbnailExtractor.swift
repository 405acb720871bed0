internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex
internal import ScrubPictures

extension ThumbnailPlan {
    /// Options for making thumbnails.
    public struct Options: Hashable, Sendable {
        /// The sizes of the thumbnails. Each thumbnail is made in every size from the same decoded picture, upright and
        /// with square pixels. The default is one size with a width of 320 pixels.
        public var sizes = [ThumbnailPlan.Size.width(320)]
        /// The number of decoding threads, 1 or more; `nil` for one per processor.
        public var threadCount: Int?
        /// Whether to compute the MD5 of each decoded picture, as returned by ``FramePicture/streamMD5()``. This
        /// requires a pass over every picture at full size.
        public var computesMD5 = false
        /// The color behind transparent pixels, with red, green and blue in 0...255. The default is black.
        public var background = RGBColor.black
        /// Whether to interpolate the missing rows of interlaced pictures along edges
        /// (``FramePicture/Options/deinterlaces``). Thumbnails show the first field in either case. The default is
        /// false.
        public var deinterlaces = false
        /// Whether to make thumbnails from the video's kept previews
        /// (``VideoAsset/keepPreviews(longSide:threadCount:progress:)``) if these are large enough, instead of
        /// decoding. Such a thumbnail is never called exact, and its ``Storyboard/Thumbnail/isFromPreview`` is true.
        /// Frames without a preview are decoded. All frames are decoded if ``computesMD5`` is set or the video has high
        /// dynamic range. The default is false, so the thumbnails do not depend on which previews exist.
        public var usesKeptPreviews = false

        /// Creates options with default values.
        public init() {}

        /// Rejects invalid options.
        func check() throws(ScrubError) {
            guard !sizes.isEmpty else {
                throw ScrubError(
                    .usage, "no thumbnail size is given", advice: "specify at least one, such as .width(160)")
            }
            try ScrubError.check("threadCount", threadCount)
        }
    }
}

/// A frame's small pictures.
struct ThumbnailAnswer: Sendable {
    var frame: Int
    var verdict: Verdict
    /// The pictures, one per width, 8-bit RGB; empty for an undecodable frame.
    var images: [RasterImage]
    var hash: String?
    var warnings: [String]
    /// The number of coded pictures decoded for it since the previous answer.
    var decoded = 0
    /// Whether the decoder reports that this picture is independent.
    var isToldKey = false
    /// Whether it was made from a kept preview.
    var isFromPreview = false

    /// Whether there is a picture without known damage.
    var isClean: Bool {
        switch verdict {
        case .exact, .approximate: !images.isEmpty
        case .damaged, .undecodable: false
        }
    }
    /// Whether only a comparison can prove that the picture is the right one.
    var needsProof: Bool { isClean && verdict != .exact && !isToldKey }
}

/// An extractor that decodes the pictures of a plan and reduces them.
///
/// Groups of pictures are decoded in parallel, and pictures are reduced by the thread that decoded them. Memory: for
/// each thread, a decoder's own pictures and one in transit; thumbnails are delivered as they are made. In the video's
/// order, also ``aheadByteCount`` for each thread.
struct ThumbnailExtractor {
    /// The maximum number of bytes of small pictures that a thread makes ahead of their turn; two pictures if these
    /// take more.
    static let aheadByteCount = 8 << 20

    /// Returns the size in bytes of a frame's small pictures.
    static func byteCount(_ sizes: [PictureSize]) -> Int { sizes.reduce(0) { $0 + $1.width * $1.height * 3 } }

    let asset: VideoAsset
    let options: ThumbnailPlan.Options
    /// The options' sizes for this video.
    let sizes: [PictureSize]
    /// The engine that decodes, used only for this extractor's pictures.
    private let engine: FrameEngine
    /// The renderer that reduces pictures.
    private let renderer: ThumbnailRenderer
    /// The previews from which thumbnails are made; `nil` if all are decoded.
    private let previews: ThumbnailPreviews?
    /// The reason why no preview is used although it was requested.
    let previewProblem: Wording?
    /// Whether thumbnails are made from previews, where there are any.
    var usesPreviews: Bool { previews != nil }

    /// The purpose of pictures.
    enum Purpose: Sendable {
        /// Restarts that are not confirmed by a header are compared first.
        case exact
        /// Pictures from an unproven restart are called approximate, whatever was compared before.
        case near
        /// As for `near`, and damage is accepted.
        case look
    }

    /// The order in which thumbnails are delivered.
    enum Order {
        /// As soon as they are available.
        case any
        /// Group by group, with the first groups spread over the video.
        case coarseFirst
        /// Group by group in the video's order; within a group, in decode order.
        case film
    }

    init(_ asset: VideoAsset, _ options: ThumbnailPlan.Options, for purpose: Purpose) throws(ScrubError) {
        try options.check()
        self.asset = asset
        self.options = options
        let shape = try asset.uprightShape()
        sizes = try options.sizes.map { (size) throws(ScrubError) in try size.fitting(shape) }
        var reader = FrameReader.Options()
        (reader.threadCount, reader.cacheByteLimit, reader.decoderLimit) = (options.threadCount, 0, 1)
        var decoding = reader.engine
        decoding.isForOneBatch = true
        decoding.hasSecondOpinions = purpose != .look
        engine = FrameEngine(asset.seekPlanner(unproven: purpose == .exact ? .proven : .approximate), options: decoding)
        let facts = asset.index.facts
        renderer = ThumbnailRenderer(
            sizes: sizes, codec: facts.descriptions.first, displayMatrix: facts.displayMatrix,
            cleanAperture: facts.cleanAperture, shape: shape, containerAspect: facts.sampleAspectRatio,
            deinterlaces: options.deinterlaces)
        guard options.usesKeptPreviews else {
            (previews, previewProblem) = (nil, nil)
            return
        }
        do throws(ThumbnailPreviews.Unfit) {
            (previews, previewProblem) = (try ThumbnailPreviews(asset, options, sizes, shape: shape), nil)
        } catch {
            (previews, previewProblem) = (nil, error.reason)
        }
    }

    /// The peak memory of the pictures. Reading it waits until the last decoders are closed.
    var memory: PictureMemory {
        engine.settle()
        return PictureMemory(engine.allocator, engine.cache)
    }

    /// Makes the thumbnails of frames with suitable previews, without decoding.
    ///
    /// - Parameter deliver: receives the thumbnails; throwing ends the work.
    func extractPreviews(
        _ frames: [Int], deliver: (ThumbnailAnswer) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        guard let previews else { return }
        for frame in frames where previews.contains(frame) {
            if let answer = try previews.answer(frame, in: engine.allocator) { try deliver(answer) }
        }
    }

    /// Makes the thumbnails of frames.
    ///
    /// - Parameters:
    ///   - order: the order of delivery. Except in the video's order, those made from previews come first.
    ///   - decoding: frames to decode even if there are previews.
    ///   - deliver: receives the thumbnails; throwing ends the work.
    func extract(
        _ frames: [Int], _ order: Order = .any, decoding: Set<Int> = [],
        deliver: (ThumbnailAnswer) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        guard let previews else { return try decode(frames, order, deliver: deliver) }
        let made = frames.filter { previews.contains($0) && !decoding.contains($0) }.sorted()
        let isMade = Set(made)
        var (next, missing) = (made.startIndex, [Int]())
        // Each thumbnail in its turn, so that none waits for those in between.
        func makePreviews(before frame: Int?) throws(ScrubError) {
            while next < made.endIndex, frame.map({ made[next] < $0 }) ?? true {
                if let answer = try previews.answer(made[next], in: engine.allocator) {
                    try deliver(answer)
                } else {
                    missing.append(made[next])
                }
                next += 1
            }
        }
        if order != .film { try makePreviews(before: nil) }
        try decode(frames.filter { !isMade.contains($0) }, order) { (answer) throws(ScrubError) in
            if order == .film { try makePreviews(before: answer.frame) }
            try deliver(answer)
        }
        try makePreviews(before: nil)
        // Damaged previews, or those that are too small after all.
        try decode(missing, order, deliver: deliver)
    }

    private func decode(
        _ frames: [Int], _ order: Order, deliver: (ThumbnailAnswer) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        guard !frames.isEmpty else { return }
        let (asset, options, renderer) = (asset, options, renderer)
        let map: @Sendable (Int, FrameEngine.Answer) throws(ScrubError) -> ThumbnailAnswer = {
            (number, answer) throws(ScrubError) in
            guard let shared = answer.frame else {
                return ThumbnailAnswer(
                    frame: number, verdict: answer.verdict, images: [], hash: nil, warnings: [], decoded: answer.decoded
                )
            }
            let (whole, alphaWarnings) = try asset.withAlpha(shared)
            let (images, warnings) = try renderer.render(whole)
            let hash =
                options.computesMD5 ? try FramePicture(shared, asset: asset).streamMD5() : nil
            return ThumbnailAnswer(
                frame: number, verdict: answer.verdict,
                images: images.map { $0.shown(on: options.background) }, hash: hash,
                warnings: warnings + alphaWarnings, decoded: answer.decoded, isToldKey: shared.frame.isToldKey)
        }
        let batch: BatchOrder =
            switch order {
            case .any: .any
            // Not picture by picture: a group that is started twice is decoded twice.
            case .coarseFirst: .coarseFirst
            case .film:
                .film(ahead: max(2, ThumbnailExtractor.aheadByteCount / max(1, ThumbnailExtractor.byteCount(sizes))))
            }
        try engine.frames(frames, order: batch, map: map) { (_, answer) throws(ScrubError) in try deliver(answer) }
    }
}

extension VideoAsset {
    /// Returns the size of an upright picture's clean aperture with square pixels. It decodes the first frame if the
    /// size is not available otherwise.
    package func uprightShape() throws(ScrubError) -> (width: Int, height: Int) {
        let facts = index.facts
        let description = facts.descriptions[0]
        var (width, height) = (Int(description.width), Int(description.height))
        var aspect =
            facts.sampleAspectRatio
            ?? Rational(checked: Int64(description.aspectNumerator), Int64(description.aspectDenominator))
        var matrix = facts.displayMatrix ?? description.displayMatrix
        if width <= 0 || height <= 0 {
            var reader = FrameReader(self)
            let answer = try reader.frame(at: .first)
            guard let first = answer.picture?.shared else {
                let reason: Wording = answer.verdict.wording.map { ": \($0)" } ?? ""
                throw ScrubError(
                    .badData,
                    "the file does not state the size of its pictures, and the first picture cannot be decoded\(reason)",
                    file: path)
            }
            (width, height) = (first.frame.width, first.frame.height)
            aspect = aspect ?? first.frame.sampleAspectRatio
            matrix = matrix ?? first.frame.displayMatrix
        }
        if let area = facts.cleanAperture, area.fits(width: width, height: height) {
            (width, height) = (area.width, area.height)
        }
        let isTold = (aspect ?? .zero) > .zero
        return PictureGeometry(
            orientation: matrix.map { Orientation(displayMatrix: $0) } ?? .upright,
            sampleAspectRatio: isTold ? aspect ?? .one : .one
        ).outputSize(width: width, height: height)
    }
}
