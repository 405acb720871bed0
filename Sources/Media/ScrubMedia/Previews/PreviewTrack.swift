internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex
internal import ScrubMediaLogic
internal import ScrubPictures

/// The reduced pictures of a film's exact frames that a ``ScrubSession`` keeps, so that a moving finger finds the
/// frame it asks for without a decoder.
///
/// They are made while no request waits, on one thread of the lowest priority. They begin at the playhead and go
/// outward, farther ahead of a movement than behind it, one pass for each group of pictures. Pictures that the session
/// decodes anyway are used too. A preview is a few kilobytes, so that a ``ScrubBudget`` that holds a hundred pictures
/// holds thousands of previews. They are never called exact.
///
/// Of a film on the network nothing is fetched for them: as long as not all of its bytes are there, previews come from
/// the pictures that were asked for.
///
/// Thread safety: safe from any thread. Memory: a part of the session's budget, which pictures take back when they need
/// it; while previews are made, one more decoder within the budget.
public final class PreviewTrack: Sendable {
    let store: PreviewStore
    let recipe: PreviewCoder.Recipe
    private let maker: PreviewMaker
    /// Returns a decoded picture of the session that has no preview yet.
    private let offered: Locked<(@Sendable () -> (frame: Int, image: SharedFrame)?)?>
    private let index: FrameIndex
    private let allocator: FrameAllocator
    /// Its decoder's, and its pictures': so that the decoder's buffers are freed for a preview that is shown.
    private let decoding, showing: BudgetMember

    /// - Parameters:
    ///   - bytes: shared with the session's pictures.
    ///   - decoders: counts its decoder, where decoders are shared.
    /// - Returns: `nil` for streams whose pictures have no previews.
    init?(
        _ asset: VideoAsset, longSide: Int?, in bytes: ByteBudget, decoders: DecoderPool?
    ) {
        let index = asset.index
        guard !index.facts.descriptions.isEmpty, index.frameCount > 1 else { return nil }
        // Previews that are kept decide about their size, unless another is asked for.
        let file = asset.keptPreviews(
            .init(longSide: longSide ?? PreviewTrack.keptSide), isWriter: asset.keepsPreviews)
        let guess = PreviewTrack.side(frameCount: index.frameCount, byteLimit: bytes.limit)
        let side = longSide ?? (file == nil ? guess : PreviewTrack.keptSide)
        recipe = PreviewCoder.Recipe(longSide: side)
        // Nothing is guaranteed to it.
        let news = Locked<(@Sendable () -> Void)?>(nil)
        let tell: @Sendable () -> Void = { news.withLock { $0 }?() }
        let decoding = bytes.join(wake: tell)
        let starts = index.restarts.lazy.compactMap { index.frame(ofPicture: Int($0)) }
        let store = PreviewStore(
            PreviewPlan(groupStarts: starts.sorted(), frameCount: index.frameCount), bytes,
            kept: file.map { KeptPreviews($0, of: index) }, guessedByteCount: PreviewTrack.guessedByteCount(side))
        self.store = store
        let showing = bytes.join(wake: tell)
        (self.index, self.decoding, self.showing) = (index, decoding, showing)
        allocator = FrameAllocator(reserveCount: 4, budget: showing)
        let offered = Locked<(@Sendable () -> (frame: Int, image: SharedFrame)?)?>(nil)
        self.offered = offered
        let source = EnginePreviewSource(
            asset, index.previewCoder(recipe, in: allocator), budget: decoding,
            decoders: decoders.map { SpareLeases($0, wake: tell) },
            nextOffered: { offered.withLock { $0 }?() })
        let maker = PreviewMaker(source, store)
        self.maker = maker
        news.withLock { $0 = { [weak maker] in maker?.noteMemoryNews() } }
        // A member that joins the budget has its guarantee when joining is over.
        decoding.evict(.work) { [weak maker] in
            maker?.giveBackMemory()
            return false
        }
    }

    deinit {
        decoding.leave()
        showing.leave()
    }

    /// The number of previews that are there.
    public var frameCount: Int { store.count }
    /// Bytes of the previews in memory.
    public var byteCount: Int { store.byteCount }
    /// Bytes of the film's previews on the disk (``VideoAsset/OpenOptions/keepsPreviews``).
    public var keptByteCount: Int64 { store.kept?.byteCount ?? 0 }
    /// The longer side of a preview, in samples. Pictures that are smaller keep their size.
    public var longSide: Int { recipe.longSide }
    /// Processor time that the thread which makes previews has had.
    public var processorTime: Duration { maker.processorTime }

    /// Whether a frame has its preview.
    ///
    /// - Precondition: the frame exists.
    public func hasPreview(ofFrame frame: Int) -> Bool { store.contains(frame) }

    /// Returns the picture of a frame's preview; `nil` if it has none, or there is no memory for it.
    ///
    /// Cost: half a millisecond for 640 samples.
    func picture(ofFrame frame: Int) -> SharedFrame? {
        store[frame].flatMap { index.picture(ofPreview: $0, in: allocator) }
    }

    /// Returns a coder of previews, for one more thread.
    func coder() -> PreviewCoder { index.previewCoder(recipe, in: allocator) }

    func look(at frame: Int) { store.look(at: frame) }

    /// Makes nothing more until ``resume()``: a request waits.
    func pause() { maker.pause() }

    /// Makes nothing more, and ends the waiting for it: nothing more is requested.
    func stop() { maker.stop() }

    /// Makes previews while no request waits.
    func resume() { maker.resume() }

    /// Says where the session's pictures are that have no preview yet.
    ///
    /// - Parameter body: returns one of them, on the maker's thread. It must not call the track.
    func takeOffered(from body: @escaping @Sendable () -> (frame: Int, image: SharedFrame)?) {
        offered.withLock { $0 = body }
    }

    /// Says that the session has new pictures.
    func noteOffered() { maker.look() }

    /// Calls `body`, on a thread of its own, when all previews are there that have room around the last frame.
    func whenFull(_ body: @escaping @Sendable () -> Void) {
        maker.whenIdle(body)
    }

    /// Returns the most bytes of its decoder.
    static func workingByteCount(_ index: FrameIndex) -> Int { FrameEngine.workingByteCount(index, threadCount: 1) }

    /// Returns the longer side of a film's previews: larger where all of them have room.
    private static func side(frameCount: Int, byteLimit: Int) -> Int {
        let (bytes, overflow) = frameCount.multipliedReportingOverflow(by: guessedByteCount(640))
        return !overflow && bytes <= byteLimit / 2 ? 640 : 480
    }

    /// The longer side of previews that are kept on the disk, unless another is asked for: 640 samples.
    public static let keptSide = 640

    /// Everything that decides about the bytes of kept previews beside the film.
    package static var keptRecipeName: String {
        let recipe = PreviewCoder.Recipe(longSide: keptSide)
        return "previews \(recipe.longSide) quality \(recipe.quality) coder \(PreviewCoder.version)"
    }

    /// The guess at a preview's bytes: a tenth of a byte for each of its samples at 16:9.
    private static func guessedByteCount(_ side: Int) -> Int {
        let side = min(side, 1 << 16)
        return max(1024, side * side / 16 * 9 / 10)
    }
}
