import ScrubFileIO
import Foundation
import GRDB
import ScrubBase
import ScrubThumbnails
import Synchronization
import ScrubTestSupport
import Testing

@testable import ScrubBatch

@Suite("A batch over a library") struct BatchRunTests {
    @Test func everyFilmHasItsResultsAndTheNextRunDoesNothing() throws {
        let library = try BatchLibrary()
        let first = try library.run()
        #expect(first.keys.sorted() == ["below/h264-open-gop.mkv", "below/nonzero.ts", "h264-bf3.mp4"])
        #expect(first.values.allSatisfy { $0.status == .done && $0.pictures > 0 && $0.decoded > 0 })
        let tree = try library.tree()
        for place in first.keys {
            let record = try #require(BatchRecord.read(in: library.results + "/" + place))
            #expect(record.status == "done" && record.file == place)
            #expect(record.isWhole(in: library.results + "/" + place))
            #expect(record.files.contains { $0.name == "web/thumbnails.vtt" })
        }
        library.worked.withLock { $0 = [] }
        let second = try library.run()
        #expect(second.values.allSatisfy { $0.status == .kept })
        #expect(library.worked.withLock { $0 } == [])
        #expect(try library.tree() == tree)
        #expect(tree.keys.allSatisfy { !$0.contains(".scrub-") })
    }

    /// The state is no more than a cache: the files beside the results are enough.
    @Test func aLostStateIsRebuiltFromTheRecords() throws {
        let library = try BatchLibrary()
        try library.run()
        let tree = try library.tree()
        library.worked.withLock { $0 = [] }
        try library.folder.write([], to: "state.sqlite")
        for suffix in ["-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: library.folder.path + "/state.sqlite" + suffix)
        }
        #expect(try library.run().values.allSatisfy { $0.status == .kept })
        #expect(library.worked.withLock { $0 } == [])
        #expect(try library.tree() == tree)
    }

    /// A file that was named by the user may be anything, and is left alone; one of the batch's own name is made again.
    @Test(arguments: ["no database", "PRAGMA user_version=7", "CREATE TABLE films (name TEXT)"])
    func aForeignFileIsNotUsedAsState(_ kind: String) throws {
        let library = try BatchLibrary(["h264-bf3.mp4"])
        let path = library.folder.path + "/state.sqlite"
        if kind == "no database" {
            try library.folder.write(Array(kind.utf8), to: "state.sqlite")
        } else {
            try DatabaseQueue(path: path).inDatabase { try $0.execute(sql: kind) }
        }
        let before = try Data(contentsOf: URL(filePath: path))
        #expect(throws: ScrubError.self) { try library.run() }
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        #expect(try BatchState(path: path, isOwn: true).rows(.done).isEmpty)
        #expect(try library.run()["h264-bf3.mp4"]?.status == .done)
    }

    /// SQLite does not wait while a new database is turned to WAL. Four runs that began at once ended with "database is
    /// locked", or took the new state for a damaged one.
    @Test func runsThatBeginAtOnceShareANewState() throws {
        let folder = try TemporaryFolder()
        for round in 0..<12 {
            let path = folder.path + "/state-\(round).sqlite"
            let errors = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 4) { number in
                do {
                    let state = try BatchState(path: path, isOwn: number.isMultiple(of: 2))
                    try state.record([BatchState.Row(place: "film-\(number)", path: "film-\(number)", status: .done)])
                } catch {
                    errors.withLock { $0.append("\(error)") }
                }
            }
            #expect(errors.withLock { $0 } == [])
            #expect(try BatchState(path: path, isOwn: false).rows(.done).map(\.place) == (0..<4).map { "film-\($0)" })
        }
    }

    @Test func otherContentsOtherOptionsAndLostFilesAreDoneAgain() throws {
        let library = try BatchLibrary()
        try library.run()
        try library.add("h264-mbaff.ts", as: "below/nonzero.ts")
        #expect(try library.run().filter { $0.value.status == .done }.keys.sorted() == ["below/nonzero.ts"])
        try FileManager.default.removeItem(atPath: library.results + "/h264-bf3.mp4/web/thumbnails.vtt")
        var options = library.options()
        options.checksResults = true
        #expect(try library.run(nil, options).filter { $0.value.status == .done }.keys.sorted() == ["h264-bf3.mp4"])
        var sets = ThumbnailSets.Options([.web])
        sets.quality = 50
        #expect(try library.run(.thumbnailSets(sets)).values.allSatisfy { $0.status == .done })
    }

    /// A file that was only touched has the same contents.
    @Test func aTouchedFilmIsLookedIntoAndKept() throws {
        let library = try BatchLibrary()
        try library.run()
        library.worked.withLock { $0 = [] }
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_000_000)], ofItemAtPath: library.films + "/h264-bf3.mp4")
        #expect(try library.run().values.allSatisfy { $0.status == .kept })
        #expect(library.worked.withLock { $0 } == [])
    }

    @Test func otherFilesArePassedOverAndBrokenFilmsReported() throws {
        let library = try BatchLibrary(["h264-bf3.mp4"])
        let whole = try Data(contentsOf: URL(filePath: BatchLibrary.clips + "/h264-bf3.mp4"))
        let files: [(String, Data)] = [
            ("notes.txt", Data("no film".utf8)), ("empty.mp4", Data()), ("broken.mkv", Data("no film".utf8)),
            ("half.mp4", whole.prefix(whole.count / 2)), (".hidden.mp4", whole),
        ]
        for (name, bytes) in files { try bytes.write(to: URL(filePath: library.films + "/" + name)) }
        let found = try library.run()
        #expect(found.keys.sorted() == ["broken.mkv", "empty.mp4", "h264-bf3.mp4", "half.mp4"])
        for name in ["broken.mkv", "empty.mp4", "half.mp4"] {
            #expect(found[name]?.status == .failed && found[name]?.code == 65, "\(name)")
            #expect(BatchRecord.read(in: library.results + "/" + name)?.status == "failed")
        }
        // It would fail again, and is not tried: neither by this state nor by one that only has the records.
        #expect(try library.run()["half.mp4"]?.reason == found["half.mp4"]?.reason)
        try whole.write(to: URL(filePath: library.films + "/half.mp4"))
        #expect(try library.run()["half.mp4"]?.status == .done)
    }

    /// Failures that may pass are tried again after a minute, an hour and a day, and no more.
    @Test func failuresThatMayPassAreTriedAgainByTheClock() throws {
        let library = try BatchLibrary(["h264-bf3.mp4"])
        let tries = Locked(0)
        let failing = BatchWork(name: "fails") { (_, _) throws(ScrubError) in
            tries.withLock { $0 += 1 }
            throw ScrubError(.inputOutput, "the share is away")
        }
        func attempt(after seconds: Int64) throws -> Int {
            library.clock.withLock { $0 += seconds }
            #expect(try library.run(failing)["h264-bf3.mp4"]?.status == .failed)
            return tries.withLock { $0 }
        }
        #expect(try attempt(after: 0) == 1)
        #expect(try attempt(after: 59) == 1)
        #expect(try attempt(after: 1) == 2)
        #expect(try attempt(after: 3599) == 2)
        #expect(try attempt(after: 1) == 3)
        #expect(try attempt(after: 86_399) == 3)
        #expect(try attempt(after: 1) == 4)
        #expect(try attempt(after: 10_000_000) == 4)
        // Unless a retry is asked for.
        #expect(try BatchState(path: library.options().stateFile(), isOwn: true).retry([]) == 1)
        #expect(try attempt(after: 0) == 5)
    }

    /// A clock that was years ahead does not delay retries for years.
    @Test func aWrongClockDelaysNoRetry() throws {
        let library = try BatchLibrary(["h264-bf3.mp4"])
        let failing = BatchWork(name: library.sheets.name) { (_, _) throws(ScrubError) in
            throw ScrubError(.inputOutput, "the share is away")
        }
        library.clock.withLock { $0 += 400_000_000 }
        #expect(try library.run(failing)["h264-bf3.mp4"]?.status == .failed)
        library.clock.withLock { $0 -= 400_000_000 }
        #expect(try library.run()["h264-bf3.mp4"]?.status == .done)
    }

    /// Foreign files in a result's place stay.
    @Test func strangersFilesAreNotTakenAway() throws {
        let library = try BatchLibrary(["h264-bf3.mp4"])
        let place = library.results + "/h264-bf3.mp4"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: URL(filePath: place + "/diary.txt"))
        let found = try library.run()
        let outcome = found["h264-bf3.mp4"]
        #expect(outcome?.status == .failed && outcome?.reason?.contains("not written by a batch") == true)
        #expect(TemporaryFolder.names(place) == ["diary.txt"])
        #expect(TemporaryFolder.names(library.results).allSatisfy { !$0.hasPrefix(".scrub-") || $0 == ".scrub-batch" })
    }

    /// Copies of one film have one key, and are beside each other.
    @Test func copiesSideBySideAreAllDone() throws {
        let library = try BatchLibrary([])
        for number in 0..<8 { try library.add("h264-bf3.mp4", as: "\(number).mp4") }
        var options = library.options()
        options.coreCount = 8
        let found = try library.run(nil, options)
        #expect(found.count == 8 && found.values.allSatisfy { $0.status == .done })
    }

    /// A killed run's files go, also of a film that is another one now or gone; files in work stay.
    @Test func leftoversOfKilledRunsGo() throws {
        let library = try BatchLibrary(["h264-bf3.mp4"])
        let state = try BatchState(path: library.options().stateFile(), isOwn: true)
        try Folder.make(library.results + "/" + BatchOutputNames.folderName)
        var folders: [String] = []
        let names = [
            ("h264-bf3.mp4", "00000000", ""), ("gone.mp4", "11111111", ""), ("other.mp4", "22222222", ""),
            // Another machine may still work on it.
            ("far.mp4", "33333333", "-ffffffff-ffffffff"),
        ]
        for (place, key, machine) in names {
            var folder = BatchOutputNames.work(library.results, place: place, key: key)
            if !machine.isEmpty { folder = folder.split(separator: "-").dropLast(2).joined(separator: "-") + machine }
            try Folder.make(folder + "/web")
            try state.begin(place, path: library.films + "/" + place, owner: "00000000:1:1")
            folders.append(folder)
        }
        let others = try LockTable(path: library.results + "/" + BatchOutputNames.folderName + "/locks")
        #expect(others.take(BatchOutputNames.lock("other.mp4")))
        #expect(try library.run()["h264-bf3.mp4"]?.status == .done)
        #expect(folders.map { FileFacts(path: $0) != nil } == [false, false, true, true])
        #expect(try state.takeAbandoned { _ in false } == [:])
        withExtendedLifetime(others) {}
    }

    /// A film that changes while it is read has no result of two halves.
    @Test func aFilmThatChangesMeanwhileIsNotDone() throws {
        let library = try BatchLibrary(["h264-bf3.mp4"])
        let sheets = library.sheets
        let changing = BatchWork(name: sheets.name) { (asset, surroundings) throws(ScrubError) in
            let made = try sheets.make(asset, surroundings)
            try? library.add("nonzero.ts", as: "h264-bf3.mp4")
            return made
        }
        #expect(try library.run(changing)["h264-bf3.mp4"]?.status == .failed)
        #expect(FileFacts(path: library.results + "/h264-bf3.mp4") == nil)
        #expect(try library.run()["h264-bf3.mp4"]?.status == .done)
    }

    /// A run that is broken off leaves whole results alone, and the next one has the rest. It is broken off as soon as
    /// a film is begun, before it has a whole sheet, or after the first film of a run.
    @Test func aRunThatIsBrokenOffGoesOn() throws {
        let whole = try BatchLibrary()
        try whole.run()
        let library = try BatchLibrary()
        var rounds = 0
        while true {
            let begun = library.worked.withLock { $0.count }
            let isEarly = rounds.isMultiple(of: 2)
            let found = try library.run(stops: {
                isEarly
                    ? library.worked.withLock { $0.count > begun }
                    : library.outcomes.withLock { $0.contains { $0.status == .done } }
            })
            rounds += 1
            // A file that has its name is whole after every round.
            for name in try library.tree().keys where name.hasSuffix("/scrub.json") && !name.contains(".scrub-") {
                let place = library.results + "/" + name.dropLast("/scrub.json".count)
                #expect(BatchRecord.read(in: place)?.isWhole(in: place) == true, "\(place)")
            }
            if found.count == 3, found.values.allSatisfy({ $0.status == .done || $0.status == .kept }) { break }
            try #require(rounds < 20)
        }
        #expect(Set(try library.tree().keys) == Set(try whole.tree().keys))
    }

    /// Films on which runs ended before are worked on by themselves.
    @Test func filmsThatEndedARunAreWorkedOnAlone() throws {
        let library = try BatchLibrary()
        let state = try BatchState(path: library.options().stateFile(), isOwn: true)
        for place in ["h264-bf3.mp4", "below/nonzero.ts"] {
            try state.begin(place, path: library.films + "/" + place, owner: "00000000:1:1")
        }
        let inHand = Locked((now: 0, most: 0))
        let sheets = library.sheets
        let watched = BatchWork(name: sheets.name) { (asset, surroundings) throws(ScrubError) in
            let isSuspect = asset.path.mediumName != "h264-open-gop.mkv"
            inHand.withLock { count in
                count.now += 1
                if isSuspect { count.most = max(count.most, count.now) }
            }
            defer { inHand.withLock { $0.now -= 1 } }
            return try sheets.make(asset, surroundings)
        }
        #expect(try library.run(watched).values.allSatisfy { $0.status == .done })
        #expect(inHand.withLock { $0.most } == 1)
        #expect(try state.takeAbandoned { _ in false } == [:])
    }

    /// Two runs at once have each film done once, by one of them.
    @Test func twoRunsAtOnceShareTheWork() throws {
        let library = try BatchLibrary([
            "h264-bf3.mp4", "h264-open-gop.mkv", "nonzero.ts", "h264-mbaff.ts", "hevc-open-gop.ts",
        ])
        let found = Locked<[BatchOutcome]>([])
        let threads = try (0..<2).map { number in
            try DedicatedThread {
                var options = library.options()
                // As on two machines: neither sees the other's state.
                options.statePath = library.folder.path + "/state-\(number).sqlite"
                do {
                    _ = try BatchRun(options, library.sheets).run(
                        [.folder(library.films, prefix: "")],
                        report: { outcome in found.withLock { $0.append(outcome) } })
                } catch {
                    Issue.record("\(error)")
                }
            }
        }
        for thread in threads { thread.join() }
        let all = found.withLock { $0 }
        #expect(all.count == 10 && all.allSatisfy { $0.status == .done || $0.status == .kept })
        #expect(all.count { $0.status == .done } == 5)
        let worked = library.worked.withLock { $0 }
        #expect(worked.count == 5 && Set(worked).count == 5)
        #expect(try library.tree().keys.allSatisfy { !$0.hasPrefix(".scrub-") })
    }

    @Test func aRootThatIsAwayIsAnError() throws {
        let library = try BatchLibrary([])
        let run = try BatchRun(library.options(), library.sheets)
        #expect(throws: ScrubError.self) {
            try run.run([.folder(library.folder.path + "/gone", prefix: "")], report: { _ in })
        }
    }
}
