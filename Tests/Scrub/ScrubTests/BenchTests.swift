import Foundation
import ScrubTestClips
import ScrubTestSupport
import Testing

/// `scrub bench`: its prints and files; not its times.
@Suite struct BenchTests {
    private static let kinds = ["random", "forward", "back", "stepForward", "stepBack"]

    @Test func everyMeasurementHasItsKeysAndItsDots() throws {
        let folder = try TemporaryFolder()
        let files = ["h264-bf3.mp4", "h264-single.mp4"].map { Clip.folder + "/clips/" + $0 }
        let result = try Tool.run(
            CommandTests.program,
            ["bench", "--requests", "3", "--json", "--cache", "8", "--plot", folder.path + "/x.html"] + files)
        #expect(result.status == 0, "\(result.errors)")
        let rows = try result.output.split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(rows.map { $0["file"] as? String } == files)
        #expect(rows.map { $0["frameCount"] as? Int } == [100, 1])
        var requests = 0
        for row in rows {
            let open = try #require(row["open"] as? [String: Any])
            #expect(Set(open.keys) == ["coldMs", "savedMs", "bytesRead"])
            #expect((open["bytesRead"] as? Int ?? 0) > 0)
            for kind in Self.kinds {
                let section = try #require(row[kind] as? [String: Any], "\(kind)")
                #expect(Set(section.keys) == ["requests", "p50", "p95", "p99", "max", "decodedMean", "decodedMax"])
                requests += try #require(section["requests"] as? Int)
            }
            // A film of one frame has no drag.
            #expect((row["drag"] == nil) == (row["frameCount"] as? Int == 1))
            for warmth in row["drag"] == nil ? [] : ["cold", "warm"] {
                let drags = try #require((row["drag"] as? [String: Any])?[warmth] as? [String: [String: Any]])
                #expect(Set(drags.keys) == ["forward", "back", "turning"])
                for (name, drag) in drags {
                    #expect(Set(drag.keys) == ["moves", "rightShown", "worstGapMs", "restMs"], "\(name)")
                    let (moves, right) = (drag["moves"] as? Int ?? 0, drag["rightShown"] as? Int ?? -1)
                    #expect(moves >= 4 && (0...moves).contains(right), "\(name)")
                    #expect((drag["worstGapMs"] as? Double ?? -1) >= 0 && (drag["restMs"] as? Double ?? -1) >= 0)
                }
            }
            let memory = try #require(row["memory"] as? [String: Any])
            #expect(Set(memory.keys) == ["peakPictureBytes", "cacheByteLimit", "peakResidentBytes"])
            #expect(memory["cacheByteLimit"] as? Int == 8 << 20)
            #expect((memory["peakPictureBytes"] as? Int ?? 0) > 0)
        }
        #expect(rows.map { ($0["random"] as? [String: Any])?["requests"] as? Int } == [3, 1])
        #expect(folder.contents == ["x.html"])
        let page = try String(contentsOfFile: folder.path + "/x.html", encoding: .utf8)
        #expect(page.hasPrefix("<!doctype html>") && page.hasSuffix("</html>"))
        #expect(files.allSatisfy { page.contains($0) })
        #expect(page.components(separatedBy: "<circle").count - 1 == requests)
        #expect(page.contains("<th>in time</th>") && page.contains("back and forth, previews made"))
        #expect(!page.contains("http"), "a page of its own needs nothing else")
    }

    /// The drawings have the page's facts: the title, the meaning of the marks, and the file, however long its name.
    @Test func drawingsHaveTitleLegendAndWholeNames() throws {
        let folder = try TemporaryFolder()
        let below = String(repeating: "a long name ", count: 8) + "/" + String(repeating: "and_another", count: 9)
        try FileManager.default.createDirectory(atPath: folder.path(of: below), withIntermediateDirectories: true)
        let film = folder.path(of: below + "/the film.mp4")
        try FileManager.default.copyItem(atPath: Clip.folder + "/clips/h264-single.mp4", toPath: film)
        let result = try Tool.run(
            CommandTests.program, ["bench", "--requests", "2", film, "--plot", folder.path(of: "x.svg")])
        #expect(result.status == 0, "\(result.errors)")
        let drawing = try folder.text("x.svg")
        for text in ["scrub bench", "the red bar is the median", "logarithmic", "1 frame; opened in", "decoded", " / "]
        {
            #expect(drawing.contains(text), "\(text)")
        }
        // The name is there from its first letter to its last, in lines that fit.
        let lines = drawing.matches(of: /font-weight="600">([^<]*)</).map { String($0.1) }
        #expect(lines.joined() == film && lines.count > 1 && lines.allSatisfy { $0.count <= 88 }, "\(lines)")
        let width = try #require(drawing.firstMatch(of: /width="(\d+)" height="(\d+)"/)).1
        #expect(Int(width) == 852)
        let painted = try Tool.run(
            CommandTests.program, ["bench", "--requests", "2", film, "--plot", folder.path(of: "x.png")])
        #expect(painted.status == 0, "\(painted.errors)")
        #expect(try folder.bytes("x.png").starts(with: [0x89, 0x50, 0x4E, 0x47]))
    }

    /// The cache has the previews of an earlier day: a cold drag does not find them, and a warm one leaves none.
    @Test func theDisksPreviewsAreLeftAlone() throws {
        let folder = try TemporaryFolder()
        let environment = ["SCRUB_CACHE_DIR": folder.path(of: "cache")]
        let film = Clip.folder + "/clips/h264-bf3.mp4"
        func run(_ words: String...) throws {
            let result = try Tool.run(CommandTests.program, words + [film], environment: environment)
            #expect(result.status == 0, "\(result.errors)")
        }
        try run("bench", "--requests", "2")
        let cache = { TemporaryFolder.names(folder.path(of: "cache")).filter { $0.hasSuffix(".scrubpreviews") } }
        #expect(cache() == [])
        try run("previews")
        let name = try #require(cache().first)
        let path = folder.path(of: "cache/\(name)")
        let before = try FileManager.default.attributesOfItem(atPath: path)
        try run("bench", "--requests", "2")
        let after = try FileManager.default.attributesOfItem(atPath: path)
        // Reading would mark it as used now.
        #expect(before[.modificationDate] as? Date == after[.modificationDate] as? Date)
        #expect(before[.size] as? Int == after[.size] as? Int)
    }

    @Test func peopleGetATable() throws {
        let result = try Tool.run(
            CommandTests.program, ["bench", "--requests", "2", Clip.folder + "/clips/hevc-closed.mp4"])
        #expect(result.status == 0, "\(result.errors)")
        for text in [
            "80 frames", "a gesture back", "single steps forward", "p95 ms", "memory:", "back, cold", "longest gap ms",
        ] {
            #expect(result.output.contains(text), "\(text)")
        }
    }

    @Test(arguments: [["--requests", "0"], ["--plot", "x.gif"], ["--cache", "-1"], ["--decoders", "0"], []])
    func wrongUsageIsSaid(_ arguments: [String]) throws {
        let file = arguments.isEmpty ? [] : [Clip.folder + "/clips/h264-single.mp4"]
        let result = try Tool.run(CommandTests.program, ["bench"] + arguments + file)
        #expect(result.status == 64 && result.output.isEmpty && !result.errors.isEmpty)
    }
}
