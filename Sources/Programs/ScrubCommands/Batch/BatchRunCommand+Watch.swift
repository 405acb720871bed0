#if CommandLine
internal import Scrub
internal import ScrubBase
internal import ScrubBatch

extension BatchRunCommand {
    /// Watches the folders until it is interrupted.
    func follow(
        _ options: BatchOptions, _ work: BatchWork, _ found: [BatchSource], _ teller: BatchReporter,
        _ ending: BatchEnding
    ) throws(ScrubError) -> BatchSummary {
        var following = BatchWatch.Options()
        following.settle = Int64(watching.settle ?? 5) * 1000
        following.deletesGone = watching.deleteGone
        var listener = BatchWatch.Listener { teller.tell($0) }
        listener.progress = { teller.progress($0) }
        listener.say = { teller.say($0.description) }
        listener.removed = { path, place in teller.tellRemoved(path, place) }
        let watch = try BatchWatch(
            options, work, BatchWatchArguments.roots(found), following, stopsAdmitting: { ending.isRequested },
            cancellation: ending.cancellation, listener: listener)
        return try watch.follow { teller.waits(films: $0, incomplete: $1) }
    }

    /// Removes the results of missing films, after everything else is done.
    func removeGone(
        _ run: BatchRun, _ found: [BatchSource], _ teller: BatchReporter, _ ending: BatchEnding
    ) throws(ScrubError) {
        guard watching.deleteGone, !ending.isRequested else { return }
        let reports = try Cancellation(within: nil, or: { ending.isRequested }).perform { () throws(ScrubError) in
            try run.removeGone(BatchWatchArguments.roots(found))
        }
        for report in reports {
            for film in report.removed { teller.tellRemoved(film.path, film.place) }
            for word in report.words { teller.say(word.description) }
        }
    }
}
#endif
