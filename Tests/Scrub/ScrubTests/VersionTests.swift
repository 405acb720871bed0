import Foundation
import ScrubBase
import ScrubTestSupport
import Testing

/// The version: one number in the code, in the changelog and in what the program says.
@Suite struct VersionTests {
    @Test func theChangelogBeginsWithIt() throws {
        let text = try String(contentsOfFile: Repository.root + "/CHANGELOG.md", encoding: .utf8)
        let newest = try #require(text.firstMatch(of: /(?m)^## (\S+)/))
        #expect(String(newest.1) == Release.version)
        #expect(Release.version.wholeMatch(of: /\d+\.\d+\.\d+/) != nil)
    }

    /// The C library's text is the program's own; the header has the numbers that C compares.
    @Test func theHeaderHasIt() throws {
        let header = try String(
            contentsOfFile: Repository.root + "/Sources/Library/CScrub/include/scrub.h", encoding: .utf8)
        let numbers = try ["MAJOR", "MINOR", "PATCH"].map { name in
            let line = try #require(
                header.split(separator: "\n").first { $0.hasPrefix("#define SCRUB_VERSION_\(name) ") })
            return String(try #require(line.split(separator: " ").last))
        }
        #expect(numbers.joined(separator: ".") == Release.version)
    }

    /// The Python package is of the same release.
    @Test(arguments: [("pyproject.toml", "version"), ("src/scrub/__init__.py", "__version__")])
    func thePythonPackageHasIt(_ file: String, _ name: String) throws {
        let text = try String(contentsOfFile: Repository.root + "/python/" + file, encoding: .utf8)
        #expect(text.split(separator: "\n").contains("\(name) = \"\(Release.version)\""))
    }

    /// Programs tell it from Debian's disk wiper by the first line.
    @Test(arguments: [["--version"], ["seek", "--version"], ["batch", "run", "--version"]])
    func theFirstLineSaysIt(_ words: [String]) throws {
        let result = try Tool.run(CommandTests.program, words)
        #expect(result.status == 0 && result.errors.isEmpty)
        #expect(result.output.split(separator: "\n").first.map(String.init) == "scrub \(Release.version)")
    }

    @Test func theLibrariesAreNamed() throws {
        let lines = try Tool.run(CommandTests.program, ["--version"]).output.split(separator: "\n").map(String.init)
        let result = try Tool.run(CommandTests.program, ["--version", "--json"])
        #expect(result.status == 0 && result.output.split(separator: "\n").count == 1)
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
        #expect(object["name"] as? String == "scrub" && object["version"] as? String == Release.version)
        let libraries = try #require(object["libraries"] as? [[String: Any]])
        for name in ["libavutil", "libavcodec", "libavformat", "libswscale", "libpng"] {
            let library = try #require(libraries.first { $0["name"] as? String == name })
            let running = try #require(library["running"] as? String), built = try #require(library["built"] as? String)
            #expect(running.wholeMatch(of: /\d+\.\d+\.\d+/) != nil && built.wholeMatch(of: /\d+\.\d+\.\d+/) != nil)
            #expect(lines.contains("\(name) \(running), built with \(built)"))
        }
        // ffmpeg prints the versions that it runs with in its own columns: "libavcodec  59. 37.100 / 59. 37.100".
        let ffmpeg = try Tool.run("ffmpeg", ["-version"]).output.filter { $0 != " " }
        let codec = try #require(libraries.first { $0["name"] as? String == "libavcodec" }?["running"] as? String)
        #expect(ffmpeg.contains("libavcodec") && ffmpeg.contains("/\(codec)"))
    }

    /// libavformat and libavcodec are loaded when a film needs them. One that is not a library stands for a missing
    /// one.
    @Test func librariesThatCannotBeLoadedAreSaid() throws {
        let folder = try TemporaryFolder()
        for major in 58...64 { try Data().write(to: URL(fileURLWithPath: folder.path(of: "libavcodec.so.\(major)"))) }
        let environment = ["LD_LIBRARY_PATH": folder.path, "SCRUB_CACHE": folder.path(of: "cache")]
        let version = try Tool.run(CommandTests.program, ["--version"], environment: environment)
        #expect(version.status == 0 && version.output.contains("libavcodec"))
        for film in ["demo.mp4", "film-vp9.webm", "film-mpeg2.ts"] {
            let path = Repository.clips + "/" + film
            for words in [["seek", path, "0.4", "--hash"], ["strip", path, "-o", folder.path(of: "strip")]] {
                let result = try Tool.run(CommandTests.program, words, environment: environment)
                #expect(result.status == 69, "\(words): \(result.errors)")
                #expect(result.errors.contains("FFmpeg's libraries cannot be loaded: "), "\(words): \(result.errors)")
            }
        }
    }

    /// A source archive carries its commit; a clone has the placeholder.
    @Test func aCommitIsWholeOrMissing() {
        #expect(Release.commit.map { $0.wholeMatch(of: /[0-9a-f]{40}/) != nil } ?? true)
    }
}
