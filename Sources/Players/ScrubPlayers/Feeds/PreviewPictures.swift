internal import ScrubBase
internal import ScrubIndex
internal import ScrubLibAV
internal import ScrubMedia
internal import ScrubPlayersLogic

/// A video's kept previews for a player whose exact pictures are late.
///
/// They are looked for and made on a thread of their own: a decoder that is late has no time for them, and a player's
/// clock none for a file. Thread safety: safe from any thread. Memory: one preview and the pictures that callers hold,
/// all in the budget where there is one.
final class PreviewPictures: Sendable {
    typealias Deliver = PlayerLaneMaker.Deliver

    fileprivate struct State {
        /// The newest request.
        var asked: (ticket: Int, frame: Int)?
        /// Whether the film has previews; `nil` before they were looked for.
        var arePresent: Bool?
    }

    private let state: Locked<State>
    private let thread = TurnThread()
    private let deliver: Deliver

    /// Opens nothing.
    ///
    /// - Parameters:
    ///   - largest: the largest size of the pictures; `nil` for the previews' own.
    ///   - deliver: takes them as placeholders.
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

    /// Looks for them beside the caller, the first time, so that the first late frame does not wait for that.
    func prepare() { if !isPrepared { thread.ring() } }

    /// Whether they were looked for.
    var isPrepared: Bool { state.withLock { $0.arePresent != nil } }

    /// Asks for a frame's preview; the newest of these wins. A frame without one is reported.
    func show(_ frame: Int, ticket: Int) {
        let isWithout = state.withLock { state in
            guard state.arePresent != false else { return true }
            state.asked = (ticket, frame)
            return false
        }
        if isWithout { _ = deliver(ticket, .withoutPreview(frame)) } else { thread.ring() }
    }

    /// Ends the thread; nothing more is requested.
    func close() {
        state.withLock { $0.asked = nil }
        thread.close(isIdle: true)
    }
}

/// The work of the thread: a turn is a preview.
private final class PreviewPainting: TurnWork {
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

    func turn() -> NextTurn {
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

    /// Without a thread, what was asked for is reported, and another request tries again.
    func fail(_ error: ScrubError) {
        if let asked = takeAsked() { _ = deliver(asked.ticket, .withoutPreview(asked.frame)) }
    }

    func end() { painter?.end() }
}

/// Makes pictures of previews, in memory of its own. Used from one thread.
private struct PreviewPainter {
    private let asset: VideoAsset
    private let kept: KeptPreviews
    private let allocator: FrameAllocator
    private let loans: PictureLoans?
    private let member: BudgetMember?
    private let reducer: PictureReducer?

    init(
        _ asset: VideoAsset, _ kept: KeptPreviews, inside largest: (width: Int, height: Int)?, budget: ScrubBudget?
    ) {
        (self.asset, self.kept) = (asset, kept)
        // Nothing is guaranteed to it: a preview is for comfort.
        let member = budget?.bytes.join()
        self.member = member
        let allocator = FrameAllocator(reserveCount: 2, budget: member)
        self.allocator = allocator
        loans = member.map { PictureLoans($0, waitingByteCount: budget?.waitingByteCount) }
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
            frame: frame, image: picture, verdict: .approximate("a kept preview: the exact picture is late"))
    }

    private func lend(_ image: SharedFrame) -> FramePicture? {
        guard let loans else { return FramePicture(image, asset: asset) }
        return loans.lend(image, isAhead: true).map { FramePicture($0, asset: asset) }
    }

    func end() { member?.leave() }
}
