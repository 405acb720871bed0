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
    fileprivate struct State {
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

    private let store: PreviewStore
    private let state = Locked(State())
    private let bell = Handover<Void>(capacity: 1)
    private let thread: DedicatedThread

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - source: used by the thread alone.
    ///   - processorTime: the time that the calling thread has had of a processor.
    /// - Throws: `inputOutput` when the system has no thread left.
    init(
        _ source: any PreviewSource, _ store: PreviewStore,
        processorTime: @escaping @Sendable () -> Duration = DedicatedThread.processorTime
    ) throws(ScrubError) {
        self.store = store
        let worker = Worker(
            source: Unshared(source), store: store, state: state, bell: bell, processorTime: processorTime)
        thread = try DedicatedThread {
            DedicatedThread.lowerPriority()
            worker.work()
        }
    }

    deinit {
        state.withLock { $0.isClosed = true }
        bell.offer(())
        thread.join()
    }

    /// Time that the thread has had of a processor.
    var processorTime: Duration { state.withLock { $0.processorTime } }

    /// Stops between two packets, for a request that waits.
    func pause() { state.withLock { $0.isPaused = true } }

    /// Stops between two packets. Callers that wait for all previews wait no longer.
    func stop() {
        let waiters = state.withLock { state in
            defer { (state.isPaused, state.waiters) = (true, []) }
            return state.waiters
        }
        for tell in waiters { tell() }
    }

    /// Goes on, or looks for work again: another frame is looked at, or memory came back.
    func resume() {
        state.withLock { state in
            state.isPaused = false
            state.news += 1
        }
        bell.offer(())
    }

    /// Looks whether its decoder is wanted, and whether the session has pictures without a preview.
    func look() { bell.offer(()) }

    /// Gives its decoder's memory back if it is wanted, and waits for that: no longer than a packet takes. Not for the
    /// maker's own thread.
    func giveBackMemory() {
        let gate = Handover<Void>(capacity: 1)
        let isClosed = state.withLock { state in
            if !state.isClosed { state.memoryWaiters.append { gate.offer(()) } }
            return state.isClosed
        }
        guard !isClosed else { return }
        bell.offer(())
        _ = gate.pop()
    }

    /// Calls `body` once, when nothing is left to do or making was stopped.
    func whenIdle(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.waiters.append(body) }
        resume()
    }

    /// What the thread works with.
    fileprivate struct Worker: Sendable {
        let source: Unshared<any PreviewSource>
        let store: PreviewStore
        let state: Locked<State>
        let bell: Handover<Void>
        let processorTime: @Sendable () -> Duration
    }
}

extension PreviewMaker.Worker {
    fileprivate func work() {
        let source = source.value
        while true {
            let (isClosed, isPaused, news) = state.withLock { ($0.isClosed, $0.isPaused, $0.news) }
            if isClosed {
                source.rest()
                let waiters = state.withLock { $0.waiters + $0.memoryWaiters }
                for tell in waiters { tell() }
                return
            }
            if source.isWantedBack { source.rest() }
            tellMemoryWaiters()
            if makeOffered() { continue }
            if isPaused {
                _ = bell.pop()
                continue
            }
            if source.canMakePasses, let pass = store.nextPass(), make(pass) { continue }
            source.rest()
            store.flush()
            let waiters = state.withLock { state in
                guard state.news == news, !state.isPaused else { return [@Sendable () -> Void]() }
                defer { state.waiters = [] }
                return state.waiters
            }
            for tell in waiters { tell() }
            if state.withLock({ $0.news == news }) { _ = bell.pop() }
        }
    }

    /// Makes the previews of a pass.
    ///
    /// - Returns: false if there was no memory to decode in.
    private func make(_ pass: PreviewPlan.Pass) -> Bool {
        let wanted = Wanted(store, pass, store.distance(to: pass))
        var unkept = 0
        let hasMemory = source.value.make(
            pass.frames,
            // Asked on this thread.
            isOver: { waits() || wanted.isOver },
            deliver: { frame, outcome in
                keep(outcome, of: frame, &unkept)
                noteTime()
            })
        // Memory that is wanted does not wait for the disk.
        if source.value.isWantedBack { source.value.rest() }
        tellMemoryWaiters()
        store.flush()
        noteTime()
        return hasMemory
    }

    /// Makes the preview of one picture that the session decoded.
    ///
    /// - Returns: false if no picture waits for that.
    private func makeOffered() -> Bool {
        var isKept = false
        let wasMade = source.value.makeOffered { frame, outcome in
            guard case .made(let preview) = outcome else { return store.leaveOut(frame, outcome) }
            isKept = store.insert(preview, of: frame)
        }
        if wasMade { noteTime() }
        // If one has no room, the next has none either.
        return wasMade && isKept
    }

    private func noteTime() { state.withLock { $0.processorTime = processorTime() } }

    /// Previews that are brought to the disk together.
    private static let flushCount = 32

    private func keep(_ outcome: PreviewOutcome, of frame: Int, _ unkept: inout Int) {
        guard case .made(let preview) = outcome else { return store.leaveOut(frame, outcome) }
        unkept += 1
        let isKept = store.insert(preview, of: frame)
        guard !isKept || unkept >= PreviewMaker.Worker.flushCount else { return }
        store.flush()
        unkept = 0
        if !isKept { _ = store.insert(preview, of: frame) }
    }

    /// Waits while a request does.
    ///
    /// - Returns: whether the work is over.
    private func waits() -> Bool {
        while true {
            let (isClosed, isPaused) = state.withLock { ($0.isClosed, $0.isPaused) }
            if isClosed || source.value.isWantedBack { return true }
            tellMemoryWaiters()
            if !isPaused { return false }
            if !makeOffered() { _ = bell.pop() }
        }
    }

    private func tellMemoryWaiters() {
        let waiters = state.withLock { state in
            defer { state.memoryWaiters = [] }
            return state.memoryWaiters
        }
        for tell in waiters { tell() }
    }

    /// Whether a pass is still worth its decoding.
    private struct Wanted: Sendable {
        private let store: PreviewStore
        private let pass: PreviewPlan.Pass
        private let distance: Int

        init(_ store: PreviewStore, _ pass: PreviewPlan.Pass, _ distance: Int) {
            (self.store, self.pass, self.distance) = (store, pass, distance)
        }

        /// Whether there is no room for more, or the playhead went three groups away.
        var isOver: Bool { store.isFull || store.distance(to: pass) > distance + 3 * max(pass.group.count, 64) }
    }
}
