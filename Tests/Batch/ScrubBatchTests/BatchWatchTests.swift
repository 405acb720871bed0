import ScrubFileIO
import Foundation
import ScrubBase
import ScrubThumbnails
import ScrubTestSupport
import Testing

@testable import ScrubBatch

/// The kernel queues an event before the call that made it returns, and the clocks are the tests' own: nothing waits.
@Suite("A library that is followed") struct BatchWatchTests {
    @Test func theFirstWalkIsTheRunAndThenNothingIsDoneTwice() throws {
        let watched = try WatchedLibrary(["h264-bf3.mp4", "h264-open-gop.mkv"])
        #expect(try watched.step() == ["h264-bf3.mp4": .done, "below/h264-open-gop.mkv": .done])
        #expect(try watched.follow(seconds: 130) == [:])
        // The daily walk finds everything as it is, and reports nothing.
        watched.pass(seconds: 86_400)
        #expect(try watched.step() == [:])
        #expect(watched.takeWorked().count == 2)
        #expect(watched.takeWords() == [])
        #expect(watched.watch.summary.counts == [.done: 2])
        // Another one begins where this one was.
        let again = try WatchedLibrary(library: watched.library)
        #expect(try again.step() == ["h264-bf3.mp4": .kept, "below/h264-open-gop.mkv": .kept])
        #expect(again.takeWorked() == [])
    }

    @Test func aFilmThatIsStillBeingCopiedAtTheBeginningIsWaitedFor() throws {
        let watched = try WatchedLibrary(age: 0)
        #expect(try watched.step() == [:])
        #expect(watched.watch.board.counts.waiting == 1)
        #expect(try watched.follow(seconds: 4) == [:])
        #expect(try watched.follow(seconds: 2) == ["h264-bf3.mp4": .done])
    }

    /// The way of browsers, rsync and most others: a name of its own until the end.
    @Test func aCopyInPiecesWithARenameAtItsEnd() throws {
        let watched = try WatchedLibrary()
        try watched.step()
        for temporary in [".film.mp4.x7", "film.part"] {
            let bytes = try WatchedLibrary.bytes("h264-bf3.mp4")
            let writer = try SlowWriter(watched.films + "/" + temporary, bytes)
            for _ in 0..<4 {
                try writer.write(bytes.count / 5)
                #expect(try watched.follow(seconds: 20) == [:])
            }
            try writer.finish()
            try watched.move(temporary, to: "to\(temporary).mp4")
            #expect(try watched.follow(seconds: 4) == [:])
            #expect(try watched.follow(seconds: 2) == ["to\(temporary).mp4": .done])
        }
        #expect(watched.takeWorked().count == 3)
    }

    /// Under its own name, slowly, with pauses longer than everything settles in.
    @Test(arguments: ["h264-bf3.mp4", "h264-open-gop.mkv", "nonzero.ts", "h264-one-key.mp4"], [false, true])
    func aSlowWriteWithPauses(_ clip: String, _ reserves: Bool) throws {
        let watched = try WatchedLibrary()
        try watched.step()
        let bytes = try WatchedLibrary.bytes(clip)
        let writer = try SlowWriter(watched.films + "/slow", bytes, reserves: reserves)
        // If writers cannot be detected, a stream without a length looks whole in each pause.
        let isTold = FileFacts.hasWriter(watched.films + "/slow") == true || !clip.hasSuffix(".ts")
        for _ in 0..<5 {
            try writer.write(bytes.count / 7)
            let early = try watched.follow(seconds: 40)
            #expect(early == [:] || !isTold, "\(early)")
        }
        #expect(watched.watch.board.counts.incomplete == 1 || !isTold)
        try writer.finish()
        #expect(try watched.follow(seconds: 4) == [:])
        #expect(try watched.follow(seconds: 2) == ["slow": .done])
        #expect(watched.takeWorked().count == 2 || !isTold)
    }

    /// A torrent's file: all its room from the first moment on, and it is closed between two pieces.
    @Test func aReservedFileIsWaitedForUntilItsEndIsThere() throws {
        let watched = try WatchedLibrary()
        try watched.step()
        let bytes = try WatchedLibrary.bytes("h264-bf3.mp4")
        let path = watched.films + "/reserved.mp4"
        var content = Data(count: bytes.count)
        for end in [bytes.count / 3, bytes.count / 2, bytes.count - 5_000] {
            content[..<end] = bytes[..<end]
            try content.write(to: URL(filePath: path))
            #expect(try watched.follow(seconds: 300) == [:])
            #expect(watched.watch.board.counts.incomplete == 1)
        }
        try bytes.write(to: URL(filePath: path))
        #expect(try watched.follow(seconds: 6) == ["reserved.mp4": .done])
    }

    /// A damaged film gets its verdict, later and with a word about it.
    @Test func incompleteFilmsAreTakenAfterAWhile() throws {
        let watched = try WatchedLibrary()
        try watched.step()
        let bytes = try WatchedLibrary.bytes("h264-bf3.mp4")
        try bytes.prefix(bytes.count * 2 / 3).write(to: URL(filePath: watched.films + "/half.mp4"))
        try watched.step()
        for _ in 0..<119 {
            watched.pass(seconds: 30)
            #expect(try watched.step() == [:])
        }
        watched.pass(seconds: 30)
        #expect(Array(try watched.step().keys) == ["half.mp4"])
        #expect(watched.warnings.contains { $0.contains("processed as it was") })
        #expect(try watched.follow(seconds: 10) == [:])
    }

    /// A file that was broken for days is not a copy under way.
    @Test func anOldBrokenFilmIsNotWaitedFor() throws {
        let library = try BatchLibrary(["h264-bf3.mp4"])
        let bytes = try WatchedLibrary.bytes("h264-bf3.mp4")
        try bytes.prefix(bytes.count / 2).write(to: URL(filePath: library.films + "/half.mp4"))
        let watched = try WatchedLibrary(age: 100_000, library: library)
        #expect(try watched.step().keys.sorted() == ["h264-bf3.mp4", "half.mp4"])
    }

    @Test func aFolderThatComesWithItsFilms() throws {
        let watched = try WatchedLibrary()
        try watched.step()
        // Made and filled before it can be watched, and a deep one, and one that is moved in.
        try watched.make(folder: "new/deep/er")
        try watched.library.add("h264-bf3.mp4", as: "new/one.mp4")
        try watched.library.add("h264-bf3.mp4", as: "new/deep/er/two.mp4")
        let outside = watched.library.folder.path + "/outside"
        try FileManager.default.createDirectory(atPath: outside + "/x", withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: BatchLibrary.clips + "/h264-bf3.mp4", toPath: outside + "/x/three.mp4")
        try FileManager.default.moveItem(atPath: outside, toPath: watched.films + "/moved")
        #expect(
            try watched.follow(seconds: 6) == [
                "new/one.mp4": .done, "new/deep/er/two.mp4": .done, "moved/x/three.mp4": .done,
            ])
        // All of it is followed from now on.
        try watched.library.add("h264-bf3.mp4", as: "new/deep/er/four.mp4")
        try watched.library.add("h264-bf3.mp4", as: "moved/x/five.mp4")
        #expect(try watched.follow(seconds: 6).keys.sorted() == ["moved/x/five.mp4", "new/deep/er/four.mp4"])
        // Under another name it is another place.
        try watched.move("moved", to: "new/deep/moved")
        #expect(
            try watched.follow(seconds: 6).keys.sorted() == ["new/deep/moved/x/five.mp4", "new/deep/moved/x/three.mp4"])
        try watched.library.add("h264-bf3.mp4", as: "new/deep/moved/x/six.mp4")
        #expect(try watched.follow(seconds: 6).keys.sorted() == ["new/deep/moved/x/six.mp4"])
        // Out of the tree it is no longer watched.
        try FileManager.default.moveItem(atPath: watched.films + "/new", toPath: outside)
        try FileManager.default.copyItem(atPath: BatchLibrary.clips + "/h264-bf3.mp4", toPath: outside + "/seven.mp4")
        #expect(try watched.follow(seconds: 10) == [:])
        #expect(watched.watch.board.folderCounts == (2, 2))
        #expect(watched.takeWords() == [])
    }

    /// A folder put over an empty one of its name.
    @Test func aFolderTakesAnothersName() throws {
        let watched = try WatchedLibrary()
        try watched.make(folder: "a")
        try watched.step()
        let outside = watched.library.folder.path + "/outside"
        try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: BatchLibrary.clips + "/h264-bf3.mp4", toPath: outside + "/x.mp4")
        #expect(Folder.move(outside, to: watched.films + "/a"))
        #expect(try watched.follow(seconds: 6) == ["a/x.mp4": .done])
        try watched.library.add("h264-bf3.mp4", as: "a/y.mp4")
        #expect(try watched.follow(seconds: 6) == ["a/y.mp4": .done])
    }

    /// Events that were lost: everything is walked through.
    @Test func anOverflowIsAWalk() throws {
        let watched = try WatchedLibrary()
        try watched.step()
        try watched.make(folder: "new")
        for number in 0..<5 { try watched.library.add("h264-bf3.mp4", as: "new/\(number).mp4") }
        // They are dropped.
        while let events = watched.watch.board.watch?.events(), !events.isEmpty {}
        #expect(try watched.follow(seconds: 20) == [:])
        watched.watch.board.take([FolderWatch.Event(.overflowed, watch: -1, name: "", isFolder: false)])
        #expect(try watched.follow(seconds: 10).count == 5)
        #expect(watched.takeWords().count { $0.contains("than the kernel could queue") } == 1)
        // The new folder is followed too.
        try watched.library.add("h264-bf3.mp4", as: "new/later.mp4")
        #expect(try watched.follow(seconds: 6) == ["new/later.mp4": .done])
    }

    /// A film that is replaced while it is worked on gives no result, and is done again.
    @Test func aFilmThatIsReplacedWhileItIsWorkedOn() throws {
        let library = try BatchLibrary(["h264-bf3.mp4"])
        let sheets = library.sheets
        let replacements = Locked(0)
        let replacing = BatchWork(name: sheets.name, request: sheets.request, thumbnailPixels: sheets.thumbnailPixels) {
            (asset, surroundings) throws(ScrubError) in
            let made = try sheets.make(asset, surroundings)
            if replacements.withLock({ count in
                count += 1
                return count == 1
            }) {
                _ = Folder.move(library.films + "/other", to: library.films + "/h264-bf3.mp4")
            }
            return made
        }
        try library.add("h264-one-key.mp4", as: "other")
        let watched = try WatchedLibrary(work: replacing, library: library)
        let first = try watched.step()
        #expect(first["h264-bf3.mp4"] == .failed)
        #expect(!watched.hasResult("h264-bf3.mp4"))
        #expect(try watched.follow(seconds: 6) == ["h264-bf3.mp4": .done])
        let key = try ContentKey(path: library.films + "/h264-bf3.mp4").text
        #expect(BatchRecord.read(in: library.results + "/h264-bf3.mp4")?.key == key)
    }

    /// A film that was found, and is changed or gone before its turn comes.
    @Test func aFilmThatChangesInTheQueue() throws {
        let library = try BatchLibrary(["h264-bf3.mp4"])
        for name in ["0", "1", "2"] { try library.add("h264-bf3.mp4", as: name + ".mp4") }
        let sheets = library.sheets
        let isFirst = Locked(true)
        let disturbing = BatchWork(name: sheets.name) { (asset, surroundings) throws(ScrubError) in
            if isFirst.withLock({ first in
                defer { first = false }
                return first
            }) {
                let name = asset.path.mediumName
                for other in ["h264-bf3.mp4", "0.mp4", "1.mp4", "2.mp4"] where other != name {
                    Folder.removeTree(library.films + "/" + other)
                }
                try? library.add("h264-one-key.mp4", as: name == "0.mp4" ? "1.mp4" : "0.mp4")
            }
            return try sheets.make(asset, surroundings)
        }
        var options = library.options()
        options.coreCount = 1
        let watched = try WatchedLibrary(work: disturbing, library: library)
        let first = try watched.step()
        let all = first.merging(try watched.follow(seconds: 6)) { $1 }
        // At most one other was in hand already.
        #expect(all.values.count { $0 == .done } >= 2)
        #expect(watched.watch.board.counts.waiting == 0)
        #expect(watched.watch.summary.left == 0)
    }

    @Test func oddNamesAndLinks() throws {
        let watched = try WatchedLibrary()
        try watched.step()
        let names = [
            "line\nbreak.mp4", "..mp4", "...", "caf\u{E9}.mp4", "cafe\u{301}.mp4", "\u{10FF80}.mp4", "-x \u{1B}[2J.mp4",
            "a\\..\\b.mp4",
        ]
        try watched.make(folder: "below\n\u{1F4FC}")
        for name in names where name.utf8.first != UInt8(ascii: ".") {
            let bytes = try WatchedLibrary.bytes("h264-bf3.mp4")
            try AtomicFile.write(Array(bytes), to: .kept(watched.films + "/below\n\u{1F4FC}/" + name))
        }
        // A film elsewhere by a link, a folder by a link, a link to nothing, a link to itself.
        let outside = watched.library.folder.path + "/outside"
        try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: BatchLibrary.clips + "/h264-bf3.mp4", toPath: outside + "/x.mp4")
        for (name, target) in [
            ("link.mp4", outside + "/x.mp4"), ("folder", outside), ("nothing.mp4", "/nowhere"),
            ("self.mp4", "self.mp4"),
        ] {
            try FileManager.default.createSymbolicLink(
                atPath: watched.films + "/" + name, withDestinationPath: target)
        }
        let found = try watched.follow(seconds: 6)
        let expected =
            names.filter { $0.utf8.first != UInt8(ascii: ".") }.map { "below\n\u{1F4FC}/" + $0 } + ["link.mp4"]
        #expect(Set(found.keys.map { Array($0.utf8) }).count == Set(expected).count)
        for place in expected { #expect(watched.hasResult(place), "\(place.debugDescription)") }
        try FileManager.default.copyItem(atPath: BatchLibrary.clips + "/h264-bf3.mp4", toPath: outside + "/y.mp4")
        #expect(try watched.follow(seconds: 6) == [:])
    }

    /// The films of each shard are its alone, and together shards have all.
    @Test func shardsTakeTheirOwn() throws {
        let library = try BatchLibrary([])
        let isOdd: @Sendable (String) -> Bool = { ($0.utf8.last ?? 0) & 1 == 1 }
        let odd = try WatchedLibrary(library: library, isOwn: isOdd)
        let other = try BatchLibrary([])
        let even = try WatchedLibrary(library: other, isOwn: { !isOdd($0) })
        try odd.step()
        try even.step()
        for (number, clip) in ["h264-bf3.mp4", "h264-one-key.mp4", "nonzero.ts", "h264-mbaff.ts", "hevc-closed.mp4"]
            .enumerated()
        {
            try library.add(clip, as: "\(number)")
            try other.add(clip, as: "\(number)")
        }
        let (one, two) = (try odd.follow(seconds: 6), try even.follow(seconds: 6))
        #expect(Set(one.keys).isDisjoint(with: two.keys) && one.count + two.count == 5)
    }

    /// Without notifications, folders are looked at each minute.
    @Test func foldersWithoutNotificationsArePolled() throws {
        let watched = try WatchedLibrary(hears: false)
        try watched.step()
        while let events = watched.watch.board.watch?.events(), !events.isEmpty {}
        #expect(watched.takeWords().count { $0.contains("every minute") } == 1)
        try watched.make(folder: "new/er")
        try watched.library.add("h264-bf3.mp4", as: "new/er/film.mp4")
        try watched.library.add("h264-bf3.mp4", as: "below/film.mp4")
        while let events = watched.watch.board.watch?.events(), !events.isEmpty {}
        #expect(try watched.follow(seconds: 70).keys.sorted() == ["below/film.mp4", "new/er/film.mp4"])
        #expect(watched.takeWords() == [])
        try watched.library.add("h264-bf3.mp4", as: "new/er/another.mp4")
        while let events = watched.watch.board.watch?.events(), !events.isEmpty {}
        #expect(try watched.follow(seconds: 70).keys.sorted() == ["new/er/another.mp4"])
    }

    /// A film that failed for a reason that may pass is tried again automatically.
    @Test func failuresAreTriedAgain() throws {
        let tries = Locked(0)
        let library = try BatchLibrary(["h264-bf3.mp4"])
        let sheets = library.sheets
        let failing = BatchWork(name: sheets.name) { (asset, surroundings) throws(ScrubError) in
            let count = tries.withLock { tries in
                tries += 1
                return tries
            }
            guard count > 2 else { throw ScrubError(.inputOutput, "the share is away") }
            return try sheets.make(asset, surroundings)
        }
        let watched = try WatchedLibrary(work: failing, library: library)
        #expect(try watched.step() == ["h264-bf3.mp4": .failed])
        #expect(try watched.follow(seconds: 59) == [:])
        #expect(try watched.follow(seconds: 70) == ["h264-bf3.mp4": .failed])
        for _ in 0..<80 {
            watched.pass(seconds: 50)
            try watched.step()
        }
        #expect(watched.hasResult("h264-bf3.mp4"))
    }
}
