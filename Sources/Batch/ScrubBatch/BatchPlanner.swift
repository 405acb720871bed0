package import ScrubBatchLogic
internal import ScrubFileIO
package import ScrubBase
internal import ScrubMedia
internal import ScrubThumbnails

/// Looks into the films that are to be done, without decoding anything, and tells the cost of each and which can't be
/// done. They are the films that a run would take up now, with the same failures, as far as opening a film tells.
///
/// Indexes are made on the way and kept where they always are, so that the run need not make them again.
package struct BatchPlanner {
    /// A film that is to be done.
    package struct Film: Sendable {
        package var file: FoundFile
        package var key: String
        package var features: CostFeatures
        /// Predicted processor seconds.
        package var cost: Double
        /// Predicted bytes of the result.
        package var byteCount: Double
    }

    /// The findings.
    package struct Report: Sendable {
        /// In the order in which they were found.
        package var films: [Film] = []
        /// Films that a run would report and not process: those that are current, that cannot be opened, that failed
        /// before.
        package var outcomes: [BatchOutcome] = []
        /// Files that are not films and do not claim to be.
        package var passedOver = 0
        /// The folders and files that could not be looked into.
        package var problems: [ScrubError] = []
        /// The errors of earlier predictions of this machine; `nil` if it has made none.
        package var error: PredictionError?

        /// Films that would fail, with the reason.
        package var failures: [BatchOutcome] { outcomes.filter { $0.status == .failed } }
        /// Returns the number of films that a run would report with a status.
        package func count(_ status: BatchOutcome.Status) -> Int { outcomes.count { $0.status == status } }
    }

    private var options: BatchOptions
    private let work: BatchWork

    package init(_ options: BatchOptions, _ work: BatchWork) {
        (self.options, self.work) = (options, work)
        self.options.makesPreviews = work.makesPreviews
    }

    /// The outcome of one file.
    private enum Look: Sendable {
        case film(Film)
        case told(BatchOutcome)
        case passedOver
    }

    /// Cost: an index for each film that has none, on as many threads as there are processors.
    ///
    /// - Parameters:
    ///   - onlyMissing: whether films that are done are left out.
    ///   - progress: told how many of how many films were looked into, on any thread.
    package func plan(
        _ sources: [BatchSource], onlyMissing: Bool, progress: @escaping @Sendable (Int, Int) -> Void
    ) throws(ScrubError) -> Report {
        var options = options
        let isOwn = options.statePath == nil
        if isOwn { options.statePath = BatchState.standardPath(forFolder: options.folder) }
        let path = try options.stateFile()
        let state = FileFacts(path: path) == nil ? nil : try BatchState(path: path, isOwn: isOwn)
        var report = Report()
        let experience = try CostExperience(options.costs, state)
        report.error = experience.error
        let optionsKey = BatchRun.optionsKey(work)
        var scan = BatchScan(options, optionsKey, onlyMissing ? state : nil, abandoned: [:])
        try scan.look(into: sources, stopsAdmitting: { false }) { report.outcomes.append($0) }
        let items = scan.work
        let next = Locked(0)
        let found = Locked([Int: Look]())
        let looking = FilmLook(options: options, optionsKey: optionsKey, keepsCurrent: onlyMissing)
        let work = work
        let look: @Sendable () -> Void = {
            while let number = next.withLock({ next in
                next += 1
                return next <= items.count ? next - 1 : nil
            }) {
                let result = BatchPlanner.look(into: items[number], looking, work, experience)
                let count = found.withLock { found in
                    found[number] = result
                    return found.count
                }
                progress(count, items.count)
            }
        }
        let threads = try (0..<min(options.coreCount, max(1, items.count))).map { (_) throws(ScrubError) in
            try DedicatedThread(look)
        }
        for thread in threads { thread.join() }
        for (_, result) in found.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            switch result {
            case .film(let film): report.films.append(film)
            case .told(let outcome): report.outcomes.append(outcome)
            case .passedOver: report.passedOver += 1
            }
        }
        report.passedOver += scan.passedOver
        report.problems = scan.problems
        return report
    }

    private static func look(
        into item: BatchItem, _ looking: FilmLook, _ work: BatchWork, _ experience: CostExperience
    ) -> Look {
        var row = BatchState.Row(place: item.file.place, path: item.file.path, status: .done)
        do throws(ScrubError) {
            switch try looking.look(into: item, &row) {
            case .settled(_, let outcome): return outcome.map { .told($0) } ?? .passedOver
            case .film(let asset, let key):
                let limit = looking.options.memory
                let needed = work.memory(of: asset, threads: 1)
                guard needed <= limit else {
                    return .told(.tooLarge(item.file, needed: needed, limit: limit))
                }
                let features = try work.features(of: asset, else: .init(.count(1), tolerance: .keyframe))
                // Previews have other bytes than the sets that this was learned from.
                let factor = work.makesPreviews ? 1 : experience.byteFactor
                return .film(
                    Film(
                        file: item.file, key: key.text, features: features, cost: experience.model.predict(features),
                        byteCount: try work.predictBytes(asset, work.slots(features)) * factor))
            }
        } catch {
            return .told(.failure(item.file, error))
        }
    }
}
