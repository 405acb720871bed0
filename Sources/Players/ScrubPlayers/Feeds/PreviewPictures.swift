internal import ScrubBase
internal import ScrubIndex
internal import ScrubLibAV
internal import ScrubMedia
internal import ScrubPlayersLogic

/// A video's kept previews for a player whose exact pictures are late.
///
/// They are looked for and made on a thread of their own: a decoder that is late has no time for them, and a player's
/// clock none for a file. The thread that looks for them ends if nothing is asked for meanwhile; the one that makes
/// them is there from the first one on. Thread safety: safe from any thread. Memory: one preview and the pictures that
/// callers hold, all in the budget where there is one.
final class PreviewPictures: Sendable {
    typealias Deliver = PlayerLaneMaker.Deliver

    /// What is known of the film's previews.
    private enum Finding: Sendable {
        case unknown
        case none
        case kept(KeptPreviews)
    }

    private struct State {
        var asked: (ticket: Int, frame: Int)?
        var finding = Finding.unknown
        /// Whether there is a thread.
        var isRunning = false
        var isClosed = false
    }

    private let bell = TimedBell(State())
    private let asset: VideoAsset
    private let largest: (width: Int, height: Int)?
    private let budget: ScrubBudget?
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
        (self.asset, self.largest, self.budget, self.deliver) = (asset, largest, budget, deliver)
    }

    deinit { close() }

    /// Looks for them beside the caller, the first time, so that the first late frame does not wait for that.
    func prepare() {
        let mustStart = bell.ring { state in
            guard case .unknown = state.finding, !state.isRunning, !state.isClosed else { return false }
            state.isRunning = true
            return true
        }
        if mustStart { start() }
    }

    /// Whether they were looked for.
    var isPrepared: Bool {
        bell.withLock { state in if case .unknown = state.finding { false } else { true } }
    }

    /// Asks for a frame's preview; the newest of these wins. A frame without one is reported.
    func show(_ frame: Int, ticket: Int) {
        enum Turn { case start, wait, without }
        let turn = bell.ring { state -> Turn in
            guard !state.isClosed else { return .wait }
            if case .none = state.finding { return .without }
            state.asked = (ticket, frame)
            defer { state.isRunning = true }
            return state.isRunning ? .wait : .start
        }
        switch turn {
        case .start: start()
        case .wait: break
        case .without: _ = deliver(ticket, .withoutPreview(frame))
        }
    }

    /// Starts the thread. Without one, what was asked for is reported, and another request tries again.
    private func start() {
        do throws(ScrubError) {
            try DedicatedThread { [bell, asset, largest, budget, deliver] in
                guard let kept = PreviewPictures.find(bell, asset, deliver) else { return }
                PreviewPictures.run(bell, PreviewPainter(asset, kept, inside: largest, budget: budget), deliver)
            }.detach()
        } catch {
            let asked = bell.ring { state in
                defer { (state.isRunning, state.asked) = (false, nil) }
                return state.asked
            }
            if let asked { _ = deliver(asked.ticket, .withoutPreview(asked.frame)) }
        }
    }

    /// Ends the thread; nothing more is requested.
    func close() { bell.ring { ($0.isClosed, $0.asked) = (true, nil) } }

    /// Looks for the previews, unless that was done.
    ///
    /// - Returns: `nil` if the thread is to end: there are none, or nothing was asked for.
    private static func find(_ bell: TimedBell<State>, _ asset: VideoAsset, _ deliver: Deliver) -> KeptPreviews? {
        let known = bell.withLock { state -> Finding in state.finding }
        if case .kept(let kept) = known { return kept }
        let kept = asset.keptPreviewsToRead()
        let (asked, goesOn) = bell.ring { state -> ((ticket: Int, frame: Int)?, Bool) in
            state.finding = kept.map { .kept($0) } ?? .none
            state.isRunning = kept != nil && state.asked != nil
            defer { if kept == nil { state.asked = nil } }
            return (state.asked, state.isRunning)
        }
        if goesOn { return kept }
        if let asked { _ = deliver(asked.ticket, .withoutPreview(asked.frame)) }
        return nil
    }

    private static func run(_ bell: TimedBell<State>, _ painter: PreviewPainter, _ deliver: Deliver) {
        while true {
            let next = bell.wait { state -> TimedBell<State>.Wake<(ticket: Int, frame: Int)?> in
                defer { state.asked = nil }
                return state.isClosed || state.asked != nil ? .done(state.asked) : .sleep(nil)
            }
            guard let next else { break }
            let picture = painter.picture(ofFrame: next.frame)
            _ = deliver(next.ticket, picture.map { .placeholder($0) } ?? .withoutPreview(next.frame))
        }
        painter.end()
    }
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
