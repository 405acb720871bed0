internal import ScrubBase
internal import ScrubMediaLogic

/// The thread that makes previews while no request is pending, from the playhead outward, one pass per group.
///
/// It has the lowest priority, and decodes on that one thread. While a request is pending, it pauses between two
/// packets; its decoder keeps its position. In the meantime, it still makes previews of pictures that the session
/// decoded, which uses only the processor time that the session's decoder leaves free.
///
/// Thread safety: safe from any thread.
final class PreviewMaker: Sendable {
    struct State {
        /// Nothing is made until the first frame is shown.
        var isPaused = true
        var isClosed = false
        /// A counter of events that may have created new work.
        var news = 0
        /// Called once: with true when there is nothing left to do, or with false when the maker stops.
        var waiters: [@Sendable (Bool) -> Void] = []
        /// Called once when no memory is held that others need.
        var memoryWaiters: [@Sendable () -> Void] = []
        var processorTime = Duration.zero
    }

    private let state = Locked(State())
    private let thread = StepWorkerThread(longestRest: nil)

    /// Creates a maker. It does not start a thread yet.
    ///
    /// - Parameters:
    ///   - source: the source, used only by the thread.
    ///   - processorTime: returns the processor time used by the calling thread.
    init(
        _ source: any PreviewSource, _ store: PreviewStore,
        processorTime: @escaping @Sendable () -> Duration = DedicatedThread.processorTime
    ) {
        thread.give(PreviewLoop(source, store, state, processorTime))
    }

    deinit {
        state.withLock { $0.isClosed = true }
        thread.close()
        thread.join()
    }

    /// The processor time that the thread has used.
    var processorTime: Duration { state.withLock { $0.processorTime } }

    /// Pauses between two packets, for a pending request.
    func pause() { state.withLock { $0.isPaused = true } }

    /// Stops between two packets. Callers that wait for all previews stop waiting.
    func stop() {
        pause()
        for tell in state.exchange(\.waiters, for: []) { tell(false) }
    }

    /// Resumes, or looks for work again: the playhead has moved, or memory was released.
    func resume() {
        state.withLock { state in
            state.isPaused = false
            state.news += 1
        }
        look()
    }

    /// Looks for work again: memory was released, or others need the decoder.
    func noteMemoryNews() {
        state.withLock { $0.news += 1 }
        look()
    }

    /// Checks whether others need the maker's decoder, and whether the session has pictures without a preview.
    func look() { thread.ring() }

    /// Returns the decoder's memory if others need it, and waits until that is done, at most for the time of one
    /// packet. Must not be called on the maker's own thread.
    func giveBackMemory() {
        let gate = BoundedQueue<Void>(capacity: 1)
        let isClosed = state.withLock { state in
            if !state.isClosed { state.memoryWaiters.append { gate.offer(()) } }
            return state.isClosed
        }
        guard !isClosed else { return }
        look()
        _ = gate.pop()
    }

    /// Calls `body` once: with true when there is nothing left to do, or with false when the maker stops before that.
    func whenIdle(_ body: @escaping @Sendable (_ isComplete: Bool) -> Void) {
        state.withLock { $0.waiters.append(body) }
        resume()
    }
}

/// The work of a ``PreviewMaker``'s thread. A turn is about one packet, or one preview.
///
/// Use from one thread.
private final class PreviewLoop: StepwiseWork {
    private let source: any PreviewSource
    private let store: PreviewStore
    private let state: Locked<PreviewMaker.State>
    private let processorTime: @Sendable () -> Duration
    /// The pass in progress, with the distance to the playhead when it began.
    private var pass: (frames: PreviewPlan.Pass, distance: Int)?
    /// The number of previews that are not on disk yet.
    private var unkept = 0
    /// The event counter at which there was no memory for decoding. Later events may release memory.
    private var starvedNews: Int?

    /// The number of previews that are written to disk together.
    private static let flushCount = 32

    init(
        _ source: any PreviewSource, _ store: PreviewStore, _ state: Locked<PreviewMaker.State>,
        _ processorTime: @escaping @Sendable () -> Duration
    ) {
        (self.source, self.store, self.state, self.processorTime) = (source, store, state, processorTime)
    }

    func begin() { DedicatedThread.lowerPriority() }

    /// Without a thread, there is nothing to wait for, and no memory is held.
    func fail(_ error: ScrubError) { tellAll() }

    func turn() -> StepOutcome {
        let (isPaused, news) = state.withLock { ($0.isPaused, $0.news) }
        // Callers that start waiting from now on have not been seen.
        let memoryWaiters = state.exchange(\.memoryWaiters, for: [])
        if source.isWantedBack { endPass(isLast: true) }
        for tell in memoryWaiters { tell() }
        if makeOffered() { return .now }
        if isPaused { return .rest(atMost: nil) }
        if starvedNews != news, pass != nil || beginPass() {
            if stepPass() { starvedNews = news }
            return .now
        }
        endPass(isLast: true)
        let waiters = state.withLock { state -> [@Sendable (Bool) -> Void] in
            guard state.news == news, !state.isPaused else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for tell in waiters { tell(true) }
        return .rest(atMost: nil)
    }

    /// Closes the decoder, and notifies all waiting callers.
    func end() {
        source.rest()
        tellAll()
    }

    private func tellAll() {
        for tell in state.exchange(\.waiters, for: []) { tell(false) }
        tellMemoryWaiters()
    }

    private func tellMemoryWaiters() { for tell in state.exchange(\.memoryWaiters, for: []) { tell() } }

    /// Begins a pass. Returns false if no previews are needed, or if there was no memory for decoding.
    private func beginPass() -> Bool {
        guard source.canMakePasses, let next = store.nextPass(), source.begin(next.frames) else { return false }
        pass = (next, store.distance(to: next))
        return true
    }

    /// Whether the pass is no longer worth decoding: there is no room for more, or the playhead is three groups away.
    private var isOver: Bool {
        guard let (frames, distance) = pass, source.canMakePasses, !store.isFull else { return true }
        return store.distance(to: frames) > distance + 3 * max(frames.group.count, 64)
    }

    /// Decodes about one packet of the pass.
    ///
    /// - Returns: whether there was no memory for decoding.
    private func stepPass() -> Bool {
        let step = isOver ? .over : source.step { keep($1, of: $0) }
        state.withLock { $0.processorTime = processorTime() }
        guard step != .more else { return false }
        endPass()
        return step == .starved
    }

    /// Ends the pass.
    ///
    /// - Parameter isLast: whether to close the decoder, because others need it or there is no more work for it.
    private func endPass(isLast: Bool = false) {
        pass = nil
        source.leave()
        // Memory that others need is returned without waiting for the disk.
        if isLast || source.isWantedBack { source.rest() }
        tellMemoryWaiters()
        flush()
    }

    private func flush() {
        store.flush()
        unkept = 0
    }

    /// Makes the preview of one picture that the session decoded.
    ///
    /// - Returns: false if no picture is waiting. If there is no room for one preview, there is none for the next one.
    private func makeOffered() -> Bool {
        var isKept = false
        let wasMade = source.makeOffered { frame, outcome in
            guard case .made(let preview) = outcome else { return store.leaveOut(frame, outcome) }
            isKept = store.insert(preview, of: frame)
        }
        if wasMade { state.withLock { $0.processorTime = processorTime() } }
        return wasMade && isKept
    }

    private func keep(_ outcome: PreviewOutcome, of frame: Int) {
        guard case .made(let preview) = outcome else { return store.leaveOut(frame, outcome) }
        unkept += 1
        let isKept = store.insert(preview, of: frame)
        guard !isKept || unkept >= PreviewLoop.flushCount else { return }
        flush()
        if !isKept { _ = store.insert(preview, of: frame) }
    }
}
