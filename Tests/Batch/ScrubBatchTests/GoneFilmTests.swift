import ScrubFileIO
import Foundation
import Glibc
import ScrubBase
import ScrubTestSupport
import Testing

@testable import ScrubBatch

@Suite("Films that are gone") struct GoneFilmTests {
    private func library(_ count: Int) throws -> BatchLibrary {
        let library = try BatchLibrary([])
        for number in 0..<count { try library.add("h264-bf3.mp4", as: "below/\(number).mp4") }
        try library.add("h264-bf3.mp4", as: "top.mp4")
        return library
    }

    /// By default nothing is removed.
    @Test func resultsStayByDefault() throws {
        let watched = try WatchedLibrary(library: library(2))
        try watched.step()
        try watched.remove("below/0.mp4")
        #expect(try watched.follow(seconds: 100) == [:])
        #expect(watched.hasResult("below/0.mp4") && watched.takeRemoved() == [])
    }

    @Test func resultsGoWithTheirFilms() throws {
        let watched = try WatchedLibrary(deletesGone: true, library: library(5))
        try watched.step()
        try watched.remove("below/0.mp4")
        try watched.move("below/1.mp4", to: "moved.mp4")
        #expect(try watched.follow(seconds: 20) == ["moved.mp4": .done])
        #expect(watched.takeRemoved() == ["below/0.mp4", "below/1.mp4"])
        #expect(!FileManager.default.fileExists(atPath: watched.library.results + "/below/0.mp4"))
        #expect(watched.hasResult("below/2.mp4") && watched.hasResult("moved.mp4"))
        #expect(TemporaryFolder.names(watched.library.results + "/below") == ["2.mp4", "3.mp4", "4.mp4"])
        #expect(watched.takeWords() == [])
        // It may come again.
        try watched.library.add("h264-bf3.mp4", as: "below/0.mp4")
        #expect(try watched.follow(seconds: 6) == ["below/0.mp4": .done])
    }

    /// Folders that were left empty go too, and no others.
    @Test func foldersOfResultsGoWhenTheyAreEmpty() throws {
        let watched = try WatchedLibrary(deletesGone: true, library: library(1))
        for number in 0..<3 { try watched.library.add("h264-bf3.mp4", as: "other\(number).mp4") }
        try watched.step()
        try watched.remove("below")
        try watched.follow(seconds: 20)
        #expect(watched.takeRemoved() == ["below/0.mp4"])
        #expect(
            TemporaryFolder.names(watched.library.results).filter { !$0.hasPrefix(".") } == [
                "other0.mp4", "other1.mp4", "other2.mp4", "top.mp4",
            ])
    }

    @Test func addedFilesKeepTheirResultFolder() throws {
        let watched = try WatchedLibrary(deletesGone: true, library: library(8))
        try watched.step()
        let results = watched.library.results + "/below/"
        try Data("mine".utf8).write(to: URL(filePath: results + "0.mp4/diary.txt"))
        try FileManager.default.createSymbolicLink(
            atPath: results + "1.mp4/web/link", withDestinationPath: "/etc/passwd")
        try FileManager.default.createDirectory(atPath: results + "2.mp4/empty", withIntermediateDirectories: true)
        // A picture that is another one, by its size alone, and one that is missing.
        try Data("other".utf8).write(to: URL(filePath: results + "3.mp4/web/thumbnails.vtt"))
        for number in 0..<4 { try watched.remove("below/\(number).mp4") }
        try watched.follow(seconds: 20)
        #expect(watched.takeRemoved() == [])
        #expect(watched.takeWords().count { $0.contains("other files") } == 4)
        #expect(try String(contentsOfFile: results + "0.mp4/diary.txt", encoding: .utf8) == "mine")
        #expect((0..<4).allSatisfy { FileManager.default.fileExists(atPath: results + "\($0).mp4/scrub.json") })
    }

    /// A disk that is not mounted: an empty folder, or none.
    @Test(arguments: ["empty", "missing"]) func aRootThatIsAway(_ how: String) throws {
        let watched = try WatchedLibrary(deletesGone: true, library: library(4))
        try watched.step()
        let tree = try watched.library.tree()
        let aside = watched.library.folder.path + "/aside"
        #expect(Folder.move(watched.films, to: aside))
        if how == "empty" {
            try FileManager.default.createDirectory(atPath: watched.films, withIntermediateDirectories: true)
        }
        for _ in 0..<40 {
            watched.pass(seconds: 5)
            #expect(try watched.step() == [:])
        }
        // A day later, with a walk, nothing else.
        watched.pass(seconds: 90_000)
        _ = try watched.step()
        #expect(watched.takeRemoved() == [])
        #expect(try watched.library.tree() == tree)
        #expect(watched.takeWords().contains { $0.contains("no results") || $0.contains("no results of its films") })
        // It comes back, with something new.
        if how == "empty" { Folder.removeTree(watched.films) }
        #expect(Folder.move(aside, to: watched.films))
        try watched.library.add("h264-bf3.mp4", as: "new.mp4")
        var found: [String: BatchOutcome.Status] = [:]
        for _ in 0..<40 {
            watched.pass(seconds: 5)
            found.merge(try watched.step()) { $1 }
        }
        #expect(found == ["new.mp4": .done])
        #expect(watched.takeRemoved() == [] && watched.takeWorked().count == 6)
    }

    /// More than half at once is a mistake unless told otherwise; half is not.
    @Test func mostOfALibraryIsNotRemovedAtOnce() throws {
        let watched = try WatchedLibrary(deletesGone: true, library: library(5))
        try watched.step()
        for number in 0..<4 { try watched.remove("below/\(number).mp4") }
        try watched.follow(seconds: 20)
        #expect(watched.takeRemoved() == [])
        #expect(watched.takeWords().contains { $0.contains("4 of 6 films disappeared") })
        try watched.library.add("h264-bf3.mp4", as: "below/0.mp4")
        try watched.remove("top.mp4")
        // The same film again: its results are there still.
        #expect(try watched.follow(seconds: 20) == ["below/0.mp4": .kept])
        try watched.library.add("h264-bf3.mp4", as: "below/1.mp4")
        try watched.remove("below/1.mp4")
        try watched.library.add("h264-bf3.mp4", as: "top.mp4")
        try watched.follow(seconds: 20)
        #expect(watched.takeRemoved() == ["below/1.mp4", "below/2.mp4", "below/3.mp4"])
    }

    /// Another root's films in the same folder of results do not belong to this one.
    @Test func otherRootsAreLeftAlone() throws {
        let library = try library(3)
        let watched = try WatchedLibrary(library: library)
        try watched.step()
        let elsewhere = library.folder.path + "/elsewhere"
        try FileManager.default.createDirectory(atPath: elsewhere + "/below", withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: BatchLibrary.clips + "/h264-bf3.mp4", toPath: elsewhere + "/other.mp4")
        let run = try BatchRun(library.options(), library.sheets)
        _ = try run.run([.folder(elsewhere, prefix: "")], report: { _ in })
        for path in [elsewhere, elsewhere + "/", library.films + "/below", library.folder.path] {
            let reports = try run.removeGone([WatchRoot(path: path, prefix: "")])
            #expect(reports.allSatisfy { $0.removed.isEmpty && $0.words.isEmpty }, "\(path)")
        }
        #expect(watched.hasResult("below/0.mp4") && watched.hasResult("other.mp4"))
    }

    /// A film that a run works on is left alone.
    @Test func filmsInWorkStay() throws {
        let library = try library(4)
        try WatchedLibrary(library: library).step()
        try FileManager.default.removeItem(atPath: library.films + "/below/0.mp4")
        let other = try LockTable(path: library.results + "/.scrub-batch/locks")
        #expect(other.take(BatchOutputNames.lock("below/0.mp4")))
        let run = try BatchRun(library.options(), library.sheets)
        let root = WatchRoot(path: library.films, prefix: "")
        #expect(try run.removeGone([root])[0].removed.isEmpty)
        other.release(BatchOutputNames.lock("below/0.mp4"))
        #expect(try run.removeGone([root])[0].removed.map(\.place) == ["below/0.mp4"])
    }
}
