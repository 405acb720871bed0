import Foundation
import ScrubBase
import ScrubFileIO
import ScrubMedia
import ScrubPictures
import ScrubTestSupport
import Testing

@testable import ScrubBatch

/// `--previews` over a library: made, known, gone on with, refused where the cache is full.
@Suite struct BatchPreviewTests {
    private let library: BatchLibrary
    private let work = BatchWork.previews()

    init() throws { library = try BatchLibrary() }

    private var cache: String { library.folder.path + "/cache" }

    private func options() -> BatchOptions {
        var options = library.options()
        options.opening.cache = VideoAsset.IndexCache(path: cache)
        return options
    }

    private func previewFiles() -> [String] {
        TemporaryFolder.names(cache).filter { $0.hasSuffix(".scrubpreviews") }.map { cache + "/" + $0 }
    }

    private func record(_ place: String) throws -> BatchRecord {
        try #require(BatchRecord.read(in: library.results + "/" + place))
    }

    private func file(of place: String) throws -> String {
        cache + "/" + (try #require(try record(place).previews).name)
    }

    /// The numbers of a film's previews, read by another opening.
    private func frames(of place: String) throws -> (there: Int, all: Int) {
        let asset = try VideoAsset(path: library.films + "/" + place, options: options().opening)
        let kept = try #require(asset.keptPreviews(.init(longSide: PreviewTrack.keptSide), isWriter: false))
        let sound = kept.pictures.filter { kept.bytes(ofPicture: $0)?.isEmpty == false }
        return (sound.count, asset.frames.count)
    }

    @Test func makesThoseOfEveryFilmAndKnowsThem() throws {
        let made = try library.run(work, options())
        #expect(made.count == 3 && made.values.allSatisfy { $0.status == .done }, "\(made)")
        for (place, outcome) in made {
            let frames = try frames(of: place)
            #expect(frames.there == outcome.pictures && outcome.pictures == frames.all, "\(place)")
            #expect(outcome.decoded == frames.all && outcome.byteCount > 1000)
            #expect(outcome.features != nil && outcome.predicted != nil && outcome.predictedBytes == nil)
            // The record is all that lies in the folder.
            #expect(TemporaryFolder.names(library.results + "/" + place) == [BatchRecord.fileName])
        }
        #expect(previewFiles().count == 3)
        let again = try library.run(work, options())
        #expect(again.values.allSatisfy { $0.status == .kept }, "\(again)")
        // Without the state the records say it.
        try FileManager.default.removeItem(atPath: library.folder.path + "/state.sqlite")
        let lost = try library.run(work, options())
        #expect(lost.values.allSatisfy { $0.status == .kept && $0.byteCount > 1000 }, "\(lost)")
    }

    @Test func whatTheCacheHasRemovedIsMadeAgain() throws {
        try library.run(work, options())
        let gone = try file(of: "h264-bf3.mp4")
        try FileManager.default.removeItem(atPath: gone)
        for _ in 0..<2 {
            let plan = try BatchPlanner(options(), work).plan(
                [.folder(library.films, prefix: "")], onlyMissing: true, progress: { _, _ in })
            #expect(plan.films.map(\.file.place) == ["h264-bf3.mp4"] && plan.count(.kept) == 2)
            let film = try #require(plan.films.first)
            #expect(film.cost > 0 && film.byteCount > 1000)
            #expect(!FileManager.default.fileExists(atPath: gone))
        }
        let again = try library.run(work, options())
        #expect(again["h264-bf3.mp4"]?.status == .done)
        #expect(again.values.filter { $0.status == .kept }.count == 2)
        #expect(FileManager.default.fileExists(atPath: gone))
    }

    /// A run that was killed leaves a file that ends anywhere: its whole previews are not made again.
    @Test func aCutFileIsGoneOnWith() throws {
        try library.run(work, options())
        let path = try file(of: "h264-bf3.mp4")
        let all = try frames(of: "h264-bf3.mp4").all
        let size = try #require(Folder.byteCount(of: path))
        let handle = try FileHandle(forUpdating: URL(filePath: path))
        try handle.truncate(atOffset: UInt64(size / 2))
        try handle.close()
        let there = try frames(of: "h264-bf3.mp4").there
        #expect((1..<all).contains(there))
        let outcome = try #require(try library.run(work, options())["h264-bf3.mp4"])
        #expect(outcome.status == .done && outcome.decoded == all - there && outcome.pictures == all)
        // The rest of a film does not tell what all of it costs.
        #expect(outcome.features == nil)
        #expect(try frames(of: "h264-bf3.mp4").there == all)
        #expect(try library.run(work, options())["h264-bf3.mp4"]?.status == .kept)
    }

    @Test func checkFindsDamagedPreviews() throws {
        try library.run(work, options())
        var checking = options()
        checking.checksResults = true
        #expect(try library.run(work, checking).values.allSatisfy { $0.status == .kept })
        let path = try file(of: "h264-bf3.mp4")
        let size = try #require(Folder.byteCount(of: path))
        let handle = try FileHandle(forUpdating: URL(filePath: path))
        try handle.seek(toOffset: UInt64(size / 3))
        try handle.write(contentsOf: [UInt8](repeating: 0xA5, count: 64))
        try handle.close()
        #expect(try library.run(work, options()).values.allSatisfy { $0.status == .kept })
        let found = try library.run(work, checking)
        #expect(found["h264-bf3.mp4"]?.status == .done)
        #expect(found.values.filter { $0.status == .kept }.count == 2)
        let frames = try frames(of: "h264-bf3.mp4")
        #expect(frames.there == frames.all)
        #expect(try library.run(work, checking).values.allSatisfy { $0.status == .kept })
    }

    /// The film that finds no room says so, those that follow wait, and nothing of the cache is removed for them.
    @Test func aFullCacheIsSaidOnce() throws {
        for name in ["d.mp4", "e.mp4", "f.mp4"] {
            // Another film's pictures are another file.
            try library.add("h264-bf3.mp4", as: name)
            let film = try FileHandle(forUpdating: URL(filePath: library.films + "/" + name))
            try film.seekToEnd()
            try film.write(contentsOf: Array("\0\0\0\u{9}free\(name.prefix(1))".utf8))
            try film.close()
        }
        // Not looked into, and not called a film.
        try library.folder.write(Array("notes".utf8), to: "films/notes.txt")
        var few = options()
        few.coreCount = 1
        let made = BatchWork.previews()
        let begun = Locked(0)
        var full = work
        full.make = { (asset, surroundings) throws(ScrubError) in
            let number = begun.withLock { begun in
                begun += 1
                return begun
            }
            if number <= 2 { return try made.make(asset, surroundings) }
            var error = ScrubError(.unavailable, "its previews do not fit into the cache", advice: "free space")
            error.systemError = .errno(ENOSPC)
            throw error
        }
        library.outcomes.withLock { $0 = [] }
        let outcomes = library.outcomes
        let run = try BatchRun(few, full)
        let summary = try run.run(
            [.folder(library.films, prefix: "")], report: { outcome in outcomes.withLock { $0.append(outcome) } })
        #expect(begun.withLock { $0 } == 3)
        #expect(summary.counts == [.done: 2, .failed: 1] && summary.unbegun == 3 && summary.left == 0)
        #expect(!summary.isBrokenOff && outcomes.withLock { $0.count } == 3)
        let failed = try #require(outcomes.withLock { $0.first { $0.status == .failed } })
        #expect(failed.reason == "its previews do not fit into the cache (free space)" && failed.code == 69)
        // Each has its reason in the state, and the next run takes them up.
        let state = try BatchState(path: library.folder.path + "/state.sqlite", isOwn: true)
        let waiting = try state.rows(.waiting)
        #expect(waiting.count == 4 && waiting.allSatisfy { $0.reason == failed.reason && $0.code == 69 })
        #expect(waiting.allSatisfy { $0.nextTry(now: 1_700_000_000) == .nextRun })
        #expect(try state.rows(.done).count == 2)
        let next = try library.run(work, few)
        #expect(next.count == 6 && next.values.filter { $0.status == .kept }.count == 2)
        #expect(next.values.filter { $0.status == .done }.count == 4)
    }

    @Test func otherUnavailabilityIsOneFilmsFailure() throws {
        var failing = work
        failing.make = { (asset, _) throws(ScrubError) in
            throw ScrubError(.unavailable, "its previews are being written by another process")
        }
        let found = try library.run(failing, options())
        #expect(found.count == 3 && found.values.allSatisfy { $0.status == .failed && $0.code == 69 })
    }
}
