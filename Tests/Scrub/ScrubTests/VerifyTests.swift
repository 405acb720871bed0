import Foundation
import Scrub
import ScrubTestClips
import ScrubTestSupport
import Testing

/// `scrub verify` and the library behind it.
@Suite struct VerifyTests {
    static let clips = [
        "h264-bf3.mp4", "h264-bf3.mkv", "h264-bf3.ts", "h264-open-gop.mp4", "h264-open-gop.mkv", "h264-open-gop.ts",
        "h264-intra-refresh.mp4", "h264-intra-refresh-b.mp4", "h264-mbaff.mp4", "h264-paff.mp4", "h264-paff.ts",
        "hevc-closed.mp4", "hevc-open-gop.mp4", "hevc-open-gop.mkv", "hevc-open-gop.ts", "hevc-temporal.mp4",
        "av1-svt.mp4", "av1-svt.webm", "av1-aom.mp4", "vp8-altref.webm", "vp9-altref.webm", "mpeg2-open.ts",
        "mpeg2-interlaced.vob", "mpeg2.mkv", "mpeg4-b.mp4", "mpeg4-packed.avi", "multi-stsd.mp4", "ffv1-gop.mkv",
    ]

    @Test(arguments: clips) func soundClipsAreProvenRight(_ file: String) throws {
        let clip = try KnownClip(file)
        var fractions: [Double] = []
        let report = try clip.asset.verify(sample: 24) { fractions.append($0.fraction ?? -1) }
        #expect(report.faults.isEmpty, "\(report.faults.prefix(4))")
        #expect(report.damagedFrameCount == 0)
        #expect(report.linearPictureCount == clip.hashes.count)
        #expect(report.orders == VideoAsset.VerificationOrder.allCases)
        // Four orders ask for the whole sample, one for a part of it.
        #expect(report.comparedFrameCount > 4 * min(24, clip.hashes.count))
        #expect(fractions == fractions.sorted() && fractions.last == 1)
    }

    @Test func onlyTheOrdersAskedForAreGoneThrough() throws {
        let clip = try KnownClip("h264-single.mp4")
        let report = try clip.asset.verify(orders: [.backward, .alone])
        #expect(report.orders == [.backward, .alone] && report.comparedFrameCount == 2 && report.faults.isEmpty)
    }

    @Test func theProgramTellsWhatWasCompared() throws {
        let files = ["h264-bf3.mp4", "av1-svt.mp4"].map { Clip.folder + "/clips/" + $0 }
        let result = try Tool.run(
            CommandTests.program,
            ["verify", "--json", "--no-cache", "--sample", "8", "--orders", "random,alone"] + files)
        #expect(result.status == 0, "\(result.errors)")
        let rows = try result.output.split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(rows.map { $0["file"] as? String } == files)
        for row in rows {
            #expect((row["pictures"] as? Int ?? 0) > 8)
            #expect(row["wrong"] as? Int == 0 && row["damaged"] as? Int == 0)
            #expect(row["orders"] as? [String] == ["random", "alone"])
            #expect((row["faults"] as? [Any])?.isEmpty == true)
        }
        #expect(rows.map { $0["frameCount"] as? Int } == [100, 120])
    }

    /// By the program: the instructions are set for a whole process.
    @Test(arguments: ["h264-bf3.mp4", "mpeg4-b.mp4", "damaged-h264.mp4", "damaged-mpeg2.mpg"])
    func threadsAndInstructionsChangeNothing(_ file: String) throws {
        let result = try Tool.run(
            CommandTests.program,
            [
                "verify", "--determinism", "--json", "--no-cache", "--sample", "2", "--orders", "forward",
                Clip.folder + "/clips/" + file,
            ])
        #expect(result.status == 0, "\(result.errors)")
        let row = try #require(JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
        let report = try #require(row["determinism"] as? [String: Any])
        #expect(report["differences"] as? Int == 0, "\(report["examples"] ?? "")")
        #expect((report["settings"] as? [Any])?.count == 9 && report["runs"] as? Int == 3)
        #expect((report["frames"] as? Int ?? 0) >= 64)
        // H.264 is made of whole numbers, and every decoder of it is bound to make the same.
        if file.contains("h264") { #expect(report["dependentFrames"] as? Int == 0) }
    }

    @Test(arguments: [["--orders", "sideways"], ["--orders", ""], ["--sample", "-1"], []])
    func wrongUsageIsSaid(_ arguments: [String]) throws {
        let file = arguments.isEmpty ? [] : [Clip.folder + "/clips/h264-single.mp4"]
        let result = try Tool.run(CommandTests.program, ["verify"] + arguments + file)
        #expect(result.status == 64 && result.output.isEmpty && !result.errors.isEmpty)
    }

    /// Damage is not a fault: such pictures are counted by their verdict.
    @Test func damageIsCountedApart() throws {
        let path = Clip.folder + "/clips/damaged-h264.mp4"
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
        let report = try asset.verify(orders: [.forward, .batch], sample: asset.frames.count)
        #expect(report.damagedFrameCount > 0 && report.damagedFrameCount < report.comparedFrameCount)
        #expect(report.faults.isEmpty, "\(report.faults.prefix(4))")
    }
}
