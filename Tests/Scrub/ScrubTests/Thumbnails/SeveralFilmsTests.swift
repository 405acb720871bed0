import Foundation
import ScrubTestClips
import ScrubTestSupport
import Testing

/// `poster`, `sheet`, `strip` and `thumbs` of several films: a name each in one folder, and a film that fails stops no
/// other one.
@Suite struct SeveralFilmsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Two films of one name, one that differs in its suffix, one in capital letters, and a text file.
    private func films() throws -> [String] {
        let clip = Clip.folder + "/clips/h264-bf3.mp4"
        var films: [String] = []
        for name in ["a/film.mp4", "b/film.mp4", "a/film.m4v", "a/Other.mp4", "b/other.mp4"] {
            let path = folder.path(of: name)
            try FileManager.default.createDirectory(
                atPath: URL(filePath: path).deletingLastPathComponent().path, withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: clip, toPath: path)
            films.append(path)
        }
        return films + [try folder.write(Array("no film".utf8), to: "broken.mp4")]
    }

    private func scrub(_ words: [String]) throws -> Tool.Result {
        try Tool.run(CommandTests.program, words, environment: ["SCRUB_CACHE_DIR": folder.path(of: "cache")])
    }

    private func objects(_ text: String) throws -> [[String: Any]] {
        try text.split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    static let verbs: [([String], String)] = [
        (["poster", "--width", "64"], ".jpg"), (["poster", "--count", "2", "--width", "64"], "/posters.json"),
        (["sheet", "-c", "2", "-r", "1", "--width", "300"], ".jpg"),
        (["sheet", "-c", "2", "-r", "1", "--width", "300", "--format", "png"], ".png"),
        (["strip", "--count", "3"], "/thumbnails.vtt"),
        (["thumbs", "--profile", "web", "--every", "2"], "/web/thumbnails.vtt"),
    ]

    @Test(arguments: verbs) func eachFilmHasItsName(_ verb: [String], _ end: String) throws {
        let films = try films()
        let result = try scrub([verb[0]] + films + verb.dropFirst() + ["--output", folder.path(of: "out/"), "--json"])
        #expect(result.status == 65, "\(result.errors)")
        let names = ["film.mp4", "film.mp4-2", "film.m4v", "Other.mp4", "other.mp4-2"]
        for name in names {
            #expect(FileManager.default.fileExists(atPath: folder.path(of: "out/" + name + end)), "\(name)\(end)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path(of: "out")).count == names.count)
        let rows = try objects(result.output)
        #expect(rows.map { $0["file"] as? String } == films)
        #expect(rows.map { $0["exit"] as? Int } == [nil, nil, nil, nil, nil, 65])
        #expect(rows.last?["hint"] is String)
        #expect(result.errors.contains("1 of 6 files failed"))
    }

    /// A name without its suffix where that is enough; people get each film's name, and the first bad film stops no
    /// other one.
    @Test func namesAreShortWhereTheyCanBe() throws {
        let films = try films()
        let result = try scrub(["strip", films[5], films[0], films[3], "--count", "2", "-o", folder.path(of: "out")])
        #expect(result.status == 65)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(of: "out"))
        #expect(names.sorted() == ["Other", "film"])
        #expect(result.output.split(separator: "\n").map { String($0.prefix { $0 != ":" }) } == [films[0], films[3]])
    }

    /// One picture's name is not for several films; what is wrong is said before anything is made.
    @Test(arguments: [
        ["poster", "-o", "p.jpg"], ["sheet", "-o", "s.png"], ["sheet", "-o", "-"],
        ["sheet", "-o", "one.jpg", "--format", "png"],
    ])
    func oneNameIsNotForSeveral(_ words: [String]) throws {
        let films = try films()
        let result = try Tool.run(
            CommandTests.program, [words[0], films[0], films[3]] + words.dropFirst(), in: folder.path)
        #expect(result.status == 64 && result.output.isEmpty && result.errors.contains("specify a folder/"))
    }

    /// A folder is for one film too.
    @Test func aFolderTakesTheSheetOfOneFilm() throws {
        let film = try films()[0]
        let result = try scrub(["sheet", film, "-c", "2", "-r", "1", "-o", folder.path(of: "out/")])
        #expect(result.status == 0, "\(result.errors)")
        #expect(try folder.bytes("out/film.jpg").starts(with: [0xFF, 0xD8]))
    }
}
