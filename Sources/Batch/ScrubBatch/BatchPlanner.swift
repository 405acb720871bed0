package import ScrubBatchLogic
internal import ScrubFileIO
package import ScrubBase
internal import ScrubMedia
internal import ScrubThumbnails

/// Examines the films to process, without decoding anything, and reports the cost of each and which films would fail.
/// They are the films that a run would process now, with the same failures, as far as opening a film reveals them.
///
/// Indexes are made in the process and saved in the usual place, so that the run need not make them again.
package struct BatchPlanner {
    /// A film to process.
    package struct Film: Sendable {
        package var file: FoundFile
        package var key: String
        package var features: CostFeatures
        /// The predicted processor seconds.
        package var cost: Double
        /// The predicted size of the result in bytes.
        package var byteCount: Double
    }

    /// The findings.
    package struct Report: Sendable {
        /// In the order in which the films were found.
        package var films: [Film] = []
        /// Films that a run would report without processing them: films that are current, cannot be opened, or failed
        /// before.
        package var outcomes: [BatchOutcome] = []
        /// Files that are not films and do not have a film's suffix.
        package var passedOver = 0
        /// The folders and files that could not be read.
        package var problems: [ScrubError] = []
        /// The errors of earlier predictions on this machine; `nil` if there are none.
        package var error: PredictionError?

        /// The films that would fail, with the reasons.
        package var failures: [BatchOutcome] { outcomes.filter { $0.status == .failed } }
        /// Returns the number of films that a run would report with a given status.
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

    /// Cost: making an index for each film without one, on as many threads as there are processors.
    ///
    /// - Parameters:
    ///   - onlyMissing: whether finished films are omitted.
    ///   - progress: receives the number of examined films and the total, on any thread.
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
        let looking = VideoProbe(options: options, optionsKey: optionsKey, keepsCurrent: onlyMissing)
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
        into item: BatchItem, _ looking: VideoProbe, _ work: BatchWork, _ experience: CostExperience
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
                // Preview sizes differ from those of the sets from which this was learned.
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
