internal import ScrubBase
internal import ScrubIndex
internal import ScrubLibAV
internal import ScrubMedia
internal import ScrubPlayersLogic

/// A video's kept previews, for a player whose exact pictures are late.
///
/// They are looked up and decoded on a separate thread, because a decoder that is late has no time for this, and a
/// player's clock cannot wait for a file. Thread safety: safe from any thread. Memory: one preview and the pictures
/// that callers hold, all within the budget if there is one.
final class PreviewPictures: Sendable {
    typealias Deliver = PlayerPipelineFactory.Deliver

    fileprivate struct State {
        /// The newest request.
        var asked: (ticket: Int, frame: Int)?
        /// Whether the video has previews; `nil` until they have been looked up.
        var arePresent: Bool?
    }

    private let state: Locked<State>
    private let thread = StepWorkerThread()
    private let deliver: Deliver

    /// Creates an object without opening any file.
    ///
    /// - Parameters:
    ///   - largest: the maximum size of the pictures; `nil` for the previews' own size.
    ///   - deliver: receives the pictures as placeholders.
    init(
        _ asset: VideoAsset, inside largest: (width: Int, height: Int)?, budget: ScrubBudget?,
        deliver: @escaping Deliver
    ) {
        let state = Locked(State())
        (self.state, self.deliver) = (state, deliver)
        thread.give(
            PreviewPainting(state, deliver) {
                asset.keptPreviewsToRead().map { PreviewPainter(asset, $0, inside: largest, budget: budget) }
            })
    }

    deinit { close() }

    /// Looks up the previews in the background on the first call, so that the first late frame does not have to wait
    /// for this.
    func prepare() { if !isPrepared { thread.ring() } }

    /// Whether the previews have been looked up.
    var isPrepared: Bool { state.withLock { $0.arePresent != nil } }

    /// Requests a frame's preview. A newer request replaces one that is still waiting. If the frame has no preview,
    /// this is reported.
    func show(_ frame: Int, ticket: Int) {
        let isWithout = state.withLock { state in
            guard state.arePresent != false else { return true }
            state.asked = (ticket, frame)
            return false
        }
        if isWithout { _ = deliver(ticket, .withoutPreview(frame)) } else { thread.ring() }
    }

    /// Ends the thread. No further requests are made.
    func close() {
        state.withLock { $0.asked = nil }
        thread.close(isIdle: true)
    }
}

/// The thread's work. Each turn provides one preview.
private final class PreviewPainting: StepwiseWork {
    private let state: Locked<PreviewPictures.State>
    private let deliver: PreviewPictures.Deliver
    private let find: () -> PreviewPainter?
    private var painter: PreviewPainter?

    init(
        _ state: Locked<PreviewPictures.State>, _ deliver: @escaping PreviewPictures.Deliver,
        find: @escaping () -> PreviewPainter?
    ) {
        (self.state, self.deliver, self.find) = (state, deliver, find)
    }

    func turn() -> StepOutcome {
        if state.withLock({ $0.arePresent == nil }) {
            painter = find()
            let isFound = painter != nil
            state.withLock { $0.arePresent = isFound }
        }
        guard let asked = takeAsked() else { return .rest(atMost: nil) }
        let picture = painter?.picture(ofFrame: asked.frame)
        _ = deliver(asked.ticket, picture.map { .placeholder($0) } ?? .withoutPreview(asked.frame))
        return .now
    }

    private func takeAsked() -> (ticket: Int, frame: Int)? { state.exchange(\.asked, for: nil) }

    /// If no thread can be created, the frame is reported as having no preview, and the next request tries again.
    func fail(_ error: ScrubError) {
        if let asked = takeAsked() { _ = deliver(asked.ticket, .withoutPreview(asked.frame)) }
    }

    func end() { painter?.end() }
}

/// An object that makes pictures from previews and has separate memory. It is used from one thread.
private struct PreviewPainter {
    private let asset: VideoAsset
    private let kept: SavedPreviews
    private let allocator: FrameAllocator
    private let loans: HeldPictures?
    private let member: BudgetMember?
    private let reducer: PictureReducer?

    init(
        _ asset: VideoAsset, _ kept: SavedPreviews, inside largest: (width: Int, height: Int)?, budget: ScrubBudget?
    ) {
        (self.asset, self.kept) = (asset, kept)
        // No memory is guaranteed, because a preview is optional.
        let member = budget?.bytes.join()
        self.member = member
        let allocator = FrameAllocator(reserveCount: 2, budget: member)
        self.allocator = allocator
        loans = member.map { HeldPictures($0, waitingByteCount: budget?.waitingByteCount) }
        reducer = largest.map { largest in
            PictureReducer(
                size: { EnginePictureFeed.size(of: ($0, $1), inside: largest) }, asset.index.facts.descriptions.first,
                allocator)
        }
    }

    func picture(ofFrame frame: Int) -> FedPicture<FramePicture>? {
        guard let preview = kept.picture(ofFrame: frame, in: allocator),
            let fitting = reducer.map({ $0.reduce(preview) }) ?? preview, let picture = lend(fitting)
        else { return nil }
        return FedPicture(
            frame: frame, image: picture, verdict: .approximate("kept preview: the exact picture is late"))
    }

    private func lend(_ image: SharedFrame) -> FramePicture? {
        guard let loans else { return FramePicture(image, asset: asset) }
        return loans.lend(image, isAhead: true).map { FramePicture($0, asset: asset) }
    }

    func end() { member?.leave() }
}
