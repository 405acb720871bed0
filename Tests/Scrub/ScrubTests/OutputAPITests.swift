import Foundation
import Scrub
import ScrubThumbnails
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Every function of the library that writes, onto the film that it reads.
@Suite struct OutputAPITests {
    private let folder: TemporaryFolder
    private let film: Data

    init() throws {
        folder = try TemporaryFolder()
        film = try Data(contentsOf: URL(filePath: Clip.folder + "/clips/h264-bf3.mp4"))
        try folder.write(film, to: "film.png")
        try FileManager.default.createDirectory(atPath: folder.path(of: "set/web"), withIntermediateDirectories: true)
        for name in ["second.png", "set/manifest.json", "set/web/index.html", "film.trickplay.json"] {
            #expect(link(folder.path(of: "film.png"), folder.path(of: name)) == 0)
        }
        #expect(symlink("film.png", folder.path(of: "link.png")) == 0)
    }

    private func refuses(_ what: String, _ body: () async throws -> Void) async throws {
        let error = await #expect(throws: ScrubError.self, "\(what)") { try await body() }
        #expect(error?.code == .usage, "\(what): \(error.map(String.init(describing:)) ?? "")")
        #expect(error?.description.contains("--") == false, "\(what)")
        #expect(try folder.bytes("film.png") == film, "\(what)")
    }

    @Test(arguments: [false, true]) func noFunctionDestroysTheFilmThatIsRead(replaces: Bool) async throws {
        let video = try await VideoAsset.open(path: folder.path(of: "film.png"), options: .init(cache: .none))
        let picture = try #require(try await (try FrameGenerator(video)).frame(at: .frame(0)).picture)
        for name in ["film.png", "second.png", "link.png"] {
            let path = folder.path(of: name)
            try await refuses("write \(name)") { try picture.png().write(to: path, replacesFiles: replaces) }
            try await refuses("writePNG \(name)") { try picture.writePNG(to: path, replacesFiles: replaces) }
            try await refuses("writeKeyframeMovie \(name)") {
                _ = try await video.writeKeyframeMovie(to: path, replacesFiles: replaces)
            }
        }
        let set = folder.path(of: "set")
        var strip = ThumbnailStrip.Options(.init(.count(2)))
        strip.replacesFiles = replaces
        let (stripOptions, setOptions) = (strip, sets(replaces))
        try await refuses("writeStrip") { _ = try await video.writeStrip(into: set, options: stripOptions) }
        try await refuses("writeThumbnailSets") {
            _ = try await video.writeThumbnailSets(into: set, options: setOptions)
        }
        try await refuses("writeJellyfinTrickplay") { _ = try await video.writeJellyfinTrickplay(options: setOptions) }
    }

    private func sets(_ replaces: Bool) -> ThumbnailSets.Options {
        var options = ThumbnailSets.Options([.web])
        options.request = ThumbnailPlan.Request(.every(Rational(1)), tolerance: .automatic)
        options.replacesFiles = replaces
        return options
    }

    /// A set takes the place of an earlier one, also of another machine's, and of nothing else without being told to.
    @Test func anEarlierSetIsReplacedAndOthersFilesStay() async throws {
        let video = try await VideoAsset.open(path: folder.path(of: "film.png"), options: .init(cache: .none))
        let (one, other) = (folder.path(of: "one"), folder.path(of: "other"))
        _ = try await video.writeThumbnailSets(into: one, options: sets(false))
        // A copy has no marks, and its manifest.
        try FileManager.default.createDirectory(atPath: other + "/web", withIntermediateDirectories: true)
        for name in TemporaryFolder.names(one + "/web") {
            try Data(contentsOf: URL(filePath: one + "/web/" + name)).write(to: URL(filePath: other + "/web/" + name))
        }
        _ = try await video.writeThumbnailSets(into: other, options: sets(false))
        try folder.write(Data("mine".utf8), to: "page.html")
        try FileManager.default.removeItem(atPath: other + "/web/manifest.json")
        try FileManager.default.removeItem(atPath: other + "/web/index.html")
        try FileManager.default.copyItem(atPath: folder.path(of: "page.html"), toPath: other + "/web/index.html")
        let options = sets(false)
        try await refuses("another's page") { _ = try await video.writeThumbnailSets(into: other, options: options) }
        #expect(try folder.text("other/web/index.html") == "mine")
        _ = try await video.writeThumbnailSets(into: other, options: sets(true))
        #expect(try folder.text("other/web/index.html") != "mine")
    }
}
