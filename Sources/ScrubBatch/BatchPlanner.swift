package import Batching
internal import FileIO
package import ScrubBase
internal import ScrubMedia
internal import ScrubThumbnails

/// Looks into the films that are to be done, without decoding anything, and says what each will cost.
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
    }

    /// What was found.
    package struct Report: Sendable {
        /// In the order in which they were found.
        package var films: [Film] = []
        /// Films that cannot be opened, with the reason.
        package var failures: [(file: FoundFile, error: ScrubError)] = []
        /// How far earlier predictions of this machine were from what came of them; `nil` where there are none.
        package var error: PredictionError?
        /// Bytes of results for each pixel of thumbnails, of this machine's earlier films; `nil` where there are none.
        package var bytesPerPixel: Double?
    }

    private let options: BatchOptions
    private let work: BatchWork

    package init(_ options: BatchOptions, _ work: BatchWork) { (self.options, self.work) = (options, work) }

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
        report.error = PredictionError(try state?.predictions() ?? [])
        report.bytesPerPixel = try state?.bytesPerPixel()
        let model = CostModel(fitting: try state?.samples() ?? [])
        var scan = BatchScan(options, BatchRun.optionsKey(work), onlyMissing ? state : nil, abandoned: [:])
        try scan.look(into: sources, isCancelled: { false }) { outcome in
            guard outcome.code == 66, outcome.file.facts == .ofNothing else { return }
            report.failures.append((outcome.file, ScrubError(.noInput, "is not there", file: outcome.file.path)))
        }
        let files = scan.work.map(\.file)
        let next = Locked(0)
        let found = Locked([Int: Result<Film, ScrubError>]())
        let (opening, work) = (options.opening, work)
        let look: @Sendable () -> Void = {
            while let number = next.withLock({ next in
                next += 1
                return next <= files.count ? next - 1 : nil
            }) {
                let result = BatchPlanner.look(into: files[number], opening, work, model)
                let count = found.withLock { found in
                    found[number] = result
                    return found.count
                }
                progress(count, files.count)
            }
        }
        let threads = try (0..<min(options.coreCount, max(1, files.count))).map { (_) throws(ScrubError) in
            try DedicatedThread(look)
        }
        for thread in threads { thread.join() }
        for (number, result) in found.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            switch result {
            case .success(let film): report.films.append(film)
            // What is no film and does not claim to be is nothing to tell of.
            case .failure(let error):
                if MediaWalk.promisesFilm(files[number].path) { report.failures.append((files[number], error)) }
            }
        }
        return report
    }

    private static func look(
        into file: FoundFile, _ opening: OpenOptions, _ work: BatchWork, _ model: CostModel
    ) -> Result<Film, ScrubError> {
        Result { () throws(ScrubError) in
            let key = try ContentKey(path: file.path)
            guard key.container != nil || MediaWalk.promisesFilm(file.path) else {
                throw ScrubError(.badData, "is no film", file: file.path)
            }
            let asset = try VideoAsset(path: file.path, options: opening)
            let request = work.request ?? ThumbnailRequest(.count(1), tolerance: .keyframe)
            let features = try CostFeatures(of: asset, request, thumbnailPixels: work.thumbnailPixels)
            return Film(file: file, key: key.text, features: features, cost: model.predict(features))
        }
    }
}
