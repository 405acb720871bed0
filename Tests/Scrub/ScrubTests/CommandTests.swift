import Foundation
import Scrub
import ScrubTestClips
import ScrubTestSupport
import Testing

/// The program itself: its output, the output's place, and the exit status.
@Suite struct CommandTests {
    /// The program that is asked: `SCRUB_TEST_PROGRAM`, for one that was built otherwise, or the one that was built
    /// along with the tests.
    static let program = ProcessInfo.processInfo.environment["SCRUB_TEST_PROGRAM"] ?? builtProgram

    /// The program that was built along with the tests; others lie in the same folder.
    static let builtProgram: String = {
        // The test bundle and the products lie in one folder; which of the two paths the runner has depends on it.
        let places = [Bundle.main.bundlePath, CommandLine.arguments[0]].map { URL(filePath: $0) }
        for place in places {
            for folder in [place, place.deletingLastPathComponent()] {
                let candidate = folder.appending(path: "scrub").path
                if FileManager.default.isExecutableFile(atPath: candidate),
                    !candidate.hasSuffix("/Sources/Programs/scrub")
                {
                    return candidate
                }
            }
        }
        // Not `scrub`, which may be Debian's disk wiper.
        return "scrub-video"
    }()

    private func scrub(_ arguments: String..., cache: TemporaryFolder? = nil) throws -> Tool.Result {
        try Tool.run(
            Self.program, arguments, environment: ["SCRUB_CACHE_DIR": cache?.path ?? "/dev/null/scrub"])
    }

    private func clip(_ name: String) -> String { Clip.folder + "/clips/" + name }

    private func object(_ line: some StringProtocol) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    @Test func seekAnswersEachPositionInTheOrderAsked() throws {
        let result = try scrub(
            "seek", clip("h264-bf3.mp4"), "0.42", "f7", "last", "42%", "--hash", "--json", "--no-cache")
        #expect(result.status == 0, "\(result.errors)")
        let rows = try result.output.split(separator: "\n").map { try object($0) }
        #expect(rows.map { $0["requested"] as? String } == ["0.42", "f7", "last", "42%"])
        #expect(rows.map { $0["frame"] as? Int } == [42, 7, 99, 42])
        #expect(rows.allSatisfy { $0["verdict"] as? String == "exact" && $0["frameCount"] as? Int == 100 })
        let hashes = try #require(Clip.all.first { $0.file == "h264-bf3.mp4" }).expectedHashes()
        #expect(rows.map { $0["hash"] as? String } == [42, 7, 99, 42].map { "md5:" + hashes[$0] })
        for key in ["pts", "timeBase", "seconds", "keyframe", "decoded"] {
            #expect(rows.allSatisfy { $0[key] != nil }, "\(key)")
        }
    }

    /// Numbers count from 0: the last frame's line says that it is the last, and no other one's.
    @Test(arguments: [("h264-bf3.mp4", 100), ("still.png", 1)])
    func theLastFrameIsCalledSo(_ file: String, _ count: Int) throws {
        let result = try scrub("seek", clip(file), "last", "first", "--no-cache")
        let lines = result.output.split(separator: "\n")
        try #require(lines.count == 2, "\(result.errors)")
        #expect(lines[0].hasPrefix("last: frame \(count - 1), the last of \(count) at 0:"))
        #expect(lines[1].hasPrefix(count == 1 ? "first: frame 0, the last of 1 at" : "first: frame 0 of \(count) at"))
    }

    @Test func helpForWhatIsNotThereIsWrongUsage() throws {
        for (words, text) in [
            (["help", "nosuch"], "there is no command 'nosuch'"), (["help", "sek"], "did you mean seek?"),
            (["help", "batch", "nosuch"], "there is no command 'nosuch'"), (["help", "seek", "x"], "no command 'x'"),
        ] {
            let result = try Tool.run(Self.program, words)
            #expect(result.status == 64 && result.output.isEmpty, "\(words): \(result.output)")
            #expect(result.errors.hasPrefix("scrub: ") && result.errors.contains(text), "\(words): \(result.errors)")
        }
        for words in [["help"], ["help", "seek"], ["help", "batch", "plan"], ["seek", "--help"]] {
            let result = try Tool.run(Self.program, words)
            #expect(result.status == 0 && result.errors.isEmpty && !result.output.isEmpty, "\(words)")
        }
    }

    /// `%%` is a percent sign in folders' names too; a sign alone is one there as it is.
    @Test func percentSignsInFolders() throws {
        let folder = try TemporaryFolder()
        let film = clip("h264-bf3.mp4")
        for (output, written) in [
            ("out%%/frame-%05d.jpg", "out%/frame-00007.jpg"), ("100%/a.png", "100%/a.png"),
            ("b%%c/", "b%c/frame-000007.png"),
            ("d%%/e%%.png", "d%/e%.png"),
        ] {
            let result = try scrub("seek", film, "f7", "-o", folder.path(of: output), "--no-cache")
            #expect(result.status == 0, "\(output): \(result.errors)")
            #expect(folder.files.contains(written), "\(output): \(folder.files)")
        }
    }

    @Test func infoHasTheContractsKeys() throws {
        let result = try scrub("info", clip("h264-bf3.mp4"), "--json", "--no-cache")
        let row = try object(result.output)
        let keys = [
            "file", "container", "stream", "codec", "width", "height", "pixelFormat", "sampleAspectRatio", "rotation",
            "timeBase", "frameCount", "duration", "startTime", "keyframeCount", "seekCost", "warnings",
        ]
        for key in keys { #expect(row[key] != nil, "\(key)") }
        #expect(row["codec"] as? String == "h264")
        #expect(row["pixelFormat"] as? String == "yuv420p")
        #expect((row["seekCost"] as? [String: Any])?["mean"] is NSNumber)
    }

    @Test func framesListsEveryFrame() throws {
        let result = try scrub("frames", clip("vfr.mp4"), "--json", "--no-cache")
        let rows = try result.output.split(separator: "\n").map { try object($0) }
        #expect(rows.compactMap { $0["frame"] as? Int } == Array(0..<rows.count))
        #expect(rows.count == 60)
        for key in ["pts", "seconds", "duration", "keyframe", "needs"] { #expect(rows.allSatisfy { $0[key] != nil }) }
    }

    @Test func aPictureIsWrittenWholeUnderItsName() throws {
        let folder = try TemporaryFolder()
        let result = try scrub(
            "seek", clip("h264-bf3.mp4"), "0.42", "--output", folder.path + "/a.png", "--no-cache")
        #expect(result.status == 0, "\(result.errors)")
        #expect(folder.contents == ["a.png"])
        let probe = try Tool.run(
            "ffprobe",
            [
                "-v", "error", "-show_entries", "stream=codec_name,width,height", "-of", "csv=p=0",
                folder.path + "/a.png",
            ])
        #expect(probe.output.trimmingCharacters(in: .whitespacesAndNewlines) == "png,192,112")
    }

    @Test func standardOutputTakesThePictureAlone() throws {
        let result = try scrub("seek", clip("h264-bf3.mp4"), "first", "--output", "-", "--no-cache")
        #expect(result.status == 0)
        #expect(result.bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
    }

    @Test func severalPicturesHaveNamesOfTheirOwn() throws {
        let folder = try TemporaryFolder()
        let result = try scrub(
            "seek", clip("h264-bf3.mp4"), "f1", "f2", "--output", folder.path + "/x.png", "--no-cache")
        #expect(result.status == 0)
        #expect(folder.contents == ["x-000001.png", "x-000002.png"])
    }

    /// A number outside 0...1 is mostly a time or a frame number. Guesses lie in the film, which has four seconds.
    @Test(arguments: [
        ("200%", "0% to 100% (write a fraction", "0% to 100%)", 99), ("150", "0 to 1 (write a fraction", "0 to 1)", 99),
        ("2", "did you mean 2s, 2% or f2?", "did you mean 2s, 2% or f2?)", 99),
        ("12", "did you mean 12% or f12?", "did you mean 12% or f12?)", 99),
        ("300%", "0% to 100% (write a fraction", "0% to 100%)", 99),
        ("12.5", "did you mean 12.5%?", "did you mean 12.5%?)", 99),
        ("4/3", "0 to 1 (write a fraction", "0 to 1)", 99), ("-1", "did you mean f-1?", "did you mean f-1?)", 0),
        ("-0.2", "0 to 1 (write a fraction", "0 to 1)", 0), ("150%", "0% to 100% (write a fraction", "0% to 100%)", 99),
    ])
    func fractionsOutsideAreRefused(_ position: String, _ advice: String, _ note: String, _ frame: Int) throws {
        let path = clip("h264-bf3.mp4")
        for command in [
            ["seek", path, position], ["plan", path, position], ["strip", path, "--plan", "--at", position],
        ] {
            let refused = try Tool.run(Self.program, command + ["--no-cache", "--json"])
            #expect(refused.status == 64, "\(command) \(refused.errors)")
            #expect(refused.errors.contains("'\(position)' is outside the video"), "\(refused.errors)")
            #expect(refused.errors.contains("use --clamp to get the first or last frame"), "\(refused.errors)")
            #expect(refused.errors.contains(advice), "\(refused.errors)")
        }
        let result = try scrub("seek", path, position, "--clamp", "--json", "--no-cache")
        #expect(result.status == 0, "\(result.errors)")
        let row = try object(result.output)
        #expect(row["frame"] as? Int == frame && row["clamped"] as? Bool == true)
        #expect(result.errors.contains(note), "\(result.errors)")
    }

    /// A time or a timecode outside the film is refused, and what there is is said: four seconds at 25 frames.
    @Test(arguments: [
        ("9s", "times range from 0:00.000 to 0:03.960", 99), ("-1s", "times range from 0:00.000 to 0:03.960", 0),
        ("4.001s", "times range from 0:00.000 to 0:03.960", 99),
        ("1:00:00", "times range from 0:00.000 to 0:03.960", 99),
        ("-0.001s", "times range from 0:00.000 to 0:03.960", 0), ("999999999999999999s", "times range from", 99),
        ("00:00:04:00", "timecodes range from 00:00:00:00 to 00:00:03:24", 99),
        ("24:00:00:00", "timecodes range from 00:00:00:00 to 00:00:03:24", 99),
    ])
    func timesOutsideAreRefused(_ position: String, _ range: String, _ frame: Int) throws {
        let path = clip("h264-bf3.mp4")
        for command in [
            ["seek", path, position], ["plan", path, position], ["strip", path, "--plan", "--at", position],
            ["play", path, "--null", "--from", position], ["sheet", path, "--at", position, "-o", "/dev/null/x.png"],
        ] {
            let refused = try Tool.run(Self.program, command + ["--no-cache"])
            #expect(refused.status == 64, "\(command) \(refused.errors)")
            #expect(refused.errors.contains("'\(position)' is outside the video: its \(range)"), "\(refused.errors)")
            #expect(refused.errors.contains("use --clamp to get the first or last frame"), "\(refused.errors)")
        }
        let result = try scrub("seek", path, position, "--clamp", "--json", "--no-cache")
        #expect(result.status == 0 && result.errors.contains("is outside the video"), "\(result.errors)")
        let row = try object(result.output)
        #expect(row["frame"] as? Int == frame && row["clamped"] as? Bool == true)
    }

    /// The end is the last frame, and a written time has three decimals at least.
    @Test(arguments: [
        ("4s", 99), ("4.000s", 99), ("3.96s", 99), ("3.959s", 98), ("3.9s", 97), ("0:01", 25), ("0.12s", 3),
    ])
    func timesHaveThreeDecimals(_ position: String, _ frame: Int) throws {
        let row = try object(scrub("seek", clip("h264-bf3.mp4"), position, "--json", "--no-cache").output)
        #expect(row["frame"] as? Int == frame && row["clamped"] == nil)
        // Frame 2 of 30000/1001 a second begins at 0.0667333... s.
        let ntsc = try scrub("seek", clip("ntsc.mp4"), "0.066s", "0.06s", "0:00.1", "--json", "--no-cache").output
        let frames = try ntsc.split(separator: "\n").map { try object($0)["frame"] as? Int }
        #expect(frames == [2, 1, 3])
    }

    @Test(arguments: [["seek", "f1", "CLIP"], ["seek", "0:01.5", "CLIP", "f3"], ["plan", "50%", "CLIP"]])
    func swappedArgumentsAreReported(_ words: [String]) throws {
        let result = try Tool.run(Self.program, words.map { $0 == "CLIP" ? clip("h264-bf3.mp4") : $0 })
        #expect(result.status == 64 && result.errors.contains("may be swapped"), "\(result.errors)")
    }

    @Test func negativePositionsAreNotOptions() throws {
        let result = try scrub(
            "seek", clip("h264-bf3.mp4"), "--json", "-1", "0.42", "-0.5", "-1s", "-.5", "f-1", "--hash", "--no-cache",
            "--clamp")
        #expect(result.status == 0, "\(result.errors)")
        let rows = try result.output.split(separator: "\n").map { try object($0) }
        #expect(rows.map { $0["requested"] as? String } == ["-1", "0.42", "-0.5", "-1s", "-.5", "f-1"])
        #expect(rows.map { $0["frame"] as? Int } == [0, 42, 0, 0, 0, 99])
        #expect(rows.allSatisfy { $0["hash"] != nil })
        #expect(try scrub("plan", clip("h264-bf3.mp4"), "-1s", "--no-cache", "--clamp").status == 0)
        let wrong = try scrub("seek", clip("h264-bf3.mp4"), "-1x", "--no-cache")
        #expect(wrong.status == 64 && wrong.errors.contains("'-1x' is not a position"), "\(wrong.errors)")
    }

    @Test(arguments: [["nonsense"], ["0", "--output", "a.xyz"], ["0", "1", "--output", "-"]])
    func errorsOfTheCommandLineDontBlameTheVideo(_ arguments: [String]) throws {
        let result = try Tool.run(Self.program, ["seek", clip("h264-bf3.mp4")] + arguments + ["--no-cache"])
        #expect(result.status == 64)
        #expect(!result.errors.contains("h264-bf3"), "\(result.errors)")
    }

    @Test(arguments: [["--stream", "-1"], ["--stream=-1"]])
    func aNegativeStreamIsWrongUsage(_ arguments: [String]) throws {
        let result = try Tool.run(Self.program, ["info", clip("h264-bf3.mp4"), "--no-cache"] + arguments)
        #expect(result.status == 64)
        #expect(result.errors.contains("counted from 0"), "\(result.errors)")
    }

    @Test func aFolderAndThoseAboveItAreMade() throws {
        let folder = try TemporaryFolder()
        for _ in 0..<2 {
            let result = try scrub(
                "seek", clip("h264-bf3.mp4"), "f1", "f2", "--output", folder.path + "/new/", "--no-cache")
            #expect(result.status == 0, "\(result.errors)")
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/new").sorted()
        #expect(files == ["frame-000001.png", "frame-000002.png"])
        let deep = try scrub("seek", clip("h264-bf3.mp4"), "f1", "--output", folder.path + "/a/b/", "--no-cache")
        #expect(deep.status == 0)
        #expect(TemporaryFolder.names(folder.path + "/a/b") == ["frame-000001.png"])
        let none = try scrub("seek", clip("h264-bf3.mp4"), "f100", "--output", folder.path + "/c/", "--no-cache")
        #expect(none.status == 64)
        #expect(folder.contents == ["a", "new"])
    }

    /// If the picture takes standard output, the verdict still has to be reported.
    @Test(arguments: [[], ["--json"]])
    func aDamagedPictureOnStandardOutputIsReported(_ arguments: [String]) throws {
        let file = clip("damaged-h264.mp4")
        let text = try scrub("seek", file, "f60", "--no-cache")
        #expect(text.output.contains("damaged ("), "\(text.output)")
        let result = try Tool.run(
            Self.program, ["seek", file, "f60", "--output", "-", "--no-cache"] + arguments)
        #expect(result.errors.contains("frame 60 is damaged: "), "\(result.errors)")
        #expect(result.bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    }

    private static let failures: [([String], Int32)] = [
        (["seek", "CLIP", "f100"], 64), (["seek", "CLIP", "nonsense"], 64), (["seek", "CLIP"], 64),
        (["seek", "CLIP", "0.5", "--output", "a.xyz"], 64), (["seek", "/nonexistent.mp4", "0"], 66),
        (["info", "/"], 66),
        (["info", "CLIP", "--stream", "9"], 64), (["seek", "CLIP", "0", "--output", "/dev/null/a.png"], 74),
    ]

    @Test(arguments: failures)
    func failuresHaveACodeAndASentence(_ arguments: [String], _ status: Int32) throws {
        let real = arguments.map { $0 == "CLIP" ? clip("h264-bf3.mp4") : $0 }
        let result = try Tool.run(Self.program, real + ["--no-cache"])
        #expect(result.status == status, "\(result.errors)")
        #expect(!result.errors.isEmpty)
        #expect(result.output.isEmpty)
    }

    @Test func nothingIsLeftBehindByAFailure() throws {
        let folder = try TemporaryFolder()
        let result = try scrub(
            "seek", clip("refused-text.mp4"), "0", "--output", folder.path + "/a.png", cache: folder)
        #expect(result.status == 65)
        #expect(folder.contents.isEmpty)
    }

    @Test func theIndexIsSavedAndUsedAgain() throws {
        let cache = try TemporaryFolder()
        let origins = try (0..<2).map { _ in
            try object(scrub("index", clip("h264-bf3.ts"), "--json", cache: cache).output)["origin"] as? String
        }
        #expect(origins == ["built", "saved"])
        #expect(cache.contents.count == 1)
    }

    /// Run inside an environment without a usable cache directory, the program still answers.
    @Test func anUnusableCacheIsOnlyAWarning() throws {
        let result = try Tool.run(
            Self.program, ["seek", clip("h264-bf3.mp4"), "0"], environment: ["SCRUB_CACHE_DIR": "/dev/null/x"])
        #expect(result.status == 0)
        #expect(result.errors.contains("warning"))
    }

    /// Every number that an option takes, at the limits of integers: wrong usage, or done, and never a trap.
    @Test(arguments: [
        ["gesture", "--made", "back", "--distance"], ["gesture", "--made", "drag", "--budget"],
        ["gesture", "--made", "drag", "--strip"], ["gesture", "--made", "drag", "--reduced"],
        ["gesture", "--made", "drag", "--threads"], ["gesture", "--made", "drag", "--seconds"],
        ["drive", "--threads"], ["poster", "-o", "/dev/null/p.png", "--count"],
        ["poster", "-o", "/dev/null/p.png", "--candidates"], ["poster", "-o", "/dev/null/p.png", "--size"],
        ["poster", "-o", "/dev/null/p.png", "--width"], ["poster", "-o", "/dev/null/p.png", "--threads"],
        ["poster", "-o", "/dev/null/p.png", "--quality"], ["strip", "--plan", "--columns"],
        ["strip", "--plan", "--rows"], ["strip", "--plan", "--height"], ["strip", "--plan", "--width"],
        ["strip", "--plan", "--count"], ["strip", "--plan", "--quality"], ["strip", "--plan", "--threads"],
        ["strip", "--plan", "--every"], ["strip", "--plan", "--tolerance"],
        ["strip", "--plan", "--scenes", "--min-scene"], ["strip", "--plan", "--at"], ["thumbs", "--plan", "--count"],
        ["thumbs", "--plan", "--quality"], ["bench", "--requests"], ["bench", "--threads"], ["bench", "--cache"],
        ["bench", "--decoders"], ["verify", "--sample"], ["info", "--stream"], ["seek"], ["plan"],
    ])
    func numbersAtTheirEdges(_ words: [String]) throws {
        let file = clip("h264-bf3.mp4")
        for edge in [
            "9223372036854775807", "-9223372036854775808", "9223372036854775808", "-1", "0", "4611686018427387904",
            "f9223372036854775807", "f-9223372036854775808", "999999999999999999s", "1e308", "nan",
        ] {
            // Anything but a number is wrong usage or a position; those that work take long enough to be asked for
            // elsewhere.
            let isPosition = words.count == 1
            let works = ["--threads", "--sample", "--strip", "--distance", "--cache"].contains(words.last ?? "")
            if works, ["0", "-1"].contains(edge) { continue }
            let arguments =
                isPosition
                ? [words[0], file, edge, "--no-cache"]
                : [words[0], file] + words.dropFirst().dropLast() + ["\(words.last ?? "")=\(edge)"]
            let result = try Tool.run(Self.program, arguments, environment: ["SCRUB_CACHE_DIR": "/dev/null/scrub"])
            #expect([0, 64, 65].contains(result.status), "\(arguments): \(result.status) \(result.errors.prefix(300))")
            #expect(result.status != 65 || !result.errors.contains("crashed"), "\(arguments)")
        }
    }
}
