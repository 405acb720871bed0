internal import Glibc
internal import ScrubBase

/// The threads of a run: several that process films, and one that moves results to their places.
///
/// Thread safety: its state is behind a lock; call ``work(on:sideBySide:)`` from one thread at a time.
final class BatchWorkers: Sendable {
    private struct State {
        var queue: ArraySlice<BatchItem> = []
        /// Films that another run was processing, and those that it still is.
        var busy: [BatchItem] = []
        /// The sum of the predictions for all unfinished films.
        var openWeight = 0.0
        var totalWeight = 0.0
        var error: ScrubError?
        /// Why no more films are started: the cache has no room for previews.
        var lack: BatchState.Row?
        /// Films that were not started for this reason.
        var unbegun = 0
        var passedOver = 0
        /// Films that are not accounted for.
        var left = 0
    }

    /// The results that a worker passes to the publisher.
    private enum Finished: Sendable {
        case made(MadeResult)
        case settled(BatchState.Row, BatchOutcome?)
    }

    /// The maximum number of results that wait for their names: each is already on the disk, and its memory is
    /// released.
    private static let waitingLimit = 256

    private let worker: BatchWorker
    private let publisher: BatchPublisher
    private let stopsAdmitting: @Sendable () -> Bool
    private let report: @Sendable (BatchOutcome) -> Void
    private let progress: @Sendable (Double) -> Void
    private let state = Locked(State())

    init(
        _ worker: BatchWorker, publisher: BatchPublisher, stopsAdmitting: @escaping @Sendable () -> Bool,
        report: @escaping @Sendable (BatchOutcome) -> Void, progress: @escaping @Sendable (Double) -> Void
    ) {
        (self.worker, self.publisher, self.stopsAdmitting) = (worker, publisher, stopsAdmitting)
        (self.report, self.progress) = (report, progress)
    }

    var passedOver: Int { state.withLock { $0.passedOver } }
    var left: Int { state.withLock { $0.left } }
    var unbegun: Int { state.withLock { $0.unbegun } }

    /// Processes films until all are finished or no more are to be started.
    ///
    /// - Throws: the error that made it impossible to continue.
    func work(on items: [BatchItem], sideBySide: Int) throws(ScrubError) {
        guard !items.isEmpty else { return }
        state.withLock { state in
            state.queue = items[...]
            state.openWeight = items.reduce(0) { $0 + $1.weight }
            state.totalWeight = state.openWeight
            state.left += items.count
        }
        let finished = BoundedQueue<Finished>(capacity: BatchWorkers.waitingLimit)
        let publishing = try DedicatedThread { [self] in publish(finished) }
        var threads: [DedicatedThread] = []
        var failure: ScrubError?
        do throws(ScrubError) {
            for _ in 0..<min(max(1, sideBySide), items.count) {
                threads.append(try DedicatedThread { [self] in workThrough(finished) })
            }
        } catch {
            // With the existing threads, it continues more slowly.
            if threads.isEmpty { failure = error }
        }
        for thread in threads { thread.join() }
        // Films that other runs were processing: those runs may have ended since.
        while failure == nil, !takeBusy().isEmpty { workThrough(finished) }
        finished.close()
        publishing.join()
        if let error = failure ?? state.withLock({ $0.error }) { throw error }
    }

    /// Puts films that other runs were processing back into the queue, after a pause.
    private func takeBusy() -> ArraySlice<BatchItem> {
        let hasAny = state.withLock { !$0.busy.isEmpty && $0.error == nil }
        guard hasAny, !stopsAdmitting() else { return [] }
        usleep(100_000)
        return state.withLock { state in
            (state.queue, state.busy) = (state.busy[...], [])
            return state.queue
        }
    }

    private func workThrough(_ finished: BoundedQueue<Finished>) {
        while !stopsAdmitting() {
            let next = state.withLock { state -> (item: BatchItem, share: Double)? in
                guard state.error == nil, let item = state.queue.popFirst() else { return nil }
                return (item, state.openWeight > 0 ? item.weight / state.openWeight : 1)
            }
            guard let (item, share) = next else { return }
            if let lack = state.withLock({ $0.lack }) {
                putOff(item, lack, finished)
                continue
            }
            if let admits = worker.options.admits, !admits(item.file, .begun) {
                end(item)
                continue
            }
            // A film that is a large share of the remaining work gets an equally large share of the processors.
            let wanted = Int((share * Double(worker.options.coreCount)).rounded())
            let cores = worker.gate.takeCores(wanted)
            var extra = 0
            defer { worker.gate.giveCores(cores + extra) }
            worker.options.inHand.withLock { $0 += 1 }
            defer { worker.options.inHand.withLock { $0 -= 1 } }
            do throws(ScrubError) {
                let result = try worker.process(item) {
                    let isQueueEmpty = state.withLock { $0.queue.isEmpty }
                    if isQueueEmpty { extra = worker.gate.takeFreeCores(worker.options.coreCount) }
                    return cores + extra
                }
                switch result {
                case .busy: state.withLock { $0.busy.append(item) }
                case .dropped: end(item, isAccountedFor: false)
                case .settled(let row, let outcome):
                    if row.status == .other { state.withLock { $0.passedOver += 1 } }
                    finished.push(.settled(row, outcome))
                    end(item)
                case .made(let made):
                    finished.push(.made(made))
                    end(item)
                case .full(let row, let outcome):
                    state.withLock { $0.lack = row }
                    finished.push(.settled(row, outcome))
                    end(item)
                case .hopeless(let error): stop(error)
                }
            } catch {
                stop(error)
            }
        }
    }

    /// Records that a film waits for the next run, like one that found no room. A library's thousands of these are
    /// counted and not reported individually.
    private func putOff(_ item: BatchItem, _ lack: BatchState.Row, _ finished: BoundedQueue<Finished>) {
        // Most other files are not films, and were not examined.
        guard MediaWalk.promisesFilm(item.file.path) else { return end(item) }
        var row = BatchState.Row(place: item.file.place, path: item.file.path, status: lack.status)
        (row.facts, row.key, row.options) = (item.file.facts, item.row?.key, lack.options)
        (row.code, row.reason, row.notBefore) = (lack.code, lack.reason, lack.notBefore)
        row.attempts = item.row?.attempts ?? 0
        state.withLock { $0.unbegun += 1 }
        finished.push(.settled(row, nil))
        end(item)
    }

    private func end(_ item: BatchItem, isAccountedFor: Bool = true) {
        let done = state.withLock { state -> Double in
            if isAccountedFor { state.left -= 1 }
            state.openWeight = max(0, state.openWeight - item.weight)
            return state.totalWeight > 0 ? 1 - state.openWeight / state.totalWeight : 1
        }
        progress(done)
    }

    private func stop(_ error: ScrubError) { state.withLock { if $0.error == nil { $0.error = error } } }

    private func publish(_ finished: BoundedQueue<Finished>) {
        while let first = finished.pop() {
            var (results, rows, outcomes) = ([MadeResult](), [BatchState.Row](), [BatchOutcome]())
            var next: Finished? = first
            while let one = next {
                switch one {
                case .made(let made): results.append(made)
                case .settled(let row, let outcome):
                    rows.append(row)
                    if let outcome { outcomes.append(outcome) }
                }
                let isMore = results.count + rows.count < BatchWorkers.waitingLimit && finished.hasElements
                next = isMore ? finished.pop() : nil
            }
            do throws(ScrubError) {
                try publisher.publish(results, settled: rows, report: report)
                for outcome in outcomes { report(outcome) }
            } catch {
                stop(error)
            }
        }
    }
}
