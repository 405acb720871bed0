internal import ScrubBatchLogic
internal import ScrubFileIO
internal import ScrubHashing
package import ScrubBase

/// Makes the results for a library of films, as many films in parallel as there are processors for.
///
/// One process; one memory budget for all films; results that are complete or absent; a state with the finished work.
/// However a run ends, the next one continues from the folder that it leaves.
///
/// Use once, from one thread.
package struct BatchRun {
    private(set) var options: BatchOptions
    private let work: BatchWork
    let optionsKey: String
    let state: BatchState

    /// Opens the state.
    ///
    /// - Throws: as for ``BatchState/init(path:)``; `inputOutput` if the folder of results cannot be created.
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

    /// Removes the results of missing films below some roots. The roots' paths are absolute, as for the run. It ends
    /// between two films if the work on this thread is cancelled.
    package func removeGone(_ roots: [WatchRoot]) throws(ScrubError) -> [GoneFilms.Report] {
        let gone = try GoneFilms(options, state)
        return try roots.map { (root) throws(ScrubError) in try gone.sweep(root) }
    }

    /// Returns the same run with other options for how it works.
    func with(_ options: BatchOptions) -> BatchRun {
        var other = self
        other.options = options
        return other
    }

    /// Returns the key in records for everything besides the film that determines a result.
    package static func optionsKey(_ work: BatchWork) -> String {
        PlainText.hexadecimal(xxh3(Array("batch-1 \(work.name)".utf8)))
    }

    /// Runs the batch until it ends or is interrupted.
    ///
    /// - Parameters:
    ///   - stopsAdmitting: called before each film; returns whether to start no more films.
    ///   - cancellation: also drops films in progress. Their finished parts are kept for the next run.
    ///   - report: receives each film as it is finished, on any thread but never concurrently.
    ///   - progress: receives the completed share of the predicted work, from 0 to 1, after each film.
    ///   - reportsKnown: whether films that need no work are also reported.
    /// - Throws: `noInput` for a root that cannot be read; `inputOutput` if nothing more can be written.
    package func run(
        _ sources: [BatchSource], stopsAdmitting: @escaping @Sendable () -> Bool = { false },
        cancellation: Cancellation = Cancellation(),
        report: @escaping @Sendable (BatchOutcome) -> Void,
        progress: @escaping @Sendable (Double) -> Void = { _ in }, reportsKnown: Bool = true
    ) throws(ScrubError) -> BatchSummary {
        let times = WorkTimes()
        try Folder.make(options.folder + "/" + BatchOutputNames.folderName)
        let locks = try LockTable(path: options.folder + "/" + BatchOutputNames.folderName + "/locks")
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
        let crew = BatchWorkers(
            worker, publisher: BatchPublisher(options: options, state: state, locks: locks),
            stopsAdmitting: stopsAdmitting,
            report: tell, progress: progress)
        try crew.work(on: first, sideBySide: options.coreCount)
        // A film during which the program ended before is processed alone, so that only it can be the cause if that
        // happens again.
        try crew.work(on: suspects, sideBySide: 1)
        if !stopsAdmitting() {
            // Leftovers of killed runs, and films that no longer exist.
            var files = first.map(\.file) + suspects.map(\.file)
            // A new film has no row, and a moved film has another path.
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
