import Foundation
import ScrubTestClips
import ScrubTestSupport
import Testing

/// `scrub frames --as`: what is written for real files, and which files are refused.
@Suite struct FrameMapCommandTests {
    private func frames(_ clip: String, _ words: String...) throws -> Tool.Result {
        try Tool.run(
            CommandTests.program, ["frames", Clip.folder + "/clips/" + clip, "--no-cache"] + words,
            environment: ["SCRUB_CACHE_DIR": "/dev/null/scrub"])
    }

    private func object(_ text: some StringProtocol) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    private func keys(_ clip: String) throws -> [Int] {
        let result = try frames(clip, "--as", "torchcodec")
        try #require(result.status == 0, "\(clip): \(result.errors)")
        let list = try #require(try object(result.output)["frames"] as? [[String: Int]])
        #expect(list.count == Clip.all.first { $0.file == clip }?.frames)
        let times = list.compactMap { $0["pts"] }
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 } && times.count == list.count)
        return list.indices.filter { list[$0]["key_frame"] == 1 }
    }

    /// Plain I pictures and refreshes are left out, whatever the container calls them; behind an edit list that begins
    /// between two keys the first one is hidden; the open group with which a film ends is too short for libavcodec.
    @Test(arguments: [
        ("h264-bf3.mp4", [0, 40, 80]), ("h264-intra-refresh.mp4", [0]), ("sync-none-marked.mp4", [0, 40, 80]),
        ("elst-starts-in-b.mp4", [33, 73]), ("h264-open-gop.mp4", [0, 24, 48]), ("cover.mkv", [0, 40, 80]),
        ("frag-no-mfra.mp4", [0, 40, 80]),
    ])
    func keyFramesThatHold(_ clip: String, _ expected: [Int]) throws { #expect(try keys(clip) == expected) }

    @Test(arguments: [
        ("h264-bf3.ts", "would not find this frame"), ("dup-ctts.mp4", "which is not after"),
        ("h264-b.avi", "has no presentation times"), ("elst-two.mp4", "would not find this frame"),
    ])
    func filmsThatWouldBeRead(_ clip: String, wrong reason: String) throws {
        for format in ["torchcodec", "cvat"] {
            let result = try frames(clip, "--as", format)
            #expect(result.status == 65 && result.output.isEmpty, "\(clip): \(result.output)")
            #expect(result.errors.contains(reason), "\(clip): \(result.errors)")
        }
        // The list itself is right all the same.
        let table = try frames(clip, "--as", "csv")
        #expect(table.status == 0 && table.output.split(separator: "\n").count == 1 + expectedFrames(clip))
    }

    private func expectedFrames(_ clip: String) -> Int { Clip.all.first { $0.file == clip }?.frames ?? -1 }

    @Test func theManifestHasTheKeysAndTheLength() throws {
        let lines = try frames("h264-bf3.mp4", "--as", "cvat").output.split(separator: "\n").map { try object($0) }
        let facts = try #require(lines[2]["properties"] as? [String: Any])
        #expect(lines[0]["version"] as? String == "1.1" && lines[1]["type"] as? String == "video")
        #expect(facts["name"] as? String == "h264-bf3.mp4" && facts["length"] as? Int == 100)
        #expect(facts["resolution"] as? [Int] == [192, 112])
        #expect(lines.dropFirst(3).map { $0["number"] as? Int } == [0, 40, 80])
    }

    /// The pictures before it that can be decoded from there come out first.
    @Test func aKeyWithLeadingPicturesIsNoneForCVAT() throws {
        #expect(try keys("hevc-radl.mp4").count > 1)
        let lines = try frames("hevc-radl.mp4", "--as", "cvat").output.split(separator: "\n").map { try object($0) }
        #expect(lines.dropFirst(3).map { $0["number"] as? Int } == [0])
        // Those that cannot be are left out by every decoder.
        let open = try frames("hevc-open-gop.mp4", "--as", "cvat").output.split(separator: "\n")
        #expect(open.count > 4)
    }

    /// CVAT cannot be told which stream a map is of: it reads the first video stream.
    @Test func aMapForCVATIsOfTheFirstVideoStream() throws {
        let refused = try frames("two-videos.mp4", "--as", "cvat")
        #expect(refused.status == 65 && refused.output.isEmpty)
        #expect(refused.errors.contains("the map is for stream 1, but CVAT reads the first video stream, 0"))
        let first = try frames("two-videos.mp4", "--as", "cvat", "--stream", "0").output.split(separator: "\n")
        #expect(first.count > 3 && first[2].contains("\"length\":60"))
        // torchcodec is told; sound and covers behind the video do not matter.
        #expect(try frames("two-videos.mp4", "--as", "torchcodec").status == 0)
        #expect(try frames("cover.mp4", "--as", "cvat").status == 0)
    }

    /// The same numbers, times and keys as in the list for people.
    @Test func theTableSaysWhatTheListSays() throws {
        let rows = try frames("ntsc.mp4", "--json").output.split(separator: "\n").map { try object($0) }
        let table = try frames("ntsc.mp4", "--as", "csv").output.split(separator: "\n").dropFirst()
        #expect(rows.count == table.count && !rows.isEmpty)
        for (row, line) in zip(rows, table) {
            let fields = line.split(separator: ",")
            #expect(fields.count == 6 && row["frame"] as? Int == Int(fields[0]) && row["pts"] as? Int == Int(fields[1]))
            #expect((row["seconds"] as? NSNumber)?.doubleValue == Double(fields[3]))
            #expect(row["keyframe"] as? Bool == (fields[5] == "1"))
        }
    }

    @Test func aFileIsWrittenWhole() throws {
        let folder = try TemporaryFolder()
        let result = try frames("h264-bf3.mp4", "--as", "json", "-o", folder.path(of: "maps/a.json"))
        #expect(result.status == 0 && result.output.isEmpty, "\(result.errors)")
        let made = try object(String(contentsOfFile: folder.path(of: "maps/a.json"), encoding: .utf8))
        #expect(made["frameCount"] as? Int == 100 && (made["frames"] as? [Any])?.count == 100)
        // A film that is refused leaves nothing.
        let refused = try frames("h264-bf3.ts", "--as", "cvat", "-o", folder.path(of: "b.jsonl"))
        #expect(refused.status == 65 && folder.contents.sorted() == ["maps"])
    }

    @Test(arguments: [
        ["--output", "a.csv"], ["--as", "csv", "--json"], ["--as", "csv", "--follow"], ["--as", "nosuch"],
    ])
    func wrongUsage(_ words: [String]) throws {
        let result = try Tool.run(
            CommandTests.program, ["frames", Clip.folder + "/clips/h264-bf3.mp4"] + words)
        #expect(result.status == 64 && result.output.isEmpty, "\(words): \(result.output)")
    }
}
