import ScrubTestSupport
import ScrubFileIO
import Foundation
import ScrubBase
import Testing

/// No foreign name leads out of a folder.
@Suite struct FolderScopeTests {
    private static let places: [(name: String, components: [String]?)] = [
        ("a", ["a"]), ("a/b", ["a", "b"]), ("./a", ["a"]), ("a//b", ["a", "b"]), ("a/../b", ["b"]),
        ("a/b/../../c", ["c"]), ("..a", ["..a"]), ("a\\..\\b", ["a\\..\\b"]), ("%2e%2e/a", ["%2e%2e", "a"]),
        ("..", nil), ("../a", nil), ("a/../../b", nil), ("/a", nil), ("//a", nil), ("", nil), ("a/", nil), (".", nil),
        ("a/..", nil), ("a\u{0}/b", nil), ("\u{0}", nil), ("./../a", nil),
    ]

    @Test(arguments: places)
    func namesAreResolvedInsideOrRefused(name: String, components: [String]?) {
        guard let components else {
            let error = #expect(throws: ScrubError.self) { try ConfinedFolder.components(of: name) }
            #expect(error?.code == .badData)
            return
        }
        #expect((try? ConfinedFolder.components(of: name)) == components)
    }

    @Test func filesInsideTheFolderAreRead() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path(of: "in"), withIntermediateDirectories: false)
        try folder.write([1, 2, 3], to: "in/a")
        let scope = try ConfinedFolder(path: folder.path)
        #expect(try scope.contents(of: "in/a", limit: 3) == [1, 2, 3])
        #expect(try scope.contents(of: "in/../in/a", limit: 3) == [1, 2, 3])
        #expect(throws: ScrubError.self) { try scope.contents(of: "in/a", limit: 2) }
        for (name, code) in [
            ("in", ScrubError.Code.noInput), ("b", .noInput), ("in/a/b", .noInput), ("../x", .badData),
        ] {
            let error = #expect(throws: ScrubError.self) { try scope.open(name) }
            #expect(error?.code == code, "\(name)")
        }
    }

    /// A link to a file, a link to a folder on the way, one that leads back inside, and one that leads nowhere.
    @Test func linksAreNotFollowed() throws {
        let (folder, outside) = (try TemporaryFolder(), try TemporaryFolder())
        try outside.write([1], to: "secret")
        try folder.write([2], to: "own")
        let links = [
            ("file", outside.path(of: "secret")), ("folder", outside.path), ("back", folder.path(of: "own")),
            ("nowhere", outside.path(of: "missing")),
        ]
        for (name, target) in links {
            try FileManager.default.createSymbolicLink(
                atPath: folder.path(of: name), withDestinationPath: target)
        }
        let scope = try ConfinedFolder(path: folder.path)
        for name in ["file", "folder/secret", "back", "nowhere"] {
            let error = #expect(throws: ScrubError.self) { try scope.open(name) }
            #expect(error?.code == .badData && error?.cause.contains("link") == true, "\(name)")
        }
        // The folder's own name is the caller's.
        try FileManager.default.createSymbolicLink(
            atPath: outside.path(of: "set"), withDestinationPath: folder.path)
        #expect(try ConfinedFolder(path: outside.path(of: "set")).contents(of: "own", limit: 1) == [2])
    }

    @Test func removingStaysInside() throws {
        let (folder, outside) = (try TemporaryFolder(), try TemporaryFolder())
        try outside.write([1], to: "kept")
        try FileManager.default.createDirectory(
            atPath: folder.path(of: "a/b"), withIntermediateDirectories: true)
        try folder.write([1], to: "a/b/gone")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path(of: "link"), withDestinationPath: outside.path)
        let scope = try ConfinedFolder(path: folder.path)
        for name in ["link/kept", "../\(outside.path.split(separator: "/").last ?? "")/kept", "a/b/gone", "missing"] {
            scope.remove(name)
        }
        #expect(outside.contents == ["kept"])
        // Folders that are empty now went too, and the link stayed.
        #expect(folder.contents == ["link"])
    }

    /// A file that was opened is read whatever became of its name.
    @Test func anOpenFileIsTheOneThatWasOpened() throws {
        let folder = try TemporaryFolder()
        try folder.write([1], to: "a")
        let file = try ConfinedFolder(path: folder.path).open("a")
        try FileManager.default.removeItem(atPath: folder.path(of: "a"))
        try folder.write([2], to: "a")
        #expect(try FileSource(path: file.descriptorPath).read(at: 0, count: 1) == [1])
        #expect(!file.hasBytes(of: try FileSource(path: folder.path(of: "a"))))
        #expect(file.hasBytes(of: file))
    }
}
