internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex
internal import ScrubMediaLogic
internal import ScrubPictures

/// Reduced pictures of a video's exact frames, kept by a ``ScrubSession`` so that a frame can be shown without a
/// decoder while the finger moves.
///
/// Previews are made on one thread with the lowest priority while no request is pending. They start at the playhead and
/// extend outward, farther ahead of the movement than behind it, with one pass per group of pictures. Pictures that the
/// session decodes anyway are used too. A preview takes a few kilobytes: a ``ScrubBudget`` with room for a hundred
/// pictures has room for thousands of previews. A preview is never labeled exact.
///
/// For a video on the network, no bytes are fetched for previews. Until all its bytes are available, previews are made
/// only from requested pictures.
///
/// Thread safety: safe from any thread. Memory: part of the session's budget, which full pictures reclaim when they
/// need it. Making previews also uses one more decoder within the budget.
package final class PreviewTrack: Sendable {
    let store: PreviewStore
    let recipe: PreviewCoder.Recipe
    private let maker: PreviewMaker
    /// Returns a decoded picture of the session that has no preview yet.
    private let offered: Locked<(@Sendable () -> (frame: Int, image: SharedFrame)?)?>
    private let index: FrameIndex
    private let allocator: FrameAllocator
    /// Separate members for its decoder and its pictures, so that the decoder's buffers are freed for a preview that is
    /// shown.
    private let decoding, showing: BudgetMember

    /// Creates a preview track.
    ///
    /// - Parameters:
    ///   - bytes: the budget, shared with the session's pictures.
    ///   - decoders: counts its decoder, if decoders are shared.
    /// - Returns: `nil` for streams whose pictures cannot have previews.
    init?(
        _ asset: VideoAsset, longSide: Int?, in bytes: ByteBudget, decoders: DecoderPool?
    ) {
        let index = asset.index
        guard !index.facts.descriptions.isEmpty, index.frameCount > 1 else { return nil }
        // Existing previews determine the size, unless another size is requested.
        let file = asset.keptPreviews(
            .init(longSide: longSide ?? PreviewTrack.keptSide), isWriter: asset.keepsPreviews)
        let guess = PreviewTrack.side(frameCount: index.frameCount, byteLimit: bytes.limit)
        let side = longSide ?? (file == nil ? guess : PreviewTrack.keptSide)
        recipe = PreviewCoder.Recipe(longSide: side)
        // The track has no guaranteed memory.
        let news = Locked<(@Sendable () -> Void)?>(nil)
        let tell: @Sendable () -> Void = { news.withLock { $0 }?() }
        let decoding = bytes.join(wake: tell)
        let starts = index.restarts.lazy.compactMap { index.frame(ofPicture: Int($0)) }
        let store = PreviewStore(
            PreviewPlan(groupStarts: starts.sorted(), frameCount: index.frameCount), bytes,
            kept: file.map { SavedPreviews($0, of: index) }, guessedByteCount: PreviewTrack.guessedByteCount(side))
        self.store = store
        let showing = bytes.join(wake: tell)
        (self.index, self.decoding, self.showing) = (index, decoding, showing)
        allocator = FrameAllocator(reserveCount: 4, budget: showing)
        let offered = Locked<(@Sendable () -> (frame: Int, image: SharedFrame)?)?>(nil)
        self.offered = offered
        let source = EnginePreviewSource(
            asset, index.previewCoder(recipe, in: allocator), budget: decoding,
            decoders: decoders.map { AdditionalDecoderLeases($0, wake: tell) },
            nextOffered: { offered.withLock { $0 }?() })
        let maker = PreviewMaker(source, store)
        self.maker = maker
        news.withLock { $0 = { [weak maker] in maker?.noteMemoryNews() } }
        // A member's guarantee applies only after it has joined the budget.
        decoding.evict(.work) { [weak maker] in
            maker?.giveBackMemory()
            return false
        }
    }

    deinit {
        decoding.leave()
        showing.leave()
    }

    /// The number of available previews.
    package var frameCount: Int { store.count }
    /// The size in bytes of the previews in memory.
    package var byteCount: Int { store.byteCount }
    /// The size in bytes of the video's previews on disk (``VideoAsset/OpenOptions/keepsPreviews``).
    package var keptByteCount: Int64 { store.kept?.byteCount ?? 0 }
    /// The longer side of a preview, in samples. Smaller pictures are not scaled.
    package var longSide: Int { recipe.longSide }
    /// The processor time used by the thread that makes previews.
    package var processorTime: Duration { maker.processorTime }

    /// Returns whether a frame has a preview.
    ///
    /// - Precondition: the frame exists.
    package func hasPreview(ofFrame frame: Int) -> Bool { store.contains(frame) }

    /// Returns the picture of a frame's preview; `nil` if the frame has none or there is no memory for it.
    ///
    /// Cost: half a millisecond for 640 samples.
    func picture(ofFrame frame: Int) -> SharedFrame? {
        store[frame].flatMap { index.picture(ofPreview: $0, in: allocator) }
    }

    /// Returns a coder for previews, for another thread.
    func coder() -> PreviewCoder { index.previewCoder(recipe, in: allocator) }

    func look(at frame: Int) { store.look(at: frame) }

    /// Pauses until ``resume()``, for a pending request.
    func pause() { maker.pause() }

    /// Stops making previews, and ends waiting for them, because there are no further requests.
    func stop() { maker.stop() }

    /// Resumes making previews while no request is pending.
    func resume() { maker.resume() }

    /// Sets the source of the session's pictures without a preview.
    ///
    /// - Parameter body: returns one of them, on the maker's thread. It must not call the track.
    func takeOffered(from body: @escaping @Sendable () -> (frame: Int, image: SharedFrame)?) {
        offered.withLock { $0 = body }
    }

    /// Records that the session has new pictures.
    func noteOffered() { maker.look() }

    /// Calls `body` once on another thread: with true when all previews that fit around the last frame are available,
    /// or with false when the track stops before that.
    func whenFull(_ body: @escaping @Sendable (_ isFull: Bool) -> Void) {
        maker.whenIdle(body)
    }

    /// Returns the maximum number of bytes that the track's decoder uses.
    static func workingByteCount(_ index: FrameIndex) -> Int { FrameEngine.workingByteCount(index, threadCount: 1) }

    /// Returns the longer side of a video's previews: larger if all of them fit.
    private static func side(frameCount: Int, byteLimit: Int) -> Int {
        let (bytes, overflow) = frameCount.multipliedReportingOverflow(by: guessedByteCount(640))
        return !overflow && bytes <= byteLimit / 2 ? 640 : 480
    }

    /// The default longer side of previews kept on disk: 640 samples.
    package static let keptSide = 640

    /// A name for everything other than the video that determines the bytes of kept previews.
    package static var keptRecipeName: String {
        let recipe = PreviewCoder.Recipe(longSide: keptSide)
        return "previews \(recipe.longSide) quality \(recipe.quality) coder \(PreviewCoder.version)"
    }

    /// Returns the estimated size of a preview: a tenth of a byte per sample at 16:9.
    private static func guessedByteCount(_ side: Int) -> Int {
        let side = min(side, 1 << 16)
        return max(1024, side * side / 16 * 9 / 10)
    }
}
