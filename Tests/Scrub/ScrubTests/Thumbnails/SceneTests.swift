import Foundation
import Scrub
import ScrubThumbnails
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Scenes of films that were cut together for the test.
@Suite struct SceneTests {
    /// Four scenes of known lengths, 25 frames a second: cuts at frames 50, 95 and 170.
    private static let sources = [
        "rgbtestsrc=s=192x108:r=25:d=2", "mandelbrot=s=192x108:r=25:start_scale=0.6:end_scale=0.4",
        "smptehdbars=s=192x108:r=25:d=3,hue=b=0.4+0.2*sin(t)",
        "gradients=s=192x108:r=25:d=2.4:seed=7:c0=navy:c1=orange:n=2",
    ]
    private static let lengths = [50, 45, 75, 60]

    private func film(_ coding: [String], in folder: TemporaryFolder, filter: String = "null") throws -> String {
        let path = folder.path + "/film.mp4"
        var arguments = ["-v", "error", "-y"]
        for source in Self.sources { arguments += ["-f", "lavfi", "-i", source] }
        let parts = Self.lengths.enumerated().map {
            "[\($0)]trim=end_frame=\($1),setpts=N/25/TB,setsar=1,format=yuv420p[v\($0)]"
        }
        let graph =
            parts.joined(separator: ";") + ";"
            + Self.lengths.indices.map { "[v\($0)]" }.joined() + "concat=n=4,\(filter)"
        arguments +=
            ["-filter_complex", graph, "-r", "25", "-c:v", "libx264", "-preset", "veryfast", "-crf", "22"] + coding + [
                path
            ]
        let result = try Tool.run("ffmpeg", arguments)
        #expect(result.status == 0, "\(result.errors)")
        return path
    }

    private static let atCuts = ["-g", "250"]
    /// No key picture at a cut: every 40 frames and nowhere else.
    private static let notAtCuts = ["-g", "40", "-sc_threshold", "0"]
    private static let oneKey = ["-g", "1000", "-sc_threshold", "0"]
    private static let allKeys = ["-g", "1"]

    /// The very frames at which scenes begin, wherever key pictures are.
    @Test(arguments: [atCuts, notAtCuts, oneKey, allKeys])
    func cutsAreExact(_ coding: [String]) throws {
        let folder = try TemporaryFolder()
        let asset = try VideoAsset(path: try film(coding, in: folder), options: VideoAsset.OpenOptions(cache: .none))
        let report = try asset.sceneReport()
        #expect(report.scenes.map(\.start) == [.zero, Rational(2), Rational(95, 25), Rational(170, 25)])
        #expect(report.scenes.last?.end == asset.duration)
        #expect(zip(report.scenes, report.scenes.dropFirst()).allSatisfy { $0.end == $1.start })
        // Each shows its first picture.
        #expect(report.scenes.map(\.frameNumber) == [0, 50, 95, 170])
        var options = VideoScene.Options()
        options.threadCount = 1
        #expect(try asset.sceneReport(options: options) == report, "the same with one thread")
        options.maximumSceneCount = 2
        let two = try asset.sceneReport(options: options).scenes
        #expect(two.count == 2 && two.last?.end == asset.duration)
    }

    /// The list as CSV and JSON: every frame in one scene, and the same cuts in all forms.
    @Test func lists() throws {
        let folder = try TemporaryFolder()
        let path = try film(Self.notAtCuts, in: folder)
        func run(_ arguments: [String]) throws -> Tool.Result {
            try Tool.run(CommandTests.program, ["scenes", path, "--no-cache"] + arguments)
        }
        let csv = try run(["--as", "csv"]).output.split(separator: "\n")
        #expect(csv.first == "scene,start,end,seconds,firstFrame,lastFrame,frame,strength")
        let rows = csv.dropFirst().map { $0.split(separator: ",").map(String.init) }
        #expect(rows.map { $0[4] } == ["0", "50", "95", "170"] && rows.map { $0[5] } == ["49", "94", "169", "229"])
        #expect(rows.map { Double($0[1]) } == [0, 2, 3.8, 6.8])
        let array = try JSONSerialization.jsonObject(with: try run(["--as", "json"]).bytes) as? [[String: Any]]
        #expect(array?.compactMap { $0["firstFrame"] as? Int } == [0, 50, 95, 170])
        let lines = try run(["--json"]).output.split(separator: "\n")
        #expect(lines.count == 4 && lines.allSatisfy { $0.hasPrefix("{\"scene\":") })
        #expect(try run(["--threshold", "1", "--json"]).output.split(separator: "\n").count == 1)
        #expect(try run(["--count", "2", "--json"]).output.split(separator: "\n").count == 2)
        for wrong in [
            ["--threshold", "0"], ["--threshold", "2"], ["--threshold", "nan"], ["--as", "csv", "--json"],
        ] {
            #expect(try run(wrong).status == 64, "\(wrong)")
        }
    }

    /// Cuts to white, to black and to noise, and back, wherever key pictures are.
    @Test(arguments: [atCuts, oneKey])
    func cutsToBlankPictures(_ coding: [String]) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/blank.mp4"
        let parts = [
            "testsrc2=s=192x108:r=25:d=2", "color=white:s=192x108:r=25:d=2", "testsrc2=s=192x108:r=25:d=2",
            "color=gray:s=192x108:r=25:d=2,noise=alls=90:allf=t", "rgbtestsrc=s=192x108:r=25:d=2",
            "color=black:s=192x108:r=25:d=2",
        ]
        let graph =
            parts.enumerated().map { "\($1),format=yuv420p,setsar=1[v\($0)]" }.joined(separator: ";")
            + ";" + parts.indices.map { "[v\($0)]" }.joined() + "concat=n=\(parts.count)"
        let made = try Tool.run(
            "ffmpeg",
            ["-v", "error", "-y", "-filter_complex", graph, "-c:v", "libx264", "-preset", "veryfast"] + coding + [path])
        #expect(made.status == 0, "\(made.errors)")
        let listed = try Tool.run(CommandTests.program, ["scenes", path, "--as", "csv", "--no-cache"])
        let starts = listed.output.split(separator: "\n").dropFirst().map { $0.split(separator: ",")[4] }
        #expect(starts == ["0", "50", "100", "150", "200", "250"])
    }

    /// Without exactness scenes begin at key pictures, and nothing else is decoded.
    @Test func keyPicturesAlone() throws {
        let folder = try TemporaryFolder()
        var options = VideoScene.Options()
        options.isExact = false
        let cut = try VideoAsset(path: try film(Self.atCuts, in: folder), options: VideoAsset.OpenOptions(cache: .none))
        let exact = try cut.sceneReport(options: options)
        #expect(exact.scenes.map(\.start) == [.zero, Rational(2), Rational(95, 25), Rational(170, 25)])
        #expect(exact.decodedPictureCount == exact.lookCount)
        // The first key picture in each.
        let late = try VideoAsset(
            path: try film(Self.notAtCuts, in: folder), options: VideoAsset.OpenOptions(cache: .none))
        #expect(try late.sceneReport(options: options).scenes.map(\.frameNumber) == [0, 80, 120, 200])
    }

    /// A film that begins with black, or with a glimpse of something else, does not show that.
    @Test(arguments: ["fade=in:5:20", "drawbox=c=red:t=fill:enable='lt(n,8)'"])
    func beginnings(_ filter: String) throws {
        let folder = try TemporaryFolder()
        let asset = try VideoAsset(
            path: try film(Self.atCuts, in: folder, filter: filter), options: VideoAsset.OpenOptions(cache: .none))
        let first = try #require(try asset.sceneReport().scenes.first)
        #expect(first.start == .zero && first.end == Rational(2) && first.frameNumber == 25, "\(first)")
        var options = VideoScene.Options()
        options.isExact = false
        #expect(try asset.sceneReport(options: options).scenes.first.map { $0.frameNumber >= 20 } == true)
    }

    /// A film of one scene, flashes and a fade to black and back have no cuts.
    @Test(arguments: [
        "null", "eq=brightness='if(between(n,30,32),0.8,0)':eval=frame", "fade=out:20:10,fade=in:32:10",
    ])
    func noCuts(_ filter: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/flat.mp4"
        let result = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=192x108:r=25:d=4", "-vf", filter, "-c:v", "libx264",
                "-preset", "veryfast", "-g", "10", "-pix_fmt", "yuv420p", path,
            ])
        #expect(result.status == 0, "\(result.errors)")
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
        let report = try asset.sceneReport()
        #expect(report.scenes.count == 1 && report.scenes.first?.start == .zero, "\(report.scenes.map(\.start))")
        #expect(report.scenes.first?.end == asset.duration)
    }

    /// The command writes a cue for each scene, and a set that its own proof accepts. Sets with one interval are
    /// refused before anything is written.
    @Test func theCommand() throws {
        let folder = try TemporaryFolder()
        let path = try film(Self.notAtCuts, in: folder)
        let output = folder.path + "/strip"
        let result = try Tool.run(
            CommandTests.program, ["strip", path, "--no-cache", "--scenes", "--output", output, "--json"])
        #expect(result.status == 0, "\(result.errors)")
        let manifest = try #require(JSONSerialization.jsonObject(with: result.bytes) as? [String: Any])
        let thumbnails = try #require(manifest["thumbnails"] as? [[String: Any]])
        #expect(thumbnails.compactMap { $0["start"] as? Double } == [0, 2, 3.8, 6.8])
        #expect(thumbnails.compactMap { $0["frame"] as? Int } == [0, 50, 95, 170])
        let cues = try String(contentsOfFile: output + "/thumbnails.vtt", encoding: .utf8)
        #expect(cues.contains("00:00:03.800 --> 00:00:06.800"))
        let proof = try Tool.run(CommandTests.program, ["verify-set", output, "--against", path])
        #expect(proof.status == 0, "\(proof.output)\(proof.errors)")
        let plan = try Tool.run(
            CommandTests.program, ["strip", path, "--no-cache", "--scenes", "--count", "2", "--plan", "--json"])
        let object = try #require(JSONSerialization.jsonObject(with: plan.bytes) as? [String: Any])
        #expect((object["slots"] as? [Any])?.count == 2 && object["decodedForScenes"] is Int)
        let sets = folder.path + "/sets"
        let refused = try Tool.run(
            CommandTests.program, ["thumbs", path, "--no-cache", "--scenes", "--profile", "web,plex", "-o", sets])
        #expect(refused.status == 64 && refused.errors.contains("plex"), "\(refused.errors)")
        #expect(!FileManager.default.fileExists(atPath: sets))
        let web = try Tool.run(
            CommandTests.program, ["thumbs", path, "--no-cache", "--scenes", "--profile", "web", "-o", sets])
        #expect(web.status == 0 && web.output.contains("4 thumbnails"), "\(web.output)\(web.errors)")
        #expect(try Tool.run(CommandTests.program, ["strip", path, "--scenes", "--every", "3", "--plan"]).status == 64)
    }

    /// A dissolve is a cut in its middle, and scenes are the same for each verb; a scene's picture is one of it alone.
    @Test func verbsAgreeOnDissolves() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/film.mp4"
        let graph =
            "[0]format=yuv420p,setsar=1[a];[1]trim=end_frame=75,setpts=N/25/TB,fps=25,format=yuv420p,setsar=1[b];"
            + "[a][b]xfade=transition=fade:duration=1:offset=2"
        let made = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "smptehdbars=s=192x108:r=25:d=3", "-f", "lavfi", "-i",
                "mandelbrot=s=192x108:r=25", "-filter_complex", graph, "-c:v", "libx264", "-g", "30", path,
            ])
        try #require(made.status == 0, "\(made.errors)")
        func slots(_ words: [String]) throws -> [[String: Any]] {
            let result = try Tool.run(CommandTests.program, words + [path, "--no-cache", "--scenes", "--json"])
            let object = try #require(JSONSerialization.jsonObject(with: result.bytes) as? [String: Any])
            return try #require((object["slots"] ?? object["pictures"]) as? [[String: Any]], "\(result.errors)")
        }
        let strip = try slots(["strip", "--plan"])
        let starts = strip.compactMap { $0["start"] as? Double }
        #expect(starts.count == 2 && starts.first == 0 && (2.3...2.7).contains(starts.last ?? 0), "\(starts)")
        let frames = strip.compactMap { $0["frame"] as? Int }
        #expect(frames.first == 0 && (68...90).contains(frames.last ?? 0), "\(frames)")
        #expect(try slots(["thumbs", "--profile", "web", "--plan"]).compactMap { $0["start"] as? Double } == starts)
        #expect(try slots(["sheet", "-o", folder.path + "/s.jpg"]).compactMap { $0["frame"] as? Int } == frames)
    }

    /// A sheet of pictures near their times says so; one of the very pictures has nothing to say.
    @Test func sheetsSayHowNearTheirPicturesAre() throws {
        let folder = try TemporaryFolder()
        let path = try film(Self.notAtCuts, in: folder)
        for (tolerance, isNear) in [("exact", false), ("keyframe", true)] {
            let output = folder.path + "/\(tolerance).svg"
            let result = try Tool.run(
                CommandTests.program,
                ["sheet", path, "--no-cache", "--count", "6", "--tolerance", tolerance, "-o", output])
            #expect(result.status == 0 && result.errors.contains("nearest key picture") == isNear, "\(result.errors)")
            let drawing = try String(contentsOfFile: output, encoding: .utf8)
            #expect(drawing.contains("nearest key picture") == isNear)
        }
        for (verb, standard) in [("strip", "exact"), ("thumbs", "auto"), ("sheet", "auto")] {
            let help = try Tool.run(CommandTests.program, ["help", verb]).output
                .split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(help.contains("Default: \(standard)."), "\(verb)")
        }
    }

    /// Scenes of no film, or of another one, are refused.
    @Test func impossibleScenesAreRefused() throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let scene = VideoScene(start: .zero, end: .one, frameNumber: 1_000_000, strength: 1)
        for places in [ThumbnailPlan.Request.Positions.scenes([]), .scenes([scene])] {
            let error = #expect(throws: ScrubError.self) {
                try clip.asset.thumbnailPlan(for: ThumbnailPlan.Request(places))
            }
            #expect(error?.code == .usage)
        }
        var options = VideoScene.Options()
        options.maximumSceneCount = 0
        #expect(throws: ScrubError.self) { try clip.asset.sceneReport(options: options) }
    }
}
