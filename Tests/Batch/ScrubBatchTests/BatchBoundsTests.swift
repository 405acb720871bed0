import ScrubFileIO
import Foundation
import ScrubBase
import ScrubThumbnails
import ScrubTestSupport
import Testing

@testable import ScrubBatch

@Suite("What bounds a batch, and what its results do not depend on") struct BatchBoundsTests {
    /// A film that does not fit waits for a run that has more, and is not given up.
    @Test func aFilmThatTakesMoreThanThereIsWaits() throws {
        let library = try BatchLibrary()
        var options = library.options()
        options.memory = 1 << 20
        let first = try library.run(nil, options)
        #expect(first.values.allSatisfy { $0.status == .failed && $0.code == 69 })
        #expect(first.values.allSatisfy { $0.reason?.contains("use --memory") == true })
        #expect(library.worked.withLock { $0 } == [])
        for _ in 0..<5 { try library.run(nil, options) }
        let second = try library.run()
        #expect(second.values.allSatisfy { $0.status == .done })
    }

    /// With memory for one thread it is done on one.
    @Test func threadsAreFewerWhereMemoryIsLess() throws {
        let library = try BatchLibrary(["h264-bf3.mp4"])
        let threads = Locked<[Int]>([])
        let sheets = library.sheets
        let counted = BatchWork(name: sheets.name, request: sheets.request, thumbnailPixels: sheets.thumbnailPixels) {
            (asset, surroundings) throws(ScrubError) in
            threads.withLock { $0.append(surroundings.threadCount) }
            return try sheets.make(asset, surroundings)
        }
        for (memory, count) in [(256, 2), (14, 1)] {
            var options = library.options()
            options.memory = memory << 20
            options.folder += "-\(memory)"
            options.statePath = library.folder.path + "/state-\(memory)"
            #expect(try library.run(counted, options)["h264-bf3.mp4"]?.status == .done)
            #expect(threads.withLock { $0.removeLast() } == count)
        }
    }

    /// The same film elsewhere, under another root and of another time, gives the same bytes.
    @Test func resultsDependOnTheFilmAndTheOptionsAlone() throws {
        let profiles = ThumbnailSets.Profile.allCases.filter { $0 != .freedesktop }
        let work = BatchWork.thumbnailSets(ThumbnailSets.Options(profiles))
        let (here, there) = (try BatchLibrary(), try BatchLibrary())
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_000_000)], ofItemAtPath: there.films + "/h264-bf3.mp4")
        let found = try (here.run(work), there.run(work))
        #expect(found.0.values.allSatisfy { $0.status == .done })
        let trees = try (here.tree(), there.tree())
        #expect(trees.0.keys.sorted() == trees.1.keys.sorted())
        for (name, bytes) in trees.0 { #expect(trees.1[name] == bytes, "\(name)") }
        let manifest = try #require(trees.0["below/nonzero.ts/web/manifest.json"])
        #expect(String(decoding: manifest, as: UTF8.self).contains("\"below/nonzero.ts\""))
    }

    /// A decoder that is not there today is not there in a minute.
    @Test func aCodecWithoutADecoderFailsForGood() throws {
        let library = try BatchLibrary(["h264-bf3.mp4"])
        let path = library.films + "/h264-bf3.mp4"
        var bytes = try Data(contentsOf: URL(filePath: path))
        // The sample entry's name (ISO/IEC 14496-12 8.5.2), which follows the box's length.
        let entry = try #require(
            bytes.range(
                of: Data("avc1".utf8), in: (bytes.range(of: Data("stsd".utf8))?.upperBound ?? 0)..<bytes.endIndex))
        bytes.replaceSubrange(entry, with: Data("zzzz".utf8))
        try bytes.write(to: URL(filePath: path))
        let first = try library.run()["h264-bf3.mp4"]
        #expect(first?.status == .failed && first?.code == 69)
        let record = try #require(BatchRecord.read(in: library.results + "/h264-bf3.mp4"))
        #expect(record.status == "failed" && record.program == BatchRecord.program)
    }

    /// A proof that is broken off ends at the next picture.
    @Test func aProofCanBeBrokenOff() throws {
        let library = try BatchLibrary(["h264-bf3.mp4"])
        let run = try BatchRun(library.options(), .verification(sample: 0))
        let count = Locked(0)
        let summary = try run.run(
            [.folder(library.films, prefix: "")], stopsAdmitting: { false },
            cancellation: Cancellation(within: nil) {
                count.withLock { count in
                    count += 1
                    return count > 10
                }
            }, report: { _ in Issue.record("it came to an end") })
        #expect(summary.files == 0)
        #expect(try library.tree() == [:])
        #expect(count.withLock { $0 } < 20)
    }
}
