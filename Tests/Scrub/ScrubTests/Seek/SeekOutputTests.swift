import Foundation
import Scrub
import ScrubTestClips
import ScrubTestSupport
import Testing

/// The files of `scrub seek`, and their places.
@Suite struct SeekOutputTests {
    private func clip(_ name: String) -> String { Clip.folder + "/clips/" + name }

    private func seek(_ arguments: String...) throws -> Tool.Result {
        try Tool.run(CommandTests.program, ["seek"] + arguments + ["--no-cache"])
    }

    private func rows(_ result: Tool.Result) throws -> [[String: Any]] {
        try result.output.split(separator: "\n").map { line in
            try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    private static let heads: [(String, String)] = [
        ("png", "89504e47"), ("jpg", "ffd8ff"), ("jpeg", "ffd8ff"), ("webp", "52494646"), ("avif", "00000020667479"),
        ("JPG", "ffd8ff"),
    ]

    private func head(_ bytes: Data) -> String { bytes.prefix(16).map { String(format: "%02x", $0) }.joined() }

    @Test(arguments: heads) func theSuffixIsTheFormat(_ suffix: String, _ wanted: String) throws {
        let folder = try TemporaryFolder()
        let result = try seek(clip("h264-bf3.mp4"), "f7", "-o", folder.path + "/a." + suffix, "--json")
        #expect(result.status == 0, "\(result.errors)")
        #expect(head(try folder.bytes("a." + suffix)).hasPrefix(wanted.prefix(6)))
        let row = try #require(try rows(result).first)
        #expect(row["width"] as? Int == 192 && row["height"] as? Int == 112)
        let format = suffix.lowercased()
        let piped = try seek(clip("h264-bf3.mp4"), "f7", "-o", "-", "--format", format)
        #expect(try piped.bytes == folder.bytes("a." + suffix))
    }

    /// The stream's own picture is the one that framemd5 hashes; 8-bit pixels are as many as the size gives.
    @Test(arguments: ["h264-bf3.mp4", "h264-odd.mp4", "hevc-main10.mp4", "ffv1-yuva.mkv", "anim.gif", "rotate-90.mp4"])
    func barePixels(_ name: String) throws {
        let folder = try TemporaryFolder()
        let raw = try rows(seek(clip(name), "f2", "-o", folder.path + "/a.raw", "--hash", "--json"))
        let sum = try Tool.run("md5sum", [folder.path + "/a.raw"]).output.prefix(32)
        #expect(raw.first?["hash"] as? String == "md5:" + sum)
        for (suffix, channels) in [("rgb", 3), ("rgba", 4)] {
            let row = try #require(
                try rows(seek(clip(name), "f2", "-o", folder.path + "/a." + suffix, "--json")).first)
            let (width, height) = (row["width"] as? Int ?? 0, row["height"] as? Int ?? 0)
            #expect(try folder.bytes("a." + suffix).count == width * height * channels)
        }
    }

    /// Behind a change of size the bytes are those that ffmpeg's command makes, scaled to the first picture, and so is
    /// the size that is told. Pictures for people keep their own.
    @Test(arguments: ["avc3-size-change.mp4", "size-change.mkv"])
    func bareSamplesHaveTheSizeThatIsTold(_ name: String) throws {
        let folder = try TemporaryFolder()
        func size(_ position: String, _ file: String) throws -> [Int?] {
            let row = try rows(seek(clip(name), position, "-o", folder.path + "/" + file, "--json")).first
            return [row?["width"] as? Int, row?["height"] as? Int]
        }
        let first = try size("first", "a.raw")
        #expect(try size("last", "b.raw") == first)
        #expect(try folder.bytes("b.raw").count == first.reduce(3) { $0 * ($1 ?? 0) } / 2)
        #expect(try size("first", "a.png") == first)
        #expect(try size("last", "b.png") != first)
    }

    @Test func pixelsFollowEachOtherOnStandardOutput() throws {
        let all = try seek(clip("h264-bf3.mp4"), "f30..f33", "f5", "-o", "-", "--format", "rgb", "--width", "48").bytes
        var single = Data()
        for frame in ["f30", "f31", "f32", "f33", "f5"] {
            single += try seek(clip("h264-bf3.mp4"), frame, "-o", "-", "--format", "rgb", "--width", "48").bytes
        }
        #expect(all.count == 5 * 48 * 28 * 3)
        let isSame = all == single
        #expect(isSame)
        #expect(try seek(clip("h264-bf3.mp4"), "f1..f2", "-o", "-").status == 64)
    }

    @Test(arguments: [
        (["--width", "96"], 96, 56), (["--height", "56"], 96, 56), (["--width", "100", "--height", "20"], 34, 20),
        (["--width", "1000"], 1000, 584), (["--width", "1000", "--height", "1000"], 192, 112),
        (["--width", "1"], 1, 2),
    ])
    func sizes(_ arguments: [String], _ width: Int, _ height: Int) throws {
        let folder = try TemporaryFolder()
        let result = try Tool.run(
            CommandTests.program,
            ["seek", clip("h264-bf3.mp4"), "f7", "--no-cache", "--json", "-o", folder.path + "/a.png"] + arguments)
        let row = try #require(try rows(result).first)
        #expect(row["width"] as? Int == width && row["height"] as? Int == height, "\(row)")
    }

    @Test func aRangeIsAnImageSequence() throws {
        let folder = try TemporaryFolder()
        let result = try seek(
            clip("h264-bf3.mp4"), "f8..f11", "0.5s..0.6s", "f-2..last", "--json", "--hash", "-o",
            folder.path + "/a/b/x-%04d.jpg")
        #expect(result.status == 0, "\(result.errors)")
        let found = try rows(result)
        #expect(found.map { $0["frame"] as? Int } == [8, 9, 10, 11, 12, 13, 14, 15, 98, 99])
        #expect(found.map { $0["requested"] as? String }.first == "f8..f11")
        let hashes = try #require(Clip.all.first { $0.file == "h264-bf3.mp4" }).expectedHashes()
        for row in found { #expect(row["hash"] as? String == "md5:" + hashes[row["frame"] as? Int ?? 0]) }
        #expect(
            TemporaryFolder.names(folder.path + "/a/b")
                == [8, 9, 10, 11, 12, 13, 14, 15, 98, 99].map { "x-" + PlainText.padded($0, to: 4) + ".jpg" })
    }

    /// Whole streams by ranges, also those with gradual refresh, open groups and leading pictures: in order, and exact.
    @Test(arguments: [
        "h264-open-gop.mp4", "hevc-starts-cra.mkv", "h264-intra-refresh.ts", "av1-svt.webm", "mpeg2-open.mpg",
    ])
    func rangesAreExact(_ name: String) throws {
        let known = try #require(Clip.all.first { $0.file == name })
        let found = try rows(seek(clip(name), "first..last", "--json", "--hash"))
        #expect(found.map { $0["frame"] as? Int } == Array(0..<found.count))
        let hashes = try known.expectedHashes()
        for row in found where row["verdict"] as? String == "exact" {
            #expect(hashes.contains(String((row["hash"] as? String ?? "").dropFirst(4))))
        }
        let single = try rows(seek(clip(name), "f5", "f20", "--json", "--hash"))
        #expect(single.map { $0["hash"] as? String } == [found[5]["hash"] as? String, found[20]["hash"] as? String])
    }

    /// Each frame of a range is decoded once.
    @Test func aRangeDecodesItsGroupsOnce() throws {
        let found = try rows(seek(clip("h264-bf3.mp4"), "first..last", "--json"))
        #expect(found.reduce(0) { $0 + ($1["decoded"] as? Int ?? 0) } <= 101)
    }

    @Test(arguments: [
        (["f60..f40"], "ends before it starts"), (["f0..f100"], "no frame 100"), (["f1...f3"], "not a range"),
        (["..f3"], "not a range"), (["f1.."], "not a range"), (["f1..f2..f3"], "not a range"),
        (["f1..x"], "not a position"),
        (["0", "-o", "a-%s.png"], "not a placeholder for a number"), (["0", "-o", "a-%999999999d.png"], "not a place"),
        (["0", "-o", "a-%5d.png"], "not a place"), (["0", "-o", "a%.png"], "not a place"),
        (["0", "-o", "%d-%d.png"], "several"),
        (["0", "-o", "a.raw", "--width", "9"], "raw"),
        (["0", "-o", "a.png", "--format", "jpeg"], "but --format is jpeg"),
        (["0", "-o", "a"], "does not name a picture format"), (["0", "--quality", "1000"], "use 1 to 100"),
        (["0", "--width", "0"], "use 1 to"), (["0", "--height=-1"], "use 1 to"),
        (["0", "-o", "/dev/null", "--format", "gif"], "gif"),
    ])
    func wrongUsageIsSaid(_ arguments: [String], _ reason: String) throws {
        let folder = try TemporaryFolder()
        let result = try Tool.run(
            "sh",
            ["-c", "cd \"$0\" && exec \"$@\"", folder.path, CommandTests.program, "seek", clip("h264-bf3.mp4")]
                + arguments + ["--no-cache"])
        #expect(result.status == 64 && result.errors.contains(reason), "\(result.errors)")
        #expect(folder.contents.isEmpty)
    }

    @Test func percentSignsAndFoldersThatHaveThem() throws {
        let folder = try TemporaryFolder()
        let result = try seek(clip("h264-bf3.mp4"), "f1", "f2", "-o", folder.path + "/50% off/100%%.webp")
        #expect(result.status == 0, "\(result.errors)")
        #expect(TemporaryFolder.names(folder.path + "/50% off") == ["100%-000001.webp", "100%-000002.webp"])
    }

    @Test func clampedIsSaidInJSON() throws {
        let found = try rows(seek(clip("h264-bf3.mp4"), "9s", "1s", "-1s..0.1s", "3.9s..1h", "--json", "--clamp"))
        #expect(found.map { $0["clamped"] as? Bool } == [true, nil, true, nil, nil, nil, nil, true])
    }

    /// High dynamic range is tone-mapped unless it is to be kept.
    @Test func highDynamicRangeIsKeptWhereItIsWanted() throws {
        let mapped = try seek(clip("colour-pq.mp4"), "0", "-o", "-").bytes
        let kept = try seek(clip("colour-pq.mp4"), "0", "-o", "-", "--keep-hdr").bytes
        #expect(mapped[24] == 8 && kept.range(of: Data("cICP".utf8)).map { kept[$0.upperBound + 1] } == 16)
        let wrong = try seek(clip("colour-pq.mp4"), "0", "-o", "-", "--keep-hdr", "--format", "jpeg")
        #expect(wrong.status == 64 && wrong.errors.contains("tone-map the picture"), "\(wrong.errors)")
    }

    /// The file's own timecode, by a QuickTime track, by a Matroska tag, drop-frame and not.
    @Test(arguments: [
        ("ntsc.mp4", "a.mov", "01:00:00;00"), ("ntsc.mp4", "a.mp4", "01:00:59;20"),
        ("ntsc.mp4", "a.mkv", "10:00:00;00"),
        ("h264-bf3.mp4", "a.mov", "00:59:59:20"), ("h264-bf3.mp4", "a.mkv", "23:59:59:00"),
        ("h264-bf3.mp4", "a.mxf", "00:00:10:00"),
    ])
    func theFilesTimecode(_ name: String, _ target: String, _ start: String) throws {
        let folder = try TemporaryFolder()
        let coding = target.hasSuffix("mxf") ? ["-c:v", "mpeg2video"] : ["-c", "copy"]
        let made = try Tool.run(
            "ffmpeg",
            ["-v", "error", "-i", clip(name), "-an"] + coding + ["-timecode", start, folder.path + "/" + target])
        #expect(made.status == 0, "\(made.errors)")
        let path = folder.path + "/" + target
        let all = try rows(seek(path, "first..f40", "--json"))
        #expect(all.first?["timecode"] as? String == start)
        for row in [all[1], all[12], all[40]] {
            let label = try #require(row["timecode"] as? String)
            let found = try #require(try rows(seek(path, label, "--json")).first)
            #expect(found["frame"] as? Int == row["frame"] as? Int, "\(label)")
            #expect(found["clamped"] == nil && found["timecode"] as? String == label)
        }
        // Saved with the index.
        let cache = try TemporaryFolder()
        for _ in 0..<2 {
            let result = try Tool.run(
                CommandTests.program, ["seek", path, "f3", "--json"], environment: ["SCRUB_CACHE_DIR": cache.path])
            #expect(try rows(result).first?["timecode"] as? String == all[3]["timecode"] as? String)
        }
    }

    @Test func invalidTimecodesAreReported() throws {
        for (name, text, reason) in [
            ("ntsc.mp4", "00:01:00;00", "does not exist"), ("h264-bf3.mp4", "00:00:01;00", "drop-frame"),
            ("vfr.mp4", "00:00:01:00", "variable"), ("h264-bf3.mp4", "00:00:00:25", "no frame 25"),
            ("h264-bf3.mp4", "24:00:00:00", "outside the video"), ("h264-bf3.mp4", "00:60:00:00", "not a timecode"),
        ] {
            let result = try seek(clip(name), text)
            #expect(result.status == 64 && result.errors.contains(reason), "\(result.errors)")
        }
        let plan = try Tool.run(
            CommandTests.program, ["plan", clip("h264-bf3.mp4"), "00:00:01:00", "--json", "--no-cache"])
        #expect(plan.output.contains("\"frame\":25"))
    }

    /// A unit is never followed by another one: `2m` was two milliseconds.
    @Test(arguments: [("2m", 1), ("1s", 4), ("1", 4), ("500ms", 8), ("0:02", 2), ("1h", 1)])
    func lengthsOfTimeHaveUnits(_ every: String, _ count: Int) throws {
        let result = try Tool.run(
            CommandTests.program,
            ["strip", clip("h264-bf3.mp4"), "--every", every, "--plan", "--json", "--no-cache"])
        let plan = try #require(JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
        #expect(plan["thumbnails"] as? Int == count, "\(result.output.prefix(300))")
    }

    /// A consumer that stops reading ends the work; a disk that takes nothing is an error of its own.
    @Test func closedAndFullOutputs() throws {
        let script = "\"$0\" seek \"$1\" first..last --json --no-cache | head -n 1"
        let closed = try Tool.run("sh", ["-c", script, CommandTests.program, clip("h264-bf3.mp4")])
        #expect(closed.output.split(separator: "\n").count == 1)
        for arguments in ["first..last --json", "f3 -o - --format rgb", "f3..f5 -o - --format raw"] {
            let full = try Tool.run(
                "sh",
                [
                    "-c", "\"$0\" seek \"$1\" \(arguments) --no-cache > /dev/full", CommandTests.program,
                    clip("h264-bf3.mp4"),
                ])
            #expect(full.status == 74, "\(arguments): \(full.errors)")
        }
    }

    /// The folders above an output are made by every command that writes one.
    @Test(arguments: [
        ["seek", "CLIP", "f1", "-o", "OUT/a.png"], ["seek", "CLIP", "f1", "-o", "OUT/"],
        ["poster", "CLIP", "-o", "OUT/a.jpg"], ["poster", "CLIP", "-o", "OUT/"],
        ["strip", "CLIP", "--count", "2", "-o", "OUT"], ["thumbs", "CLIP", "--profile", "web", "-o", "OUT"],
        ["gesture", "CLIP", "--made", "jump", "--seconds", "0.1", "--plot", "OUT/a.svg", "-o", "OUT/frames"],
        ["convert", "SET", "--to", "hls", "-o", "OUT"], ["bench", "CLIP", "--plot", "OUT/a.html"],
    ])
    func foldersAboveAnOutputAreMade(_ arguments: [String]) throws {
        let folder = try TemporaryFolder()
        if arguments.contains("SET") {
            let made = try Tool.run(
                CommandTests.program,
                ["strip", clip("h264-bf3.mp4"), "--every", "1", "--no-cache", "-o", folder.path + "/set"])
            #expect(made.status == 0, "\(made.errors)")
        }
        let real = arguments.map { word in
            word.replacingOccurrences(of: "OUT", with: folder.path + "/a/b/c")
                .replacingOccurrences(of: "SET", with: folder.path + "/set")
                .replacingOccurrences(of: "CLIP", with: clip("h264-bf3.mp4"))
        }
        let result = try Tool.run(CommandTests.program, real)
        #expect(result.status == 0, "\(result.errors)")
        #expect(!TemporaryFolder.names(folder.path + "/a/b/c").isEmpty)
    }
}
