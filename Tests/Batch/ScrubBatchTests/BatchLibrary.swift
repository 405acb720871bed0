import ScrubFileIO
import Foundation
import ScrubBase
import ScrubMedia
import ScrubThumbnails
import ScrubTestSupport

@testable import ScrubBatch

/// A folder of films, a folder for their results, and a clock of their own.
final class BatchLibrary: Sendable {
    static let clips = Repository.clips

    let folder: TemporaryFolder
    let clock = Locked<Int64>(1_700_000_000)
    let outcomes = Locked<[BatchOutcome]>([])
    /// Films that were really worked on, by their places.
    let worked = Locked<[String]>([])

    var films: String { folder.path + "/films" }
    var results: String { folder.path + "/results" }

    init(_ clips: [String] = ["h264-bf3.mp4", "h264-open-gop.mkv", "nonzero.ts"]) throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: films + "/below", withIntermediateDirectories: true)
        for (number, clip) in clips.enumerated() { try add(clip, as: (number == 0 ? "" : "below/") + clip) }
    }

    func add(_ clip: String, as name: String) throws {
        try? FileManager.default.removeItem(atPath: films + "/" + name)
        try FileManager.default.copyItem(atPath: BatchLibrary.clips + "/" + clip, toPath: films + "/" + name)
    }

    /// Sets of sheets, whose work is counted.
    var sheets: BatchWork {
        let made = BatchWork.thumbnailSets(ThumbnailSets.Options([.web]))
        return BatchWork(name: made.name, request: made.request, thumbnailPixels: made.thumbnailPixels) {
            [worked] (asset, surroundings) throws(ScrubError) in
            worked.withLock { $0.append(asset.path.mediumName) }
            return try made.make(asset, surroundings)
        }
    }

    func options() -> BatchOptions {
        var options = BatchOptions(folder: results, memory: 256 << 20)
        options.statePath = folder.path + "/state.sqlite"
        options.coreCount = 2
        options.opening.cache = .none
        options.clock = { [clock] in clock.withLock { $0 } }
        return options
    }

    /// Runs it, and returns the outcome of each film by its place.
    @discardableResult
    func run(
        _ work: BatchWork? = nil, _ options: BatchOptions? = nil, stops: @escaping @Sendable () -> Bool = { false }
    ) throws -> [String: BatchOutcome] {
        outcomes.withLock { $0 = [] }
        let run = try BatchRun(options ?? self.options(), work ?? sheets)
        let summary = try run.run(
            [.folder(films, prefix: "")], stopsAdmitting: stops, cancellation: Cancellation(within: nil, or: stops),
            report: { [outcomes] outcome in outcomes.withLock { $0.append(outcome) } })
        let all = outcomes.withLock { $0 }
        precondition(summary.files == all.count, "the summary counts other films than were reported")
        return Dictionary(all.map { ($0.file.place, $0) }) { _, _ in preconditionFailure("a film was reported twice") }
    }

    /// Returns everything in the results but the batch's own files, with its bytes.
    func tree() throws -> [String: Data] {
        var tree: [String: Data] = [:]
        let names = try FileManager.default.subpathsOfDirectory(atPath: results)
        for name in names where !name.hasPrefix(".scrub-batch") {
            if FileFacts(path: results + "/" + name)?.kind == .file {
                tree[name] = try Data(contentsOf: URL(filePath: results + "/" + name))
            }
        }
        return tree
    }
}
