package import ScrubBatchLogic
internal import ScrubFileIO
internal import ScrubBase

/// The costs of films on this machine, whatever folder their results are in: the basis of predictions.
///
/// A text file beside the states, with a line for each film, in the order in which they were processed. It can be
/// deleted at any time: predictions then use another machine's figures until some films have been processed.
///
/// Thread safety: safe from any thread; several processes on one machine add to one file.
package final class MachineCosts: Sendable {
    /// A processed film.
    package struct Line: Hashable, Sendable {
        package var features: CostFeatures
        /// The processor seconds.
        package var seconds: Double
        /// The predicted seconds.
        package var predicted: Double?
        /// The size of the result, and the predicted size, in bytes.
        package var byteCount: Double
        package var predictedBytes: Double?

        package init(
            features: CostFeatures, seconds: Double, predicted: Double?, byteCount: Double, predictedBytes: Double?
        ) {
            (self.features, self.seconds, self.predicted) = (features, seconds, predicted)
            (self.byteCount, self.predictedBytes) = (byteCount, predictedBytes)
        }

        private static func word(_ value: Double?) -> String { value.map { "\($0)" } ?? "-" }

        fileprivate var text: String {
            "1 \(seconds) \(Line.word(predicted)) \(byteCount) \(Line.word(predictedBytes)) \(features.text)"
        }

        /// Parses the output of ``text``; `nil` for anything else, such as a truncated line.
        fileprivate init?(text: some StringProtocol) {
            let words = text.split(separator: " ", maxSplits: 5)
            func number(_ place: Int) -> Double? {
                Double(words[place]).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
            }
            guard words.count == 6, words[0] == "1", let seconds = number(1), let bytes = number(3),
                let features = CostFeatures(text: String(words[5]))
            else { return nil }
            self.init(
                features: features, seconds: seconds, predicted: number(2), byteCount: bytes, predictedBytes: number(4))
        }
    }

    /// The number of films to use: the most recent ones.
    private static let lineLimit = 20_000
    /// A longer file is cut to the last ``lineLimit`` lines.
    private static let byteLimit: Int64 = 8 << 20

    private let path: String
    private let log: Locked<LineLog?>

    package init(path: String) { (self.path, log) = (path, Locked(nil)) }

    /// The standard path: beside the states (`XDG_STATE_HOME`, else `~/.local/state`), with the machine's ID, because
    /// several machines may share a home; `nil` without a home.
    package static var standardPath: String? {
        BatchState.standardFolder.map { $0 + "/costs-\(BatchOwner.machine)" }
    }

    /// The processed films, the most recent last. Anything but a regular file of this user counts as empty.
    package var lines: [Line] {
        guard let folder = Folder.folder(of: path), CacheDirectory.distrust(of: folder) == nil,
            CacheDirectory.distrust(ofFile: path, in: folder) == nil,
            let bytes = try? Folder.contents(of: path, limit: Int(MachineCosts.byteLimit) * 2)
        else { return [] }
        let texts = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        return texts.suffix(MachineCosts.lineLimit).compactMap { Line(text: $0) }
    }

    /// Adds a film. If the file cannot be written, only predictions suffer.
    func add(_ line: Line) {
        log.withLock { log in
            if log == nil { log = open() }
            try? log?.append(line.text)
        }
    }

    private func open() -> LineLog? {
        guard let folder = Folder.folder(of: path), (try? Folder.make(folder, isPrivate: true)) != nil,
            CacheDirectory.distrust(of: folder) == nil, CacheDirectory.distrust(ofFile: path, in: folder) == nil
        else { return nil }
        if Folder.byteCount(of: path).map({ Int64($0) > MachineCosts.byteLimit }) == true {
            let text = lines.map { $0.text + "\n" }.joined()
            try? AtomicFile.write(Array(text.utf8), to: .kept(path), isPrivate: true)
        }
        return try? LineLog(.kept(path))
    }
}

/// What earlier films teach about later ones.
package struct CostExperience: Sendable {
    /// The processor time of each film.
    package let model: CostModel
    /// The errors of earlier predictions; `nil` if there are none.
    package let error: PredictionError?
    /// The bytes of results divided by their predictions.
    package let byteFactor: Double

    /// The maximum correction of byte predictions, in both directions.
    private static let factorLimit = 8.0

    /// - Parameters:
    ///   - costs: this machine's costs; `nil` for none.
    ///   - state: the state of the folder of results, whose films may be older than the machine's file; `nil` for none.
    init(_ costs: MachineCosts?, _ state: BatchState?) throws(ScrubError) {
        let lines = costs?.lines ?? []
        // A film that is in both counts once.
        var samples = Set(lines.map { CostSample($0.features, seconds: $0.seconds) })
        var pairs = lines.compactMap { line in line.predicted.map { (predicted: $0, actual: line.seconds) } }
        for (sample, predicted) in try state?.costs() ?? [] where samples.insert(sample).inserted {
            if let predicted { pairs.append((predicted, sample.seconds)) }
        }
        model = CostModel(fitting: Array(samples))
        error = PredictionError(pairs)
        let known = lines.compactMap { line in line.predictedBytes.map { (predicted: $0, actual: line.byteCount) } }
        let predicted = known.reduce(0) { $0 + $1.predicted }
        let factor = predicted > 0 ? known.reduce(0) { $0 + $1.actual } / predicted : 1
        byteFactor = min(CostExperience.factorLimit, max(1 / CostExperience.factorLimit, factor))
    }
}
