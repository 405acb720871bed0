internal import ScrubBatchLogic
internal import ScrubFileIO
internal import ScrubHashing
package import ScrubBase

/// Makes the results of a library of films, as many films side by side as there are processors for.
///
/// One process; one budget of memory over all films; results that are whole or not there; a state with the finished
/// work. Every run, however it ends, leaves a folder from which the next one goes on.
///
/// Use once, from one thread.
package struct BatchRun {
    private(set) var options: BatchOptions
    private let work: BatchWork
    let optionsKey: String
    let state: BatchState

    /// Opens the state.
    ///
    /// - Throws: as ``BatchState/init(path:)``; `inputOutput` when the folder of results cannot be made.
    package init(_ options: BatchOptions, _ work: BatchWork) throws(ScrubError) {
        (self.options, self.work) = (options, work)
        self.options.makesPreviews = work.makesPreviews
        optionsKey = BatchRun.optionsKey(work)
        try Folder.make(options.folder)
        state = try BatchState(path: try options.stateFile(), isOwn: options.statePath == nil)
        if options.predict == nil {
            let model = try CostExperience(options.costs, state).model
            self.options.predict = { model.predict($0) }
        }
    }

    /// Removes the results of films below some roots that are gone; the roots' paths from `/`, as for the run. Ends
    /// between two films when the work on this thread is cancelled.
    package func removeGone(_ roots: [WatchRoot]) throws(ScrubError) -> [GoneFilms.Report] {
        let gone = try GoneFilms(options, state)
        return try roots.map { (root) throws(ScrubError) in try gone.sweep(root) }
    }

    /// Returns the same run with other options about how it is done.
    func with(_ options: BatchOptions) -> BatchRun {
        var other = self
        other.options = options
        return other
    }

    /// Returns the key in records for everything beside the film that decides about a result.
    package static func optionsKey(_ work: BatchWork) -> String {
        PlainText.hexadecimal(xxh3(Array("batch-1 \(work.name)".utf8)))
    }

    /// Runs it to its end, or until it is broken off.
    ///
    /// - Parameters:
    ///   - stopsAdmitting: asked before each film: whether no more are to be begun.
    ///   - cancellation: drops films in hand too. Their finished parts are kept for the next run.
    ///   - report: gets each film as it is finished; never twice at a time, and on any thread.
    ///   - progress: told how much of the predicted work is done, from 0 to 1, after each film.
    ///   - reportsKnown: whether films are reported too that need no work.
    /// - Throws: `noInput` for a root that cannot be read; `inputOutput` when nothing more can be written.
    package func run(
        _ sources: [BatchSource], stopsAdmitting: @escaping @Sendable () -> Bool = { false },
        cancellation: Cancellation = Cancellation(),
        report: @escaping @Sendable (BatchOutcome) -> Void,
        progress: @escaping @Sendable (Double) -> Void = { _ in }, reportsKnown: Bool = true
    ) throws(ScrubError) -> BatchSummary {
        let times = WorkTimes()
        try Folder.make(options.folder + "/" + BatchPlaces.folderName)
        let locks = try LockTable(path: options.folder + "/" + BatchPlaces.folderName + "/locks")
        let abandoned = try state.takeAbandoned(BatchOwner.isAlive)
        var scan = BatchScan(options, optionsKey, state, abandoned: abandoned)
        let summary = Locked(BatchSummary())
        let costs = options.costs
        let tell: @Sendable (BatchOutcome) -> Void = { outcome in
            if outcome.status == .done, let features = outcome.features {
                costs?.add(
                    MachineCosts.Line(
                        features: features, seconds: outcome.cpu, predicted: outcome.predicted,
                        byteCount: Double(outcome.byteCount), predictedBytes: outcome.predictedBytes))
            }
            summary.withLock { summary in
                summary.add(outcome)
                report(outcome)
            }
        }
        try scan.look(into: sources, stopsAdmitting: stopsAdmitting, report: reportsKnown ? tell : { _ in })
        let isScanWhole = !stopsAdmitting()
        let (first, suspects) = scan.ordered()
        let gate = BatchGate(cores: options.coreCount, bytes: options.memory)
        let worker = BatchWorker(
            options: options, work: work, optionsKey: optionsKey, state: state, locks: locks, gate: gate,
            cancellation: cancellation)
        let crew = BatchCrew(
            worker, publisher: BatchPublisher(options: options, state: state, locks: locks),
            stopsAdmitting: stopsAdmitting,
            report: tell, progress: progress)
        try crew.work(on: first, sideBySide: options.coreCount)
        // What the program ended at before is worked on by itself, so that only it can be the reason if that happens
        // again.
        try crew.work(on: suspects, sideBySide: 1)
        if !stopsAdmitting() {
            // What killed runs have left, and films that no longer exist.
            var files = first.map(\.file) + suspects.map(\.file)
            // A film that was new has no row, and one that was moved another path.
            for (place, path) in abandoned {
                let path = path.isEmpty ? try state.row(place)?.path : path
                if let path { files.append(FoundFile(path: path, place: place, facts: .ofNothing)) }
            }
            options.store.sweep(files, locks, now: options.clock())
            let known = Set(suspects.map(\.file.place))
            for place in abandoned.keys where !known.contains(place) { try state.drop(place) }
        }
        var total = summary.withLock { $0 }
        (total.passedOver, total.problems) = (scan.passedOver + crew.passedOver, scan.problems)
        total.unbegun = crew.unbegun
        (total.seconds, total.peakBytes) = (times.seconds, gate.peak)
        total.isBrokenOff = stopsAdmitting()
        total.left = crew.left + (isScanWhole ? 0 : 1)
        return total
    }
}
