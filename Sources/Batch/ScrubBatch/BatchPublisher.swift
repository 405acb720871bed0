internal import ScrubBatchLogic
internal import ScrubFileIO
internal import ScrubBase

/// Gives results their names, many at a time, so that all results that have arrived in the meantime share one wait for
/// the disk.
///
/// Use from one thread.
struct BatchPublisher {
    let options: BatchOptions
    let state: BatchState
    let locks: LockTable

    /// Moves results to their places, and records the outcomes.
    ///
    /// - Throws: if no more results can be stored; in that case, none of these was.
    func publish(_ results: [MadeResult], settled: [BatchState.Row], report: (BatchOutcome) -> Void) throws(ScrubError)
    {
        defer { for result in results { locks.release(result.lock) } }
        let stored = try options.store.put(results)
        var (rows, outcomes) = (settled, [BatchOutcome]())
        for (result, stored) in zip(results, stored) {
            var (row, outcome) = (result.row, result.outcome)
            switch stored {
            case .success(let stored):
                row.recordMark = stored.mark
                outcome.warnings += stored.warnings
            case .failure(let error):
                Folder.removeTree(result.folder)
                (row.attempts, row.reason) = (row.attempts + 1, error.description(for: .command))
                row.code = Int(error.code.exitStatus)
                // The obstacle may be gone by then; each attempt decodes the film again.
                row.status = .failed
                if case .retry(let delay) = FilmRetryPolicy().next(after: .temporary, failures: row.attempts) {
                    (row.status, row.notBefore) = (.waiting, options.clock() + delay)
                }
                outcome = BatchOutcome(outcome.file, .failed, reason: error.description(for: .command), code: row.code)
            }
            rows.append(row)
            outcomes.append(outcome)
        }
        try state.record(rows)
        for outcome in outcomes { report(outcome) }
    }
}
