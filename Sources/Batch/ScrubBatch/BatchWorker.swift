internal import ScrubFileIO
internal import Glibc
internal import ScrubBase

/// A result that is complete but has no name yet.
struct MadeResult: Sendable {
    var row: BatchState.Row
    var outcome: BatchOutcome
    /// As it is in the folder: everything that moves the result uses this listing of names, sizes and hashes.
    var record: BatchRecord
    /// The folder, beside its future place.
    var folder: String
    /// The lock of its place; released when the result is there.
    var lock: Int64
}

/// Processes one film after another; as many threads as there are processors share one worker.
///
/// Thread safety: safe from any thread.
struct BatchWorker: Sendable {
    let options: BatchOptions
    let work: BatchWork
    let optionsKey: String
    let state: BatchState
    let locks: LockTable
    let gate: BatchGate
    /// Drops films in progress.
    let cancellation: Cancellation

    /// The result of a film.
    enum Result: Sendable {
        /// Another run is processing it.
        case busy
        /// It was interrupted: its finished parts are kept for the next run.
        case dropped
        /// There is nothing to store.
        case settled(BatchState.Row, BatchOutcome?)
        case made(MadeResult)
        /// The cache has no room for more previews, for any film.
        case full(BatchState.Row, BatchOutcome)
        /// Nothing more can be written, for any film: the failure is not this film's.
        case hopeless(ScrubError)
    }

    /// Processes a film.
    ///
    /// - Parameter threads: called once, when the work is known; returns the number of threads that may decode.
    func process(_ item: BatchItem, threads: () -> Int) throws(ScrubError) -> Result {
        let lock = BatchOutputNames.lock(item.file.place)
        guard locks.take(lock) else { return .busy }
        var keepsLock = false
        defer { if !keepsLock { locks.release(lock) } }
        try state.begin(item.file.place, path: item.file.path, owner: BatchOwner.own)
        let times = WorkTimes()
        var film = FilmJob(item, self, lock: lock)
        let result: Result
        do throws(ScrubError) {
            result = try cancellation.perform { () throws(ScrubError) in try film.work(threads: threads) }
        } catch {
            if options.isHopeless(error), !work.hasNoRoom(error) {
                try? state.drop(item.file.place)
                return .hopeless(error)
            }
            if cancellation.isCancelled {
                try state.drop(item.file.place)
                return .dropped
            }
            result = work.hasNoRoom(error) ? film.hasNoRoom(error) : try film.failed(error)
        }
        switch result {
        case .made(var made):
            keepsLock = true
            finish(&made.row, &made.outcome, times)
            return .made(made)
        case .settled(var row, var outcome?) where outcome.status == .failed:
            finish(&row, &outcome, times)
            return .settled(row, outcome)
        case .full(var row, var outcome):
            finish(&row, &outcome, times)
            return .full(row, outcome)
        default: return result
        }
    }

    /// Records the cost of a film.
    private func finish(_ row: inout BatchState.Row, _ outcome: inout BatchOutcome, _ times: WorkTimes) {
        outcome.seconds = times.seconds
        outcome.cpu += times.threadSeconds
        (row.seconds, row.cpu, row.finished) = (outcome.seconds, outcome.cpu, options.clock())
    }
}

extension BatchOptions {
    /// Whether the disk accepts no more data; one film's read-only folder does not stop the others.
    func isHopeless(_ error: ScrubError) -> Bool {
        guard case .errno(let number) = error.systemError else { return false }
        return [ENOSPC, EDQUOT].contains(number) || number == EROFS && store.isOneDisk
    }
}
