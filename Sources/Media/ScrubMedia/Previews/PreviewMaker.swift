internal import ScrubBase
internal import ScrubMediaLogic

/// The thread that makes previews while no request waits, from the playhead outward, one pass for each group.
///
/// It has the lowest priority, and decodes on that one thread. While a request waits it stands still between two
/// packets; its decoder keeps its place. Previews of pictures that the session decoded are made meanwhile too: that
/// takes only what the session's decoder leaves of the processors.
///
/// Thread safety: safe from any thread.
final class PreviewMaker: Sendable {
    struct State {
        /// Nothing is made before the first frame is looked at.
        var isPaused = true
        var isClosed = false
        /// Counts what may have made new work.
        var news = 0
        /// Told once that nothing is left to do.
        var waiters: [@Sendable () -> Void] = []
        /// Told once that no memory is held that is wanted back.
        var memoryWaiters: [@Sendable () -> Void] = []
        var processorTime = Duration.zero
    }

    private let state = Locked(State())
    private let thread = TurnThread(longestRest: nil)

    /// Starts nothing yet.
    ///
    /// - Parameters:
    ///   - source: used by the thread alone.
    ///   - processorTime: the time that the calling thread has had of a processor.
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

    /// Time that the thread has had of a processor.
    var processorTime: Duration { state.withLock { $0.processorTime } }

    /// Stops between two packets, for a request that waits.
    func pause() { state.withLock { $0.isPaused = true } }

    /// Stops between two packets. Callers that wait for all previews wait no longer.
    func stop() {
        pause()
        for tell in state.exchange(\.waiters, for: []) { tell() }
    }

    /// Goes on, or looks for work again: another frame is looked at, or memory came back.
    func resume() {
        state.withLock { state in
            state.isPaused = false
            state.news += 1
        }
        look()
    }

    /// Looks again: memory came back, or its decoder is wanted.
    func noteMemoryNews() {
        state.withLock { $0.news += 1 }
        look()
    }

    /// Looks whether its decoder is wanted, and whether the session has pictures without a preview.
    func look() { thread.ring() }

    /// Gives its decoder's memory back if it is wanted, and waits for that: no longer than a packet takes. Not for the
    /// maker's own thread.
    func giveBackMemory() {
        let gate = Handover<Void>(capacity: 1)
        let isClosed = state.withLock { state in
            if !state.isClosed { state.memoryWaiters.append { gate.offer(()) } }
            return state.isClosed
        }
        guard !isClosed else { return }
        look()
        _ = gate.pop()
    }

    /// Calls `body` once, when nothing is left to do or making was stopped.
    func whenIdle(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.waiters.append(body) }
        resume()
    }
}

/// The work of a ``PreviewMaker``'s thread. A turn is about one packet, or one preview.
///
/// Use from one thread.
private final class PreviewLoop: TurnWork {
    private let source: any PreviewSource
    private let store: PreviewStore
    private let state: Locked<PreviewMaker.State>
    private let processorTime: @Sendable () -> Duration
    /// The pass under way, with the distance of the playhead when it was begun.
    private var pass: (frames: PreviewPlan.Pass, distance: Int)?
    /// Previews that were not brought to the disk yet.
    private var unkept = 0
    /// The news at which there was no memory to decode in: others may bring some.
    private var starvedNews: Int?

    /// Previews that are brought to the disk together.
    private static let flushCount = 32

    init(
        _ source: any PreviewSource, _ store: PreviewStore, _ state: Locked<PreviewMaker.State>,
        _ processorTime: @escaping @Sendable () -> Duration
    ) {
        (self.source, self.store, self.state, self.processorTime) = (source, store, state, processorTime)
    }

    func begin() { DedicatedThread.lowerPriority() }

    /// Without a thread nothing comes that could be waited for, and no memory is held.
    func fail(_ error: ScrubError) { tellAll() }

    func turn() -> NextTurn {
        let (isPaused, news) = state.withLock { ($0.isPaused, $0.news) }
        // Those that wait from now on were not seen.
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
        let waiters = state.withLock { state -> [@Sendable () -> Void] in
            guard state.news == news, !state.isPaused else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for tell in waiters { tell() }
        return .rest(atMost: nil)
    }

    /// Closes the decoder, and tells all that wait.
    func end() {
        source.rest()
        tellAll()
    }

    private func tellAll() {
        for tell in state.exchange(\.waiters, for: []) { tell() }
        tellMemoryWaiters()
    }

    private func tellMemoryWaiters() { for tell in state.exchange(\.memoryWaiters, for: []) { tell() } }

    /// Returns false if nothing is wanted, or there was no memory to decode in.
    private func beginPass() -> Bool {
        guard source.canMakePasses, let next = store.nextPass(), source.begin(next.frames) else { return false }
        pass = (next, store.distance(to: next))
        return true
    }

    /// Whether the pass is no longer worth its decoding: there is no room for more, or the playhead went three groups
    /// away.
    private var isOver: Bool {
        guard let (frames, distance) = pass, source.canMakePasses, !store.isFull else { return true }
        return store.distance(to: frames) > distance + 3 * max(frames.group.count, 64)
    }

    /// Does about one packet of the pass.
    ///
    /// - Returns: whether there was no memory to decode in.
    private func stepPass() -> Bool {
        let step = isOver ? .over : source.step { keep($1, of: $0) }
        state.withLock { $0.processorTime = processorTime() }
        guard step != .more else { return false }
        endPass()
        return step == .starved
    }

    /// - Parameter isLast: closes the decoder: it is wanted, or there is nothing to do for it.
    private func endPass(isLast: Bool = false) {
        pass = nil
        source.leave()
        // Memory that is wanted does not wait for the disk.
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
    /// - Returns: false if no picture waits for that. If one has no room, the next has none either.
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
