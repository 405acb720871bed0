import ScrubFileIO
import Foundation
import GRDB
import Glibc
import ScrubLibAV
import ScrubBase
import ScrubMedia
import ScrubThumbnails
import ScrubTestSupport
import Testing

@testable import ScrubBatch

/// Cases beside the usual ones: leftovers of other commands, strangers' links, places that two films share.
@Suite("A batch and its neighbours") struct BatchNeighbourTests {
    /// The same command goes on from a killed run's files, and they are not part of another one's results.
    @Test func leftoversAreNotPartOfAResult() throws {
        let library = try BatchLibrary(["h264-bf3.mp4"])
        let (place, film) = ("h264-bf3.mp4", library.films + "/h264-bf3.mp4")
        let clean = try library.run()[place]
        #expect(clean?.status == .done)
        let tree = try library.tree()
        try FileManager.default.removeItem(atPath: library.results + "/" + place)
        // A folder of work as it is called now, with a list of finished sheets that nothing can be made of. It also has
        // parts of a set that this command does not make.
        let key = try ContentKey(path: film).text
        let options = BatchRun.optionsKey(library.sheets)
        let folders = Locked<[String]>([])
        let sheets = library.sheets
        let watched = BatchWork(name: sheets.name) { (asset, surroundings) throws(ScrubError) in
            folders.withLock { $0.append(surroundings.folder) }
            for name in ["/plex/index-sd.bif", "/.scrub-thumbnails/list", "/scrub.json", "/.1-2.tmp"] {
                try Folder.make(Folder.folder(of: surroundings.folder + name) ?? ".")
                try AtomicFile.write(Array("left".utf8), to: .kept(surroundings.folder + name))
            }
            throw ScrubError(.inputOutput, "killed")
        }
        #expect(try library.run(watched)[place]?.status == .failed)
        let work = try #require(folders.withLock { $0.first })
        // The failed run's end has taken it away: a killed one's does not.
        for name in ["/plex/index-sd.bif", "/.scrub-thumbnails/list", "/scrub.json", "/.1-2.tmp"] {
            try Folder.make(Folder.folder(of: work + name) ?? ".")
            try AtomicFile.write(Array("left".utf8), to: .kept(work + name))
        }
        library.clock.withLock { $0 += 100 }
        #expect(try library.run()[place]?.status == .done)
        #expect(try library.tree() == tree)
        // Work for other options has another name.
        let other = BatchRun.optionsKey(.verification(sample: 3))
        #expect(options != other && !key.isEmpty)
        let proof = BatchWork(name: "verify 3") { (_, surroundings) throws(ScrubError) in
            folders.withLock { $0.append(surroundings.folder) }
            try Folder.make(surroundings.folder)
            return BatchWork.Made(pictures: 0)
        }
        #expect(try library.run(proof)[place]?.status == .done)
        #expect(folders.withLock { $0.last } != work)
    }

    /// Sheets are made where they are in the result, and there is no other folder for them on their way.
    @Test func aResultIsMadeInOneFolder() throws {
        let library = try BatchLibrary(["h264-bf3.mp4"])
        let sheets = library.sheets
        let found = Locked<(before: [String], after: [String])>(([], []))
        let watched = BatchWork(name: sheets.name) { (asset, surroundings) throws(ScrubError) in
            // The last question comes when some thumbnails are done.
            let asking = Cancellation(within: .current) {
                found.withLock { $0.before = TemporaryFolder.names(surroundings.folder) }
                return false
            }
            let made = try asking.perform { () throws(ScrubError) in try sheets.make(asset, surroundings) }
            found.withLock { $0.after = TemporaryFolder.names(surroundings.folder) }
            return made
        }
        #expect(try library.run(watched)["h264-bf3.mp4"]?.status == .done)
        let (before, after) = found.withLock { $0 }
        #expect(!before.contains(".scrub-unfinished") && after == ["web"], "\(before) \(after)")
    }

    /// One look through the folder lists the result and takes away what is not part of it.
    @Test func aResultIsWhatIsListed() throws {
        let folder = try TemporaryFolder()
        for name in [
            "web/sheet-10.jpg", "web/sheet-2.jpg", "web-1.txt", "plex/index-sd.bif", "plex/a.bif.json",
            ".scrub-thumbnails.journal", ".scrub-sheets/one", BatchRecord.fileName, "web/deep/er/file",
        ] {
            try Folder.make(Folder.folder(of: folder.path(of: name)) ?? ".")
            try folder.write(Array(name.utf8), to: name)
        }
        try FileManager.default.createSymbolicLink(atPath: folder.path(of: "link"), withDestinationPath: "web")
        let files = try BatchRecord.gather(folder.path) { !$0.hasSuffix(".bif") }
        #expect(
            files.map(\.name) == [
                "plex/a.bif.json", "web-1.txt", "web/deep/er/file", "web/sheet-10.jpg", "web/sheet-2.jpg",
            ])
        #expect(files.allSatisfy { $0.bytes == $0.name.utf8.count && $0.hash.count == 16 })
        #expect(folder.contents == ["link", "plex", "scrub.json", "web", "web-1.txt"])
        #expect(TemporaryFolder.names(folder.path(of: "plex")) == ["a.bif.json"])
    }

    /// A film that fails where its results cannot be put fails alone.
    @Test func aFailureWithoutAPlaceEndsNothing() throws {
        let library = try BatchLibrary(["h264-bf3.mp4", "h264-open-gop.mkv"])
        try Data("no film".utf8).write(to: URL(filePath: library.films + "/below/broken.mkv"))
        try FileManager.default.createDirectory(atPath: library.results, withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: URL(filePath: library.results + "/below"))
        let found = try library.run()
        #expect(
            found.mapValues(\.status) == [
                "h264-bf3.mp4": .done, "below/h264-open-gop.mkv": .failed, "below/broken.mkv": .failed,
            ])
        #expect(try Data(contentsOf: URL(filePath: library.results + "/below")) == Data("mine".utf8))
    }

    /// Two films of one place are not one film.
    @Test func aPlaceIsOneFilms() throws {
        let library = try BatchLibrary(["h264-bf3.mp4"])
        try library.add("nonzero.ts", as: "below/h264-bf3.mp4")
        func found(_ path: String) throws -> FoundFile {
            FoundFile(path: path, place: "x", facts: try #require(FileFacts(path: path)))
        }
        let (one, other) = (
            try found(library.films + "/h264-bf3.mp4"), try found(library.films + "/below/h264-bf3.mp4")
        )
        let run = try BatchRun(library.options(), library.sheets)
        let error = try #require(throws: ScrubError.self) {
            try run.run([.files([one]), .files([other])], report: { _ in })
        }
        #expect(error.code == .usage && error.file == other.path)
        #expect(
            try BatchRun(library.options(), library.sheets).run([.files([one]), .files([one])], report: { _ in }).files
                == 1)
    }

    /// An unreadable film belongs to one shard, and its tries are counted.
    @Test func anUnreadableFilmIsOneShards() throws {
        let library = try BatchLibrary(["h264-bf3.mp4"])
        // A folder in a file's place cannot be read, by root either.
        let gone = library.films + "/gone.mp4"
        let facts = try #require(FileFacts(path: library.films + "/h264-bf3.mp4"))
        let file = FoundFile(path: gone, place: "gone.mp4", facts: facts)
        var statuses: [BatchOutcome.Status] = []
        for index in 0..<3 {
            var options = library.options()
            options.statePath = library.folder.path + "/state-\(index).sqlite"
            options.isOwn = { key in key.utf8.reduce(0) { Int($1) + $0 } % 3 == index }
            let said = Locked<[BatchOutcome]>([])
            _ = try BatchRun(options, library.sheets).run(
                [.found([file])], report: { one in said.withLock { $0.append(one) } })
            statuses += said.withLock { $0.map(\.status) }
        }
        #expect(statuses == [.failed])
        // A minute, an hour, a day, and no more.
        let state = try BatchState(path: library.options().stateFile(), isOwn: false)
        for (delay, attempts) in [(0, 1), (60, 2), (3600, 3), (86_400, 4), (86_400, 4)] {
            library.clock.withLock { $0 += Int64(delay) }
            _ = try BatchRun(library.options(), library.sheets).run([.found([file])], report: { _ in })
            #expect(try state.row("gone.mp4")?.attempts == attempts)
        }
        #expect(try state.row("gone.mp4")?.status == .failed)
    }

    /// A film that no set fits has failed, and the reason is given.
    @Test func aFilmWithoutAnySetSaysWhy() throws {
        let library = try BatchLibrary(["h264-bf3.mp4"])
        var options = ThumbnailSets.Options([.plex])
        (options.request, options.skipsUnsupportedProfiles) = (ThumbnailPlan.Request(.count(7)), true)
        let found = try library.run(.thumbnailSets(options))["h264-bf3.mp4"]
        #expect(found?.status == .failed && found?.code == 65)
        #expect(found?.reason?.hasPrefix("no set for plex: ") == true, "\(found?.reason ?? "")")
    }

    /// A name with a line break has no Jellyfin set, and the others all the same.
    @Test func aNameWithALineBreakHasItsOtherSets() throws {
        let library = try BatchLibrary([])
        try library.add("h264-bf3.mp4", as: "new\nline.mp4")
        var options = ThumbnailSets.Options([.jellyfin, .roku, .web])
        options.skipsUnsupportedProfiles = true
        let found = try library.run(.thumbnailSets(options))["new\nline.mp4"]
        #expect(found?.status == .done && found?.warnings.count == 2)
        #expect(found?.warnings.allSatisfy { $0.contains("line break") } == true)
        #expect(FileFacts(path: library.results + "/new\nline.mp4/web/thumbnails.vtt") != nil)
    }

    /// A failure for good is one of this FFmpeg, and one with a record.
    @Test func failuresAreOfARelease() throws {
        let library = try BatchLibrary([])
        try Data("no film".utf8).write(to: URL(filePath: library.films + "/broken.mkv"))
        let tries = Locked(0)
        func tried() throws -> Bool {
            let before = tries.withLock { $0 }
            var options = library.options()
            options.admits = { _, moment in
                if case .begun = moment { tries.withLock { $0 += 1 } }
                return true
            }
            #expect(try library.run(nil, options)["broken.mkv"]?.status == .failed)
            return tries.withLock { $0 } > before
        }
        #expect(try tried())
        #expect(try !tried())
        let state = try BatchState(path: library.options().stateFile(), isOwn: false)
        var row = try #require(try state.row("broken.mkv"))
        #expect(row.program == BatchRecord.program)
        row.program = "batch 1, FFmpeg 4.0"
        try state.record([row])
        #expect(try tried())
        #expect(try !tried())
        // A record that was taken away comes back.
        try FileManager.default.removeItem(atPath: library.results + "/broken.mkv")
        #expect(try tried())
        #expect(BatchRecord.read(in: library.results + "/broken.mkv")?.status == "failed")
    }

    /// A film that came and went between two kills leaves nothing.
    @Test func leftoversOfFilmsWithoutARowGo() throws {
        let library = try BatchLibrary(["h264-bf3.mp4"])
        let state = try BatchState(path: library.options().stateFile(), isOwn: true)
        let work = BatchOutputNames.work(library.results, place: "elsewhere/gone.mp4", key: "01234567")
        try Folder.make(work + "/web")
        try state.begin("elsewhere/gone.mp4", path: library.films + "/elsewhere/gone.mp4", owner: "00000000:1:1")
        try library.run()
        #expect(FileFacts(path: work) == nil)
    }

    /// Links, pipes and empty folders in a result's folder belong to others.
    @Test(arguments: ["link", "folder", "pipe"], [true, false])
    func linksPipesAndFoldersAreKept(_ kind: String, hasRecord: Bool) throws {
        let library = try BatchLibrary(["h264-bf3.mp4"])
        let place = library.results + "/h264-bf3.mp4"
        if hasRecord { try library.run() } else { try Folder.make(place) }
        switch kind {
        case "link": try FileManager.default.createSymbolicLink(atPath: place + "/x", withDestinationPath: "..")
        case "pipe": #expect(mkfifo(place + "/x", 0o600) == 0)
        default: try Folder.make(place + "/x")
        }
        let before = library.worked.withLock { $0.count }
        let other = BatchWork(name: "other") { (_, _) throws(ScrubError) in
            library.worked.withLock { $0.append("") }
            return BatchWork.Made(pictures: 0)
        }
        let found = try library.run(other)["h264-bf3.mp4"]
        #expect(found?.status == .failed && found?.reason?.contains("not written by a batch") == true)
        #expect(FileFacts(path: place + "/x", followsLinks: false) != nil)
        // Nothing is decoded for it.
        #expect(library.worked.withLock { $0.count } == before)
    }

    /// A stranger's file beside a right result makes it no wrong one.
    @Test func aCheckLooksAtWhatTheRecordNames() throws {
        let library = try BatchLibrary(["h264-bf3.mp4"])
        try library.run()
        let place = library.results + "/h264-bf3.mp4"
        try Data("mine".utf8).write(to: URL(filePath: place + "/note.txt"))
        var options = library.options()
        options.checksResults = true
        #expect(try library.run(nil, options)["h264-bf3.mp4"]?.status == .kept)
        try FileManager.default.removeItem(atPath: place + "/note.txt")
        try Data("x".utf8).write(to: URL(filePath: place + "/web/thumbnails.vtt"))
        #expect(try library.run(nil, options)["h264-bf3.mp4"]?.status == .done)
    }

    @Test func aFolderOfFilmsIsNotAFolderOfResults() throws {
        let library = try BatchLibrary(["h264-bf3.mp4"])
        var options = library.options()
        options.folder = library.films
        let error = try #require(throws: ScrubError.self) { try library.run(nil, options) }
        #expect(error.code == .usage)
        // One in it is.
        options.folder = library.films + "/results"
        #expect(try library.run(nil, options).values.map(\.status) == [.done])
        #expect(try library.run(nil, options).values.map(\.status) == [.kept])
    }

    /// A film that takes more than all may have waits for a run that has more. This one's watch does not ask again and
    /// again.
    @Test func aFilmThatIsTooLargeWaitsForAnotherRun() throws {
        let library = try BatchLibrary(["h264-bf3.mp4"])
        var options = library.options()
        options.memory = 1 << 20
        #expect(try library.run(nil, options)["h264-bf3.mp4"]?.code == 69)
        let state = try BatchState(path: library.options().stateFile(), isOwn: false)
        #expect(try state.retries(after: "", now: 2_000_000_000).isEmpty)
        #expect(try library.run()["h264-bf3.mp4"]?.status == .done)
    }

    /// A state of the version before is filled up, and not thrown away.
    @Test func anOldStateIsKept() throws {
        let library = try BatchLibrary(["h264-bf3.mp4"])
        try library.run()
        let state = try BatchState(path: library.options().stateFile(), isOwn: false)
        try state.transaction { database in
            for statement in [
                "ALTER TABLE file DROP COLUMN program", "ALTER TABLE working DROP COLUMN path", "PRAGMA user_version=1",
            ] { try database.execute(sql: statement) }
        }
        library.worked.withLock { $0 = [] }
        #expect(try library.run()["h264-bf3.mp4"]?.status == .kept)
        #expect(
            try BatchState(path: library.options().stateFile(), isOwn: false).row("h264-bf3.mp4")?.pictures ?? 0 > 0)
    }
}
