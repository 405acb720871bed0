internal import ScrubBatchLogic
internal import ScrubFileIO
internal import ScrubBase

/// Gives results their names, many at a time: the cost of waiting for the disk is paid once for all that came
/// meanwhile.
///
/// Use from one thread.
struct BatchPublisher {
    let options: BatchOptions
    let state: BatchState
    let locks: LockTable

    /// Puts results in their places, and records the outcomes.
    ///
    /// - Throws: if nothing can be put anywhere any more; then no result of these was.
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
                // The obstacle may be gone by then; each try decodes the film again.
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
