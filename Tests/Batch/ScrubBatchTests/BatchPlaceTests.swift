import ScrubFileIO
import Foundation
import ScrubBase
import ScrubTestSupport
import Testing

@testable import ScrubBatch

@Suite("Where a batch finds and puts things") struct BatchPlaceTests {
    private func walk(_ root: String, leavingOut: [String] = []) throws -> [String] {
        var found: [String] = []
        var walk = MediaWalk(leavingOut: leavingOut)
        try walk.walk(root, prefix: "") { file in
            found.append(file.place)
            return true
        }
        return found
    }

    @Test func linksHiddenNamesAndResultsAreNotWalked() throws {
        let folder = try TemporaryFolder()
        for name in ["a/b", "a/x.trickplay", "out/a", ".git"] {
            try FileManager.default.createDirectory(atPath: folder.path + "/" + name, withIntermediateDirectories: true)
        }
        for name in ["a/b/1", "a/2", "3", ".4", "a/x.trickplay/5", "out/a/6", ".git/7"] {
            try folder.write([1], to: name)
        }
        for (name, target) in [("a/up", ".."), ("a/file", "../3"), ("a/gone", "nothing")] {
            try FileManager.default.createSymbolicLink(atPath: folder.path + "/" + name, withDestinationPath: target)
        }
        #expect(try walk(folder.path, leavingOut: [folder.path + "/out"]) == ["3", "a/2", "a/file", "a/b/1"])
        // A name with other bytes than UTF-8 is a name.
        try Data([1]).write(to: URL(filePath: folder.path + "/a/b/ü\n"))
        #expect(try walk(folder.path + "/a/b").count == 2)
    }

    @Test func theKeyIsOfTheContentsAlone() throws {
        let folder = try TemporaryFolder()
        var bytes = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let first = try ContentKey(path: folder.write(bytes, to: "a"))
        #expect(try ContentKey(path: folder.write(bytes, to: "b")).text == first.text)
        for place in [0, 65_535, 140_000, 280_001, 699_999] {
            bytes[place] ^= 1
            #expect(try ContentKey(path: folder.write(bytes, to: "a")).text != first.text, "\(place)")
            bytes[place] ^= 1
        }
        #expect(try ContentKey(path: folder.write(bytes + [0], to: "a")).text != first.text)
        let empty = try ContentKey(path: folder.write([], to: "a"))
        #expect(empty.container == nil && !empty.endsEmpty)
        #expect(try ContentKey(path: folder.write([UInt8](repeating: 0, count: 9000), to: "a")).endsEmpty)
    }

    @Test func containersAreKnownByTheirBytes() throws {
        for (clip, isFilm) in [
            ("h264-bf3.mp4", true), ("h264-open-gop.mkv", true), ("nonzero.ts", true), ("av1-svt.ivf", true),
            ("anim.gif", false),
        ] {
            let key = try ContentKey(path: BatchLibrary.clips + "/" + clip)
            #expect((key.container != nil) == isFilm, "\(clip): \(key.container ?? "-")")
        }
    }

    @Test func aFolderTakesAnothersPlaceAsAWhole() throws {
        let folder = try TemporaryFolder()
        for name in ["old", "new", "none"] {
            try FileManager.default.createDirectory(atPath: folder.path + "/" + name, withIntermediateDirectories: true)
        }
        try folder.write([1], to: "old/a")
        try folder.write([2], to: "new/b")
        try Folder.place(folder.path + "/new", at: folder.path + "/old")
        #expect(folder.files == ["none", "old", "old/b"])
        try Folder.place(folder.path + "/old", at: folder.path + "/free")
        try Folder.place(folder.path + "/free", at: folder.path + "/none")
        #expect(folder.files == ["none", "none/b"])
        #expect(throws: ScrubError.self) { try Folder.place(folder.path + "/gone", at: folder.path + "/none") }
        #expect(folder.files == ["none", "none/b"])
    }

    @Test func runsAreDistinguished() {
        #expect(BatchOwner.isAlive(BatchOwner.own))
        let parts = BatchOwner.own.split(separator: ":")
        #expect(!BatchOwner.isAlive("\(parts[0]):\(parts[1]):1"), "another process had the number before")
        #expect(!BatchOwner.isAlive("00000000:\(parts[1]):\(parts[2])"), "the machine was restarted")
        #expect(!BatchOwner.isAlive("") && !BatchOwner.isAlive("a:b"))
    }
}
