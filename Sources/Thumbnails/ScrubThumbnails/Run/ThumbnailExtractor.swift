internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex
internal import ScrubPictures

extension ThumbnailPlan {
    /// The options for making thumbnails.
    public struct Options: Hashable, Sendable {
        /// The sizes of the thumbnails. Each thumbnail is made once in every size, from the same decoded picture,
        /// upright and with square pixels. Default 320 pixels of width.
        public var sizes = [ThumbnailPlan.Size.width(320)]
        /// Threads that decode, 1 or more; `nil` for as many as there are processors.
        public var threadCount: Int?
        /// Whether each answer carries the MD5 of the decoded picture, as ``FramePicture/streamMD5()`` gives it. Costs
        /// a pass over every picture at full size.
        public var makesHashes = false
        /// The color under transparent pixels, 0...255 for red, green and blue. Default black.
        public var background = RGBColor.black
        /// Whether the missing rows of interlaced pictures are interpolated along edges
        /// (``FramePicture/Options/deinterlaces``). Thumbnails show the first field in any case. Default false.
        public var deinterlaces = false
        /// Whether thumbnails are made of the video's kept previews
        /// (``VideoAsset/keepPreviews(longSide:threadCount:progress:)``) where these are large enough, instead of
        /// decoding. Such a thumbnail is never called exact, and ``Storyboard/Thumbnail/isFromPreview`` says so. What
        /// previews lack is decoded; so is everything where ``makesHashes`` is set, and of video with a high dynamic
        /// range. Default false: then the bytes do not depend on what is kept.
        public var usesKeptPreviews = false

        /// Makes options.
        public init() {}

        /// Rejects options that thumbnails cannot be made with.
        func check() throws(ScrubError) {
            guard !sizes.isEmpty else {
                throw ScrubError(.usage, "no thumbnail size is given", advice: "give one at least, such as .width(160)")
            }
            try ScrubError.check("threadCount", threadCount)
        }
    }
}

/// A frame's small pictures.
struct ThumbnailAnswer: Sendable {
    var frame: Int
    var verdict: Verdict
    /// One for each width, 8-bit RGB; none for a frame that is undecodable.
    var images: [RasterImage]
    var hash: String?
    var warnings: [String]
    /// Coded pictures that were decoded for it, since the answer before it.
    var decoded = 0
    /// Whether the decoder says of this very picture that it depends on no other.
    var isToldKey = false
    /// Whether it was made of a kept preview.
    var isFromPreview = false

    /// Whether nothing speaks against the picture: there is one, and no damage in it.
    var isClean: Bool {
        switch verdict {
        case .exact, .approximate: !images.isEmpty
        case .damaged, .undecodable: false
        }
    }
    /// Whether nothing but comparing can show that the picture is the right one.
    var needsProof: Bool { isClean && verdict != .exact && !isToldKey }
}

/// Decodes the pictures of a plan and makes them small.
///
/// Groups of pictures are decoded side by side, and pictures are made small by the thread that decoded them. Memory:
/// for each thread a decoder's own pictures and one on its way; thumbnails are handed out as they come. In the film's
/// order, ``aheadByteCount`` for each thread too.
struct ThumbnailExtractor {
    /// The most bytes of small pictures that a thread makes ahead of their turn; two pictures where these take more.
    static let aheadByteCount = 8 << 20

    /// Bytes of a frame's small pictures.
    static func byteCount(_ sizes: [PictureSize]) -> Int { sizes.reduce(0) { $0 + $1.width * $1.height * 3 } }

    let asset: VideoAsset
    let options: ThumbnailPlan.Options
    /// The options' sizes for this video.
    let sizes: [PictureSize]
    /// Decodes; for this extractor's pictures alone.
    private let engine: FrameEngine
    /// Makes frames' pictures small.
    private let renderer: ThumbnailRenderer
    /// Previews to make thumbnails of; `nil` where all are decoded.
    private let previews: ThumbnailPreviews?
    /// Why no preview is taken, though that was asked for.
    let previewProblem: Wording?

    /// The purpose of pictures.
    enum Purpose: Sendable {
        /// Restarts that no header proves are compared first.
        case exact
        /// Pictures that come from a restart that no header proves are called approximate, whatever was compared
        /// before.
        case near
        /// The same, and damage is taken as it comes.
        case look
    }

    /// In which order thumbnails come.
    enum Order {
        /// As soon as they are there.
        case any
        /// Group by group, the first groups spread over the film.
        case coarseFirst
        /// Group by group in the film's order; inside a group as it is decoded.
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

    /// The memory that pictures took, at most. Waits until the last decoders are closed.
    var memory: PictureMemory {
        engine.settle()
        return PictureMemory(engine.allocator, engine.cache)
    }

    /// Makes the thumbnails of those frames whose previews are fit for that. Nothing is decoded.
    ///
    /// - Parameter deliver: takes them; throwing ends the work.
    func extractPreviews(
        _ frames: [Int], deliver: (ThumbnailAnswer) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        guard let previews else { return }
        for frame in frames where previews.contains(frame) {
            if let answer = try previews.answer(frame, in: engine.allocator) { try deliver(answer) }
        }
    }

    /// Makes the thumbnails of some frames.
    ///
    /// - Parameters:
    ///   - order: in which they come. Without the film's, those that are made of previews come first.
    ///   - decoding: frames that are decoded whatever previews there are.
    ///   - deliver: takes them; throwing ends the work.
    func extract(
        _ frames: [Int], _ order: Order = .any, decoding: Set<Int> = [],
        deliver: (ThumbnailAnswer) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        guard let previews else { return try decode(frames, order, deliver: deliver) }
        let made = frames.filter { previews.contains($0) && !decoding.contains($0) }.sorted()
        let isMade = Set(made)
        var (next, missing) = (made.startIndex, [Int]())
        // Each in its turn, so that nothing waits for those between.
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
        // What is damaged, or too small after all.
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
                options.makesHashes ? try FramePicture(shared, asset: asset).streamMD5() : nil
            return ThumbnailAnswer(
                frame: number, verdict: answer.verdict,
                images: images.map { $0.shown(on: options.background) }, hash: hash,
                warnings: warnings + alphaWarnings, decoded: answer.decoded, isToldKey: shared.frame.isToldKey)
        }
        let batch: BatchOrder =
            switch order {
            case .any: .any
            // Not picture by picture: a group that is begun twice is decoded twice.
            case .coarseFirst: .coarseFirst
            case .film:
                .film(ahead: max(2, ThumbnailExtractor.aheadByteCount / max(1, ThumbnailExtractor.byteCount(sizes))))
            }
        try engine.frames(frames, order: batch, map: map) { (_, answer) throws(ScrubError) in try deliver(answer) }
    }
}

extension VideoAsset {
    /// Returns the size of an upright picture's clean aperture with square pixels. Decodes the first frame where
    /// nothing else tells its size.
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
                    .badData, "nothing tells the size of the pictures, and the first one cannot be decoded\(reason)",
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
