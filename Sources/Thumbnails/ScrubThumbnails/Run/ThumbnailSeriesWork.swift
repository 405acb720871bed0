internal import ScrubPictures

/// The work of the thread behind a sequence of thumbnails: it decodes them in the video's order and delivers them by
/// time.
///
/// Memory: as for ``ThumbnailExtractor``, and the thumbnails whose turn has not come, as for
/// ``ThumbnailReorderBuffer``.
struct ThumbnailSeriesWork: Sendable {
    /// The number of thumbnails that wait for the reader. One more finds no room.
    static let ahead = 2

    private let asset: VideoAsset
    private let request: ThumbnailPlan.Request
    private let options: ThumbnailPlan.Options
    private let layout: PixelLayout

    init(
        _ asset: VideoAsset, _ request: ThumbnailPlan.Request, _ options: ThumbnailPlan.Options, _ layout: PixelLayout
    ) {
        (self.asset, self.request, self.layout) = (asset, request, layout)
        var options = options
        // There is no place for hashes.
        options.computesMD5 = false
        self.options = options
    }

    /// Starts the thread.
    ///
    /// - Parameter made: counts the frames whose thumbnails were made.
    /// - Throws: `inputOutput` if the system cannot create a thread.
    func start(counting made: Locked<Int>) throws(ScrubError) -> BlockingProducer<Thumbnails.Element> {
        try BlockingProducer(ahead: ThumbnailSeriesWork.ahead) { (deliver) throws(ScrubError) in
            try run(counting: made, deliver)
        }
    }

    private func run(
        counting made: Locked<Int>, _ deliver: (Thumbnails.Element) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        let plan = try asset.thumbnailPlan(for: request)
        let extractor = try ThumbnailExtractor(asset, options, for: plan.tolerance == .exact ? .exact : .near)
        let pixelCount = extractor.sizes.reduce(0) { $0 + $1.width * $1.height }
        // A preview that turns out to be unsuitable is decoded at the end of its part, and the others wait for it.
        let parts = ThumbnailReorderBuffer.parts(
            of: plan.slots.map { $0.frameNumber }, pictureByteCount: pixelCount * layout.bytesPerPixel,
            isOrdered: !extractor.usesPreviews)
        for part in parts {
            var queue = ThumbnailSlotQueue(plan.slots[part])
            try extractor.extract(queue.frames, .film) { (answer) throws(ScrubError) in
                made.withLock { $0 += 1 }
                queue.take(answer.frame, ThumbnailSlotQueue.Made(answer, layout))
                while let thumbnail = queue.next() { try deliver(thumbnail) }
            }
        }
    }
}

/// A queue that puts thumbnails, which arrive in decode order, into the order of a plan's slots.
struct ThumbnailSlotQueue {
    /// A frame's thumbnails.
    struct Made {
        var images: [PixelImage]
        var verdict: Verdict
        var isFromPreview: Bool

        init(_ answer: ThumbnailAnswer, _ layout: PixelLayout) {
            images = answer.images.map { PixelImage($0, answer.warnings, layout: layout) }
            (verdict, isFromPreview) = (answer.verdict, answer.isFromPreview)
        }
    }

    /// The slots that were not delivered.
    private var slots: ArraySlice<ThumbnailPlan.Slot>
    /// The last slot that shows a frame.
    private let lastUse: [Int: Int]
    /// The thumbnails that arrived and are still to be used.
    private var held: [Int: Made] = [:]

    init(_ slots: ArraySlice<ThumbnailPlan.Slot>) {
        self.slots = slots
        lastUse = ThumbnailReorderBuffer.lastUse(slots.map { (slot: $0.index, frame: $0.frameNumber) })
    }

    /// The frames to decode, in the video's order.
    var frames: [Int] { lastUse.keys.sorted() }

    /// The number of frames whose thumbnails wait for their turn.
    var heldCount: Int { held.count }

    /// Accepts a frame's thumbnails.
    mutating func take(_ frame: Int, _ made: Made) { held[frame] = made }

    /// Returns the next thumbnail, if it has arrived. Slots that show the same frame get the same pictures.
    mutating func next() -> Thumbnails.Element? {
        guard let slot = slots.first, let made = held[slot.frameNumber] else { return nil }
        slots.removeFirst()
        if lastUse[slot.frameNumber] == slot.index { held[slot.frameNumber] = nil }
        return Thumbnails.Element(
            slot: slot, images: made.images,
            verdict: made.verdict.standing(for: slot.requestedFrameNumber, by: slot.frameNumber),
            isFromPreview: made.isFromPreview)
    }
}
