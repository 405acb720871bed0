import Foundation
#if canImport(FoundationXML)
import FoundationXML
#endif
import Scrub
import ScrubTestClips
import ScrubTestSupport
import Testing

/// `scrub gesture` as a program: its reports and files, and its words about bad scripts.
@Suite struct GestureCommandTests {
    private static func path(_ name: String) -> String { Clip.folder + "/clips/" + name }

    private static func rows(_ output: String) throws -> [[String: Any]] {
        try output.split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func script(_ text: String) throws -> String { try folder.write(text.utf8, to: "script.json") }

    /// A decoder that cannot be opened ends the gesture with its reason.
    @Test func undecodableVideosEndTheGesture() throws {
        let path = folder.path + "/refused.avi"
        let made = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x64:r=25:d=1", "-c:v", "utvideo", "-pix_fmt", "gbrp",
                path,
            ])
        try #require(made.status == 0, "\(made.errors)")
        // FFV1 without its set-up bytes: its index can be made, its decoder refuses.
        var bytes = try Data(contentsOf: URL(filePath: path))
        var count = 0
        while let range = bytes.range(of: Data("ULRG".utf8)) {
            bytes.replaceSubrange(range, with: Data("FFV1".utf8))
            count += 1
        }
        try #require(count > 0)
        try bytes.write(to: URL(filePath: path))
        let result = try Tool.run(
            CommandTests.program, ["gesture", path, "--no-cache", "--made", "drag", "--seconds", "1"])
        #expect(result.status == 65 && result.errors.contains("cannot be opened"), "\(result.errors)")
    }

    /// A container that says less than its pictures need: memory that never comes is not waited for.
    @Test func memoryThatNeverComesEnds() throws {
        let path = folder.path + "/larger.mp4"
        let made = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=1920x1080:r=25:d=1", "-c:v", "libx264", "-preset",
                "ultrafast", path,
            ])
        try #require(made.status == 0, "\(made.errors)")
        var bytes = try Data(contentsOf: URL(filePath: path))
        let table = try #require(bytes.range(of: Data("stsd".utf8)))
        let entry = try #require(bytes.range(of: Data("avc1".utf8), in: table.upperBound..<bytes.endIndex))
        // VisualSampleEntry: width and height lie 24 bytes behind the type (ISO/IEC 14496-12, 12.1.3).
        let place = entry.upperBound + 24
        try #require(Array(bytes[place..<place + 4]) == [7, 128, 4, 56])
        bytes.replaceSubrange(place..<place + 4, with: [0, 16, 0, 16])
        try bytes.write(to: URL(filePath: path))
        let result = try Tool.run(
            CommandTests.program,
            ["gesture", path, "--no-cache", "--made", "drag", "--seconds", "1", "--budget", "1"])
        #expect(result.status == 69 && result.errors.contains("memory"), "\(result.errors)")
    }

    /// A drag over a clip: every key of the machine interface, and at the end the frame that the fraction names.
    @Test(arguments: ["h264-bf3.mp4", "hevc-open-gop.mp4", "av1-svt.mp4", "vp9-altref.webm"])
    func aScriptIsPlayed(_ file: String) throws {
        let clip = try KnownClip(file)
        let moves = (1...12).map { "{\"ms\": \($0 * 16), \"phase\": \"changed\", \"dx\": \($0 * 25), \"dy\": 1.5}" }
        let script = try script(
            "{\"width\": 1000, \"begin\": \"0.40\", \"playing\": true, \"events\": [{\"ms\": 0, \"phase\": \"began\"},"
                + moves.joined(separator: ",") + ", {\"ms\": 210, \"phase\": \"ended\"}]}")
        let result = try Tool.run(
            CommandTests.program,
            ["gesture", GestureCommandTests.path(file), "--no-cache", "--script", script, "--json", "--events"])
        #expect(result.status == 0, "\(result.errors)")
        let rows = try GestureCommandTests.rows(result.output)
        let summary = try #require(rows.last)
        for key in ["moves", "shown", "exactShown", "restMinimumDecoded", "decoded", "cancelled", "cacheHits"] {
            #expect(summary[key] is Int, "\(key)")
        }
        for key in ["firstPictureMs", "exactMs"] {
            let spread = summary[key] as? [String: Any]
            for part in ["p50", "p95", "max"] { #expect(spread?[part] is NSNumber, "\(key).\(part)") }
        }
        #expect(summary["worstGapMs"] is NSNumber && summary["restMs"] is NSNumber)
        #expect(summary["moves"] as? Int == 12 && summary["resumed"] as? Bool == true)
        #expect(summary["budgetBytes"] as? Int == 256 << 20)
        #expect((summary["peakBytes"] as? Int ?? .max) <= 256 << 20)
        // 0.40 + 300 / 1000.
        let expected = try clip.asset.presentedFrame(at: .fraction(Rational(7, 10))).number
        let last = try #require(summary["last"] as? [String: Any])
        #expect(last["frame"] as? Int == expected && last["verdict"] as? String == "exact")
        #expect(last["hash"] as? String == "md5:" + clip.hashes[expected])
        let events = rows.dropLast()
        #expect(events.count == summary["shown"] as? Int)
        #expect(events.allSatisfy { $0["ms"] is NSNumber && $0["frame"] is Int && $0["verdict"] is String })
        #expect(events.last?["frame"] as? Int == expected)
    }

    /// The pictures that were shown and a drawing of them are written.
    @Test func picturesAndADrawingAreWritten() throws {
        let folder = folder.path
        let result = try Tool.run(
            CommandTests.program,
            [
                "gesture", GestureCommandTests.path("h264-bf3.mp4"), "--no-cache", "--made", "turning", "--seconds",
                "0.2",
                "--distance", "200", "--output", folder + "/pictures", "--plot", folder + "/plot.svg", "--events",
                "--json",
            ])
        #expect(result.status == 0, "\(result.errors)")
        let shown = try Set(GestureCommandTests.rows(result.output).dropLast().compactMap { $0["frame"] as? Int })
        let files = try FileManager.default.contentsOfDirectory(atPath: folder + "/pictures")
        #expect(files.count == shown.count && files.allSatisfy { $0.hasSuffix(".png") })
        let drawing = try String(contentsOfFile: folder + "/plot.svg", encoding: .utf8)
        #expect(drawing.hasPrefix("<svg ") && drawing.contains("shown exactly") && drawing.contains("<polyline"))
        _ = try XMLDocument(xmlString: drawing)
    }

    /// The drawing has the summary's figures, and the longest gap lies between its dots.
    @Test(arguments: ["drag", "turning", "jump", "rest"]) func theDrawingHasTheSummarysFigures(_ name: String) throws {
        let result = try Tool.run(
            CommandTests.program,
            [
                "gesture", GestureCommandTests.path("h264-bf3.mp4"), "--no-cache", "--made", name, "--seconds", "0.2",
                "--distance", "300", "--plot", folder.path + "/plot.svg", "--json",
            ])
        #expect(result.status == 0, "\(result.errors)")
        let summary = try #require(try GestureCommandTests.rows(result.output).last)
        let drawing = try String(contentsOfFile: folder.path + "/plot.svg", encoding: .utf8)
        let dots = drawing.matches(of: /fill="#(\w+)" opacity=".8"><title>([\d.]+) ms: frame (\d+)/)
        #expect(dots.count == summary["shown"] as? Int)
        let exact = try #require(summary["exactShown"] as? Int)
        #expect(dots.count { $0.1 == "1f6fb4" } == exact && drawing.contains("shown exactly: \(exact)<"))
        #expect(drawing.contains("as a preview: \(dots.count { $0.1 == "2a9d55" })<"))
        #expect(drawing.contains("the nearest available: \(dots.count { $0.1 == "d9730d" })<"))
        let moves = try #require(summary["moves"] as? Int)
        #expect(drawing.contains("requested: \(moves) moves<"))
        let gap = try #require(summary["worstGapMs"] as? Double)
        guard let band = try /longest gap ([\d.]+) ms, ([\d.]+) to ([\d.]+) ms/.firstMatch(in: drawing) else {
            return #expect(gap == 0)
        }
        let (said, start, end) = (
            try #require(Double(band.1)), try #require(Double(band.2)), try #require(Double(band.3))
        )
        #expect(abs(said - gap) <= 0.06 && abs(end - start - gap) <= 0.16)
        // No picture of another frame comes within it.
        let times = dots.map { (Double($0.2) ?? 0, Int($0.3)) }
        let within = times.filter { $0.0 > start + 0.1 && $0.0 < end - 0.1 }
        let before = times.last { $0.0 <= start + 0.1 }
        #expect(within.allSatisfy { $0.1 == before?.1 }, "\(within), \(before as Any)")
    }

    /// Every gesture that can be made up ends on an exact frame.
    @Test(arguments: ["drag", "back", "turning", "flick", "jitter", "jump", "rest"])
    func madeGesturesEndExactly(_ name: String) throws {
        let result = try Tool.run(
            CommandTests.program,
            [
                "gesture", GestureCommandTests.path("h264-bf3.mp4"), "--no-cache", "--made", name, "--seconds", "0.15",
                "--json",
            ])
        #expect(result.status == 0, "\(result.errors)")
        let last = try GestureCommandTests.rows(result.output).last?["last"] as? [String: Any]
        #expect(last?["verdict"] as? String == "exact")
    }

    static let badScripts: [(String, String)] = [
        ("{", "not a gesture script"),
        ("{\"width\": 1000, \"events\": []}", "'begin' is missing"),
        ("{\"width\": 1000, \"begin\": \"0.4\", \"events\": []}", "the list is empty"),
        ("{\"width\": 0, \"begin\": \"0.4\", \"events\": [{\"ms\": 0, \"phase\": \"began\"}]}", "width"),
        ("{\"width\": 9, \"begin\": \"x\", \"events\": [{\"ms\": 0, \"phase\": \"began\"}]}", "begin"),
        ("{\"width\": 9, \"begin\": \"0\", \"events\": [{\"ms\": 0, \"phase\": \"jumped\"}]}", "no phase 'jumped'"),
        ("{\"width\": 9, \"begin\": \"0\", \"events\": [{\"ms\": -5, \"phase\": \"began\"}]}", "not a valid time"),
        ("{\"width\": 9, \"begin\": \"0\", \"events\": [{\"ms\": 1e300, \"phase\": \"began\"}]}", "not a valid time"),
    ]

    /// A script that cannot be played is refused with its file, the place and the cause.
    @Test(arguments: badScripts) func badScriptsAreRefused(_ text: String, _ words: String) throws {
        let script = try script(text)
        let result = try Tool.run(
            CommandTests.program, ["gesture", GestureCommandTests.path("h264-bf3.mp4"), "--script", script])
        #expect(result.status == 65 && result.output.isEmpty)
        #expect(result.errors.contains(words) && result.errors.contains(script), "\(result.errors)")
    }

    @Test(arguments: [
        [], ["--made", "drag", "--script", "-"], ["--made", "spin"], ["--made", "drag", "--budget", "0"],
    ])
    func wrongUsageIsSaid(_ arguments: [String]) throws {
        let result = try Tool.run(
            CommandTests.program, ["gesture", GestureCommandTests.path("h264-bf3.mp4")] + arguments)
        #expect(result.status == 64 && result.output.isEmpty && !result.errors.isEmpty)
    }

    /// A film with no room for two of its pictures is shown reduced, and the words tell the memory of exact pictures
    /// and reduced ones.
    @Test func aFilmThatIsTooLargeIsShownReduced() throws {
        let folder = try TemporaryFolder()
        let film = folder.path(of: "film.mp4")
        let made = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-nostdin", "-f", "lavfi", "-i", "testsrc2=s=1920x1080:r=24:d=0.5", "-c:v", "libx264",
                "-preset", "ultrafast", film,
            ])
        try #require(made.status == 0, "\(made.errors)")
        let words = ["gesture", film, "--made", "jump", "--seconds", "0.2", "--json", "--no-cache", "--budget"]
        let refused = try Tool.run(CommandTests.program, words + ["1"])
        #expect(refused.status == 69)
        let said = try #require(
            refused.errors.firstMatch(of: /may need (\d+) MiB, or (\d+) MiB with reduced pictures/),
            "\(refused.errors)")
        let (exact, reduced) = (try #require(Int(said.1)), try #require(Int(said.2)))
        try #require(reduced < exact)
        for budget in [reduced, exact] {
            let result = try Tool.run(CommandTests.program, words + ["\(budget)"])
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.errors.contains("showing reduced pictures") == (budget == reduced), "\(result.errors)")
            let summary = try #require(try GestureCommandTests.rows(result.output).last)
            let shown = try #require(summary["exactShown"] as? Int)
            #expect((shown > 0) == (budget == exact))
            #expect((summary["peakBytes"] as? Int ?? .max) <= budget << 20)
        }
    }

    @Test func aBudgetThatIsTooSmallIsReported() throws {
        let result = try Tool.run(
            CommandTests.program,
            [
                "gesture", GestureCommandTests.path("h264-bf3.mp4"), "--made", "drag", "--budget", "1", "--threads",
                "64", "--no-cache",
            ])
        // Sixty-four threads have no room in it, one has.
        #expect(result.status == 0 && result.errors.contains("on one thread: the budget"), "\(result.errors)")
    }
}
