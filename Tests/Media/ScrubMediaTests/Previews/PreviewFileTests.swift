import Foundation
import ScrubMedia
import ScrubFileIO
import ScrubPictures
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Previews on the disk, in good times.
@Suite struct PreviewFileTests {
    @Test func whatWasAppendedIsThereTheNextTime() throws {
        let bench = try PreviewBench()
        do {
            let file = try #require(bench.open())
            #expect(file.isWriting && file.count == 0 && file.pictures.isEmpty)
            #expect(file.append(PreviewBench.previews(0..<250)))
            #expect(file.append(PreviewBench.previews([999_999, 500])))
            #expect(file.contains(500) && !file.contains(501) && file.bytes(ofPicture: 501) == nil)
            #expect(PreviewBench.right(file) == Set(0..<250).union([500, 999_999]))
        }
        let file = try #require(bench.open())
        #expect(file.count == 252 && file.pictures == Set(0..<250).union([500, 999_999]))
        #expect(PreviewBench.right(file) == file.pictures)
        #expect(Int(file.byteCount) == (try bench.contents().count))
        // What is there is not written again.
        let before = file.byteCount
        #expect(file.append(PreviewBench.previews(0..<250)) && file.byteCount == before)
        #expect(file.append([]) && file.byteCount == before)
        let facts = try FileManager.default.attributesOfItem(atPath: bench.path)
        #expect(facts[.posixPermissions] as? Int == 0o600)
    }

    /// Many blocks, groups that do not fill them, and openings between them.
    @Test func manyGroupsAndManyOpenings() throws {
        let bench = try PreviewBench()
        var next = 0
        for count in [1, 1023, 1, 1024, 1025, 3000, 5, 700, 400] {
            let file = try #require(bench.open())
            #expect(file.pictures == Set(0..<next))
            #expect(file.append(PreviewBench.previews(next..<next + count)))
            next += count
        }
        let file = try #require(bench.open(isWriter: false))
        #expect(!file.isWriting && PreviewBench.right(file) == Set(0..<next))
    }

    @Test func whatCannotBeIsLeftOut() throws {
        let bench = try PreviewBench()
        let file = try #require(bench.open())
        let last = PreviewBench.pictureCount - 1
        let odd: [(picture: Int, bytes: [UInt8])] = [
            (Int.min, [1]), (-1, [1]), (0, []), (1, PreviewBench.preview(1)), (1, [9]),
            (last, PreviewBench.preview(last)), (last + 1, [1]), (Int.max, [1]),
            (2, [UInt8](repeating: 1, count: 64 << 20 + 1)),
        ]
        #expect(file.append(odd))
        #expect(file.pictures == [1, last] && PreviewBench.right(file) == [1, last])
        for picture in [Int.min, -1, 0, 2, last + 1, Int.max] {
            #expect(file.bytes(ofPicture: picture) == nil && !file.contains(picture))
        }
        // A film with fewer pictures, by the same key: numbers of others are not given.
        let few = PreviewFile(
            in: bench.directory(), key: bench.key, recipe: bench.recipe, pictureCount: 2, isWriter: false)
        #expect(few?.pictures == [1])
    }

    @Test func anotherFilmOrRecipeHasItsOwn() throws {
        let bench = try PreviewBench()
        let other = try PreviewBench.key(of: [4])
        let recipes = [bench.recipe, .init(longSide: 640, quality: 80), .init(longSide: 320, quality: 75)]
        for recipe in recipes {
            for key in [bench.key, other] {
                let file = try #require(bench.open(recipe, key: key))
                #expect(file.count == 0)
                #expect(file.append(PreviewBench.previews([recipe.longSide + recipe.quality])))
            }
        }
        #expect(TemporaryFolder.names(bench.cache).count == 6)
        for recipe in recipes { #expect(bench.open(recipe)?.pictures == [recipe.longSide + recipe.quality]) }
    }

    /// A file under the name that belongs to another film, recipe or version is deleted and begun again.
    @Test(arguments: ["film", "recipe", "version", "text", "empty", "huge title"])
    func aForeignFileIsBegunAgain(_ what: String) throws {
        let bench = try PreviewBench()
        #expect(bench.open()?.append(PreviewBench.previews(0..<20)) == true)
        let (name, own) = (bench.name, try bench.contents())
        var bytes = own
        switch what {
        case "film", "recipe":
            let other = try PreviewBench()
            let recipe = PreviewCoder.Recipe(longSide: 640, quality: what == "recipe" ? 76 : 75)
            let key = what == "film" ? try PreviewBench.key(of: [4]) : bench.key
            #expect(other.open(recipe, key: key)?.append(PreviewBench.previews(100..<120)) == true)
            bytes = try other.contents()
        case "version": bytes[16] ^= 1
        case "text": bytes = Array("these are no previews".utf8)
        case "huge title": bytes.replaceSubrange(20..<24, with: [255, 255, 255, 255])
        default: bytes = []
        }
        try bench.replace(bytes, name)
        // A reader takes nothing of it, and leaves it.
        #expect(bench.open(isWriter: false) == nil)
        #expect(try bench.contents() == bytes)
        do {
            let file = try #require(bench.open())
            #expect(file.isWriting && file.count == 0)
            #expect(file.append(PreviewBench.previews(0..<20)))
        }
        #expect(try bench.contents() == own)
    }

    /// Two sessions of one process, with a folder by two names in the second case: as two processes.
    @Test func oneWritesAndAllRead() throws {
        let bench = try PreviewBench()
        let first = try #require(bench.open())
        #expect(first.append(PreviewBench.previews(0..<10)))
        let second = try #require(bench.open())
        #expect(second.isWriting && second.append(PreviewBench.previews(10..<20)))
        #expect(PreviewBench.right(first) == Set(0..<20))

        let link = bench.folder.path(of: "link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: bench.cache)
        let other = try PreviewBench(bench.folder, cache: link)
        let reader = try #require(other.open())
        #expect(!reader.isWriting && PreviewBench.right(reader) == Set(0..<20))
        #expect(!reader.append(PreviewBench.previews([50])) && !reader.contains(50))
        #expect(first.append(PreviewBench.previews(20..<40)))
        #expect(reader.count == 20)
        reader.refresh()
        #expect(PreviewBench.right(reader) == Set(0..<40))
    }

    /// A reader goes on as the writer when that one has ended.
    @Test func theNextOneWrites() throws {
        let bench = try PreviewBench()
        let link = bench.folder.path(of: "link")
        var first = bench.open()
        #expect(first?.append(PreviewBench.previews(0..<10)) == true)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: bench.cache)
        let reader = try #require(try PreviewBench(bench.folder, cache: link).open())
        #expect(first?.append(PreviewBench.previews(10..<30)) == true)
        #expect(!reader.append(PreviewBench.previews([90])))
        first = nil
        #expect(reader.append(PreviewBench.previews([0, 20, 90])) && reader.isWriting)
        #expect(PreviewBench.right(reader) == Set(0..<30).union([90]))
        let again = try #require(bench.open(isWriter: false))
        #expect(PreviewBench.right(again) == Set(0..<30).union([90]))
    }

    @Test func aReaderMakesNothing() throws {
        let bench = try PreviewBench()
        #expect(bench.open(isWriter: false) == nil)
        #expect(!FileManager.default.fileExists(atPath: bench.cache))
        let file = try #require(bench.open())
        #expect(file.append(PreviewBench.previews([3])))
        let reader = try #require(bench.open(isWriter: false))
        #expect(reader.contains(3) && !reader.isWriting && !reader.append(PreviewBench.previews([4])))
    }

    @Test(arguments: ["pipe", "folder", "link", "second name"]) func onlyPlainFilesAreUsed(_ kind: String) throws {
        let bench = try PreviewBench()
        #expect(bench.open()?.append(PreviewBench.previews(0..<9)) == true)
        let (path, aside) = (bench.path, bench.folder.path(of: "aside"))
        try FileManager.default.moveItem(atPath: path, toPath: aside)
        let before = try Data(contentsOf: URL(filePath: aside))
        switch kind {
        case "pipe": #expect(mkfifo(path, 0o600) == 0)
        case "folder": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        case "link": try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: aside)
        default: try FileManager.default.linkItem(atPath: aside, toPath: path)
        }
        #expect(bench.open() == nil && bench.open(isWriter: false) == nil)
        #expect(try Data(contentsOf: URL(filePath: aside)) == before)
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test func aFolderThatOthersMayWriteToIsNotUsed() throws {
        let bench = try PreviewBench()
        #expect(bench.open()?.append(PreviewBench.previews(0..<9)) == true)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: bench.cache)
        #expect(bench.open() == nil && bench.open(isWriter: false) == nil)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: bench.cache)
        #expect(bench.open()?.count == 9)
    }

    @Test(.enabled(if: geteuid() != 0, "permissions do not hold for root")) func aFolderThatIsReadOnly() throws {
        let bench = try PreviewBench()
        #expect(bench.open()?.append(PreviewBench.previews(0..<9)) == true)
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: bench.path)
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: bench.cache)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: bench.cache) }
        let file = try #require(bench.open())
        #expect(!file.isWriting && !file.append(PreviewBench.previews([9])))
        #expect(PreviewBench.right(file) == Set(0..<9))
        #expect(bench.open(.init(longSide: 1, quality: 1)) == nil)
    }
}
