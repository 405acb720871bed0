internal import ScrubFileIO
internal import Glibc
internal import ScrubBase

/// A result that is whole and has no name yet.
struct MadeResult: Sendable {
    var row: BatchState.Row
    var outcome: BatchOutcome
    /// As it is in the folder: all that puts the result somewhere goes by this listing of names, bytes and hashes.
    var record: BatchRecord
    /// The folder, beside the place that it will have.
    var folder: String
    /// Of its place; released when it is there.
    var lock: Int64
}

/// Works on one film after another; as many threads as there are processors share one.
///
/// Thread safety: safe from any thread.
struct BatchWorker: Sendable {
    let options: BatchOptions
    let work: BatchWork
    let optionsKey: String
    let state: BatchState
    let locks: LockTable
    let gate: BatchGate
    /// Drops films in hand.
    let cancellation: Cancellation

    /// The result of a film.
    enum Result: Sendable {
        /// Another run works on it.
        case busy
        /// It was broken off: its finished parts are kept for the next run.
        case dropped
        /// Nothing has to be put anywhere.
        case settled(BatchState.Row, BatchOutcome?)
        case made(MadeResult)
        /// The cache has no room for more previews: no other film would fare better.
        case full(BatchState.Row, BatchOutcome)
        /// Nothing more can be written: not this film's fault, and no other would fare better.
        case hopeless(ScrubError)
    }

    /// Works on a film.
    ///
    /// - Parameter threads: asked once, when the work is known: the number of threads that may decode.
    func process(_ item: BatchItem, threads: () -> Int) throws(ScrubError) -> Result {
        let lock = BatchPlaces.lock(item.file.place)
        guard locks.take(lock) else { return .busy }
        var keepsLock = false
        defer { if !keepsLock { locks.release(lock) } }
        try state.begin(item.file.place, path: item.file.path, owner: BatchOwner.own)
        let times = WorkTimes()
        var film = FilmInHand(item, self, lock: lock)
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
    /// Whether the disk takes nothing more; one film's read-only folder does not stop the others.
    func isHopeless(_ error: ScrubError) -> Bool {
        guard case .errno(let number) = error.systemError else { return false }
        return [ENOSPC, EDQUOT].contains(number) || number == EROFS && store.isOneDisk
    }
}
