import Foundation
import Scrub
import ScrubThumbnails
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Jellyfin's folder beside the film, sets that are left unchanged, and the page that shows the film.
@Suite struct CurrentSetTests {
    private func film(_ scratch: TemporaryFolder, _ name: String = "Film (2020).mp4") throws -> String {
        let path = scratch.path(of: name)
        try FileManager.default.copyItem(atPath: Clip.folder + "/clips/h264-bf3.mp4", toPath: path)
        return path
    }

    private func thumbs(_ film: String, _ more: String...) throws -> Tool.Result {
        try Tool.run(CommandTests.program, ["thumbs", film, "--no-cache", "--every", "1"] + more)
    }

    @Test func jellyfinsFolderBesideTheFilm() throws {
        let scratch = try TemporaryFolder()
        let film = try film(scratch)
        let made = try thumbs(film, "--profile", "jellyfin", "--beside", "--skip-current", "--json")
        #expect(made.status == 0 && made.output.contains("\"current\":false"), "\(made.errors)")
        // The film is 192 pixels wide, and so are the server's own pictures of it.
        let folder = "Film (2020).trickplay"
        #expect(
            scratch.files == [
                "Film (2020).mp4", folder, folder + ".json", folder + "/192 - 10x10", folder + "/192 - 10x10/0.jpg",
            ])
        let asset = try VideoAsset(path: film, options: VideoAsset.OpenOptions(cache: .none))
        #expect(try asset.verifyThumbnailSets(in: scratch.path).isSound)
        let before = try FileManager.default.attributesOfItem(atPath: scratch.path(of: folder + "/192 - 10x10/0.jpg"))
        let again = try thumbs(film, "--profile", "jellyfin", "--beside", "--skip-current")
        #expect(again.status == 0 && again.output.contains("current, "), "\(again.output)")
        let after = try FileManager.default.attributesOfItem(atPath: scratch.path(of: folder + "/192 - 10x10/0.jpg"))
        #expect(before[.systemFileNumber] as? Int == after[.systemFileNumber] as? Int)
        for arguments in [
            ["--profile", "web", "--beside"], ["--profile", "jellyfin", "--beside", "-o", scratch.path],
        ] {
            #expect(try Tool.run(CommandTests.program, ["thumbs", film] + arguments).status == 64)
        }
    }

    /// The same strip is not made again; another one, of another film, or one that lacks a byte is.
    @Test func aStripThatExistsIsLeftAsItIs() throws {
        let scratch = try TemporaryFolder()
        let film = try film(scratch)
        func strip(_ more: [String]) throws -> (text: String, number: Int?) {
            let result = try Tool.run(
                CommandTests.program, ["strip", film, "--no-cache", "-o", scratch.path(of: "out")] + more)
            #expect(result.status == 0, "\(result.errors)")
            let facts = try FileManager.default.attributesOfItem(atPath: scratch.path(of: "out/sheet-000.jpg"))
            return (result.output, facts[.systemFileNumber] as? Int)
        }
        let first = try strip(["--count", "4"])
        let again = try strip(["--count", "4"])
        #expect(again.text.contains("left unchanged") && again.number == first.number)
        #expect(!first.text.contains("left unchanged"))
        let last = ["--count", "5", "--width", "100"]
        for words in [["--count", "5"], ["--count", "5", "--quality", "70"], last] {
            #expect(try !strip(words).text.contains("left unchanged"))
        }
        try scratch.write(scratch.bytes("out/sheet-000.jpg").dropLast(), to: "out/sheet-000.jpg")
        #expect(try !strip(last).text.contains("left unchanged"))
        try scratch.age("Film (2020).mp4", to: 1_000_000_000)
        #expect(try !strip(last).text.contains("left unchanged"))
        #expect(try strip(last + ["--json"]).text.hasPrefix("{"))
        // The manifest names the film by its path, which is another one here.
        let other = try Tool.run(
            CommandTests.program,
            ["strip", scratch.path(of: "./Film (2020).mp4"), "--no-cache", "-o", scratch.path(of: "out")] + last)
        #expect(other.status == 0 && !other.output.contains("left unchanged"), "\(other.errors)")
        let manifest = String(decoding: try scratch.bytes("out/manifest.json"), as: UTF8.self)
        #expect(manifest.contains("/./Film (2020).mp4"))
    }

    /// A folder for a whole library: one film's set takes nothing of another's away.
    @Test func filmsOfALibraryShareAFolder() throws {
        let scratch = try TemporaryFolder()
        for name in ["a.mp4", "b.mp4"] {
            let film = try film(scratch, name)
            #expect(try thumbs(film, "--profile", "jellyfin,plex", "-o", scratch.path + "/out").status == 0)
            let bif = scratch.path + "/out/plex/index-sd.bif"
            let made = try Tool.run(
                CommandTests.program, ["convert", bif, "--to", "jellyfin", "-o", scratch.path + "/media"])
            #expect(made.status == 0, "\(made.errors)")
        }
        for name in ["a", "b"] {
            #expect(scratch.files.contains("out/jellyfin/\(name).trickplay/320 - 10x10/0.jpg"))
            #expect(scratch.files.contains("media/\(name).trickplay/320 - 10x10/0.jpg"))
        }
    }

    /// Current is a set of this film, as it is now, with these options, and whole.
    @Test func outdatedSetsAreMadeAgain() throws {
        let scratch = try TemporaryFolder()
        let film = try film(scratch)
        let out = scratch.path + "/out"
        let profiles = ["--profile", "web,jellyfin,plex,roku,hls,dash,contact", "-o", out, "--skip-current"]
        func currents(_ more: [String] = []) throws -> Int {
            let result = try Tool.run(
                CommandTests.program, ["thumbs", film, "--no-cache", "--every", "1"] + profiles + more)
            #expect(result.status == 0, "\(result.errors)")
            return result.output.split(separator: "\n").count { $0.contains("current, ") }
        }
        #expect(try currents() == 0)
        #expect(try currents() == 7)
        #expect(try currents(["--quality", "70"]) == 0)
        #expect(try currents(["--quality", "70"]) == 7)
        // A file that is cut, and one that is gone.
        try scratch.write([1], to: "out/web/sheet-000.jpg")
        try FileManager.default.removeItem(atPath: out + "/plex/index-sd.bif")
        #expect(try currents(["--quality", "70"]) == 5)
        try FileManager.default.removeItem(atPath: out + "/hls/master.m3u8")
        #expect(try currents(["--quality", "70"]) == 6)
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: film)
        #expect(try currents(["--quality", "70"]) == 0)
        let asset = try VideoAsset(path: film, options: VideoAsset.OpenOptions(cache: .none))
        #expect(try asset.verifyThumbnailSets(in: out, sample: 4).isSound)
    }

    /// The film is named where it lies beside the set or above it, and nowhere else.
    @Test func thePageNamesTheFilmBesideIt() throws {
        let scratch = try TemporaryFolder()
        let film = try film(scratch, "a 'b' <c>.mp4")
        _ = try thumbs(film, "--profile", "web", "-o", scratch.path + "/sets")
        let page = try scratch.text("sets/web/index.html")
        #expect(page.contains("<video id=\"film\"") && page.contains("src=\"../../a%20%27b%27%20%3Cc%3E.mp4\""))
        #expect(page.contains("new Plyr(") && page.contains("media-video-layout") && page.contains("vttThumbnails"))
        #expect(page.contains("&lt;media-controller&gt;"))
        // The page's line is the element beside it, and the element the one that the sources have.
        #expect(page.contains("<scrub-strip ") && page.contains("<script src=\"scrub-strip.js\"></script>"))
        let element = try scratch.text("sets/web/scrub-strip.js")
        #expect(
            try element
                == String(
                    contentsOfFile: Clip.folder + "/../Sources/Thumbnails/ScrubStripElement/scrub-strip.js",
                    encoding: .utf8))
        #expect(try scratch.text("sets/web/manifest.json").contains("\"scrub-strip.js\""))
        let elsewhere = try TemporaryFolder()
        _ = try thumbs(film, "--profile", "web", "-o", elsewhere.path)
        #expect(try !elsewhere.text("web/index.html").contains("<video id=\"film\""))
        let asset = try VideoAsset(path: film, options: VideoAsset.OpenOptions(cache: .none))
        #expect(try asset.verifyThumbnailSets(in: scratch.path, sample: 4).isSound)
    }
}
