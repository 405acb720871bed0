import Foundation
import Scrub
import ScrubThumbnails
import ScrubMedia
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Films whose key pictures are such by the container's word. Nothing here reads their headers, and facts that only
/// comparing shows must not decide about a poster or a set.
@Suite struct UnprovenFilmTests {
    struct Film: Sendable, CustomTestStringConvertible {
        let name: String
        let coding: [String]
        var testDescription: String { name }

        /// Twelve groups of several scenes; of MOV and RealVideo the sizes that their encoders take.
        func make(in folder: TemporaryFolder) throws -> String {
            let path = folder.path(of: name)
            let size = name.hasSuffix(".rm") ? "176x144" : "160x90"
            let sources = [
                "testsrc2=s=\(size):r=25:d=2", "mandelbrot=s=\(size):r=25", "smptehdbars=s=\(size):r=25:d=2",
            ]
            let graph =
                "[0]setsar=1,format=yuv420p[a];[1]trim=end_frame=50,setpts=N/25/TB,setsar=1,format=yuv420p[b];"
                + "[2]setsar=1,format=yuv420p[c];[a][b][c]concat=n=3"
            let result = try Tool.run(
                "ffmpeg",
                ["-v", "error", "-nostdin", "-y"] + sources.flatMap { ["-f", "lavfi", "-i", $0] }
                    + ["-filter_complex", graph] + coding + [path])
            try #require(result.status == 0, "\(result.errors)")
            return path
        }
    }

    static let films = [
        Film(name: "theora.ogv", coding: ["-c:v", "libtheora", "-g", "12", "-q:v", "6"]),
        Film(name: "png.mov", coding: ["-c:v", "png"]),
        Film(name: "ffv1.mkv", coding: ["-c:v", "ffv1", "-g", "1"]),
        Film(name: "ffv1-groups.mkv", coding: ["-c:v", "ffv1", "-g", "12"]),
        Film(name: "wmv2.wmv", coding: ["-c:v", "wmv2", "-g", "12", "-q:v", "4"]),
        Film(name: "rv20.rm", coding: ["-c:v", "rv20", "-g", "12", "-q:v", "6"]),
        Film(name: "flv1.flv", coding: ["-c:v", "flv1", "-g", "12", "-q:v", "4"]),
        Film(name: "msmpeg4v3.avi", coding: ["-c:v", "msmpeg4", "-g", "12", "-q:v", "4"]),
        Film(name: "svq1.mov", coding: ["-c:v", "svq1", "-g", "12", "-q:v", "4"]),
        Film(name: "snow.avi", coding: ["-c:v", "snow", "-g", "12", "-q:v", "4", "-strict", "-2"]),
    ]

    private func summary(_ report: Poster.Report) -> [String] {
        report.posters.map { "\($0.frame.number) \($0.scores.score) \($0.preview.hashValue) \($0.blurHash)" }
            + report.candidates.map { "\($0.frame.number) \($0.scores.score)" } + [report.note?.description ?? ""]
    }

    /// Posters are found, are pictures that the linear decode makes, and are the same whatever was asked for before.
    @Test(arguments: films)
    func postersDependOnTheFilmAlone(_ film: Film) throws {
        let folder = try TemporaryFolder()
        let clip = try KnownClip(path: try film.make(in: folder))
        let cache = VideoAsset.OpenOptions(cache: VideoAsset.IndexCache(path: folder.path(of: "cache")))
        var options = Poster.Options()
        (options.count, options.candidateCount) = (3, 12)
        let cold = try clip.asset.posterReport(options: options)
        #expect(!cold.posters.isEmpty)
        // One picture for each candidate, and some for those that are compared: not the film.
        #expect(cold.decodedPictureCount <= cold.candidates.count + 3 * 3 * 12, "\(cold.decodedPictureCount)")
        try clip.asset.pictures(of: cold.posters) { (poster, picture) throws(ScrubError) in
            #expect((try? picture.md5()) == clip.hashes[poster.frame.number], "frame \(poster.frame.number)")
        }
        // Also where more are wanted than there are key pictures looked at.
        for count in [1, 20] {
            options.count = count
            let report = try clip.asset.posterReport(options: options)
            #expect(report.posters.first?.frame.number == cold.posters.first?.frame.number)
        }
        options.count = 3
        #expect(try clip.asset.verify(sample: 150).faults.isEmpty)
        #expect(try summary(clip.asset.posterReport(options: options)) == summary(cold), "after a proof")
        for _ in 0..<2 {
            let asset = try VideoAsset(path: clip.asset.path, options: cache)
            #expect(try summary(asset.posterReport(options: options)) == summary(cold), "with a cache")
            var reader = FrameReader(asset)
            _ = try reader.frame(at: .fraction(Rational(3, 4)))
        }
    }

    /// Scenes are found, the same before and after proofs; sets at every tolerance too.
    @Test(arguments: films)
    func scenesAndSetsDependOnTheFilmAlone(_ film: Film) throws {
        let folder = try TemporaryFolder()
        let asset = try VideoAsset(path: try film.make(in: folder), options: VideoAsset.OpenOptions(cache: .none))
        let scenes = try asset.sceneReport().scenes
        #expect(scenes.map(\.start) == [.zero, Rational(2), Rational(4)], "\(scenes)")
        func sets(_ name: String) throws -> [String: Data] {
            var files: [String: Data] = [:]
            for tolerance in [
                ThumbnailPlan.Request.Tolerance.exact, .keyframe, .automatic, .within(Rational(1, 10)),
            ] {
                let place = folder.path(of: name + "\(files.count)")
                let request = ThumbnailPlan.Request(.count(7), tolerance: tolerance)
                let report = try asset.writeStrip(into: place, options: ThumbnailStrip.Options(request))
                #expect(report.storyboards.first?.thumbnails.count == 7)
                for file in try FileManager.default.contentsOfDirectory(atPath: place) {
                    files["\(tolerance) \(file)"] = try Data(contentsOf: URL(filePath: place + "/" + file))
                }
            }
            return files
        }
        let cold = try sets("cold")
        #expect(try asset.verify(sample: 150).faults.isEmpty)
        #expect(try asset.sceneReport().scenes == scenes)
        let warm = try sets("warm")
        #expect(cold.keys == warm.keys)
        for (name, bytes) in cold { #expect(warm[name] == bytes, "\(name)") }
    }

    /// The program writes the same bytes in every state of its cache, and in the sandbox.
    @Test(arguments: ["png.mov", "wmv2.wmv"])
    func theCommandWritesTheSameBytes(_ name: String) throws {
        let folder = try TemporaryFolder()
        let film = try #require(UnprovenFilmTests.films.first { $0.name == name })
        let path = try film.make(in: folder)
        let caches = ["XDG_CACHE_HOME": folder.path(of: "cache")]
        func poster(_ arguments: [String] = []) throws -> Data {
            let output = folder.path(of: "p.png")
            let result = try Tool.run(
                CommandTests.program, ["poster", path, "--candidates", "9", "-o", output] + arguments,
                environment: caches)
            try #require(result.status == 0, "\(result.errors)")
            return try Data(contentsOf: URL(filePath: output))
        }
        let cold = try poster(["--no-cache"])
        #expect(try poster() == cold)
        #expect(try poster() == cold)
        #expect(try Tool.run(CommandTests.program, ["seek", path, "0.7"], environment: caches).status == 0)
        #expect(try poster() == cold)
        #expect(try poster(["--sandbox"]) == cold)
        let thumbs = try Tool.run(
            CommandTests.program,
            ["thumbs", path, "--no-cache", "--profile", "freedesktop", "-o", folder.path(of: "sets")])
        #expect(thumbs.status == 0, "\(thumbs.errors)")
    }

    /// An AVI without an index calls every packet a key picture. Those that the decoder calls something else are not:
    /// posters are real key pictures, and the film is not decoded from its beginning.
    @Test func deniedClaimsAreNotKeyPictures() throws {
        let folder = try TemporaryFolder()
        let whole = try UnprovenFilmTests.Film(
            name: "whole.avi", coding: ["-c:v", "msmpeg4", "-g", "12", "-q:v", "4", "-bf", "0"]
        ).make(in: folder)
        var bytes = try [UInt8](Data(contentsOf: URL(filePath: whole)))
        let place = try #require(bytes.indices.last { bytes[$0...].prefix(4).elementsEqual("idx1".utf8) })
        bytes.removeSubrange(place...)
        let path = folder.path(of: "cut.avi")
        try Data(bytes).write(to: URL(filePath: path))
        let clip = try KnownClip(path: path)
        let report = try clip.asset.posterReport()
        try clip.asset.pictures(of: report.posters) { (poster, picture) throws(ScrubError) in
            #expect((try? picture.md5()) == clip.hashes[poster.frame.number], "frame \(poster.frame.number)")
        }
        #expect(report.candidates.count > 20)
        _ = try clip.asset.verify(sample: 20)
        #expect(try clip.asset.posterReport().posters.first?.frame.number == report.posters.first?.frame.number)
    }
}
