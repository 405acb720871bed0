import ScrubFileIO
import Foundation
import ScrubBase
import ScrubTestSupport
import Testing

@Suite struct AtomicFileTests {
    @Test(arguments: [0, 1, 4096, 1_000_000])
    func writesAndReplacesWhole(count: Int) throws {
        let directory = try TemporaryFolder()
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        try directory.write([UInt8](repeating: 9, count: 50_000), to: "a")
        try AtomicFile.write(bytes, to: .kept(directory.path(of: "a")))
        #expect(try Array(directory.bytes("a")) == bytes)
        try AtomicFile.write([1, 2], to: .kept(directory.path(of: "new")))
        #expect(try Array(directory.bytes("new")) == [1, 2])
        #expect(directory.contents == ["a", "new"])
    }

    /// A reader that has the old file open keeps it.
    @Test func anOpenReaderKeepsTheOldFile() throws {
        let directory = try TemporaryFolder()
        let source = try FileSource(path: directory.write([1, 1, 1], to: "a"))
        try AtomicFile.write([2], to: .kept(source.path))
        #expect(try source.read(at: 0, count: 3) == [1, 1, 1])
        #expect(try Array(directory.bytes("a")) == [2])
    }

    @Test func aParentMustBeADirectory() throws {
        let directory = try TemporaryFolder()
        try directory.write([5], to: "file")
        let error = #expect(throws: ScrubError.self) {
            try AtomicFile.write([1], to: .kept(directory.path(of: "file/x")))
        }
        #expect(error?.code == .inputOutput)
        #expect(error?.file == directory.path(of: "file/x"))
        #expect(throws: ScrubError.self) { try AtomicFile.write([1], to: .kept(directory.path(of: "missing/x"))) }
        #expect(directory.contents == ["file"])
        #expect(try Array(directory.bytes("file")) == [5])
    }

    /// Everything is written when the renaming fails; the neighbour has to go.
    @Test func aTargetThatIsADirectoryLeavesNothingBehind() throws {
        let directory = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: directory.path(of: "target"), withIntermediateDirectories: false)
        let error = #expect(throws: ScrubError.self) {
            try AtomicFile.write([1, 2, 3], to: .kept(directory.path(of: "target")))
        }
        #expect(error?.code == .inputOutput)
        #expect(directory.contents == ["target"])
    }

    @Test(arguments: ["", "a\0b", "\0"])
    func refusesInvalidNames(name: String) {
        let error = #expect(throws: ScrubError.self) { try AtomicFile.write([1], to: .kept(name)) }
        #expect(error?.code == .usage)
    }

    /// 255 bytes are the most that a name may have; the neighbour's is longer.
    @Test func aNameThatIsTooLongIsAnErrorOnly() throws {
        let directory = try TemporaryFolder()
        let name = String(repeating: "n", count: 300)
        #expect(throws: ScrubError.self) { try AtomicFile.write([1], to: .kept(directory.path(of: name))) }
        #expect(directory.contents == [])
    }

    @Test func foldersAreMadeWithThoseAboveThem() throws {
        let directory = try TemporaryFolder()
        try Folder.make(directory.path(of: "a/b//c/"))
        try Folder.make(directory.path(of: "a/b/c"))
        let output = try OutputFile(directory.path(of: "x/y/z"), .picture)
        try output.makeFolders()
        try AtomicFile.write([1], to: output)
        #expect(directory.files.sorted() == ["a", "a/b", "a/b/c", "x", "x/y", "x/y/z"])
        try directory.write([5], to: "file")
        for path in ["file", "file/", "file/a", "file/a/b"] {
            let error = #expect(throws: ScrubError.self) { try Folder.make(directory.path(of: path)) }
            #expect(error?.code == .inputOutput)
        }
        #expect(throws: ScrubError.self) { try Folder.make("") }
    }

    @Test(
        arguments: [
            ("a/b", "a"), ("a/b/", "a"), ("a//b//", "a"), ("/a", "/"), ("/", nil), ("a", nil), ("", nil),
            ("/a/b/c", "/a/b"),
        ] as [(String, String?)])
    func theFolderAboveAPath(_ path: String, _ folder: String?) {
        #expect(Folder.folder(of: path) == folder)
    }
}
