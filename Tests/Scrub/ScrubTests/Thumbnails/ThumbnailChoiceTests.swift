import Foundation
import Scrub
import ScrubThumbnails
import ScrubTestClips
import ScrubTestSupport
import Testing

/// The choice of a picture for a time when it need not be the one of that time. The command line's view of places and
/// sizes is tested, too.
@Suite struct ThumbnailChoiceTests {
    /// Automatic: nothing farther than half an interval, no picture twice, and key pictures alone where they are near
    /// enough.
    @Test(
        arguments: [
            "h264-one-key.mp4", "h264-bf3.mp4", "hevc-open-gop.mp4", "vp9-altref.webm", "mpeg2-open.ts", "vfr.mp4",
        ],
        [2, 5, 9, 23])
    func automaticKeepsToItsInterval(_ file: String, _ count: Int) throws {
        let asset = try KnownClip(file).asset
        let plan = try asset.thumbnailPlan(for: ThumbnailPlan.Request(.count(count), tolerance: .automatic))
        let exact = try asset.thumbnailPlan(for: ThumbnailPlan.Request(.count(count)))
        let keys = try asset.thumbnailPlan(for: ThumbnailPlan.Request(.count(count), tolerance: .keyframe))
        let half = try #require(asset.duration.multiplied(by: Rational(1, Int64(2 * count))))
        for slot in plan.slots where slot.frameNumber != slot.requestedFrameNumber {
            #expect(try #require(slot.time.subtracting(slot.requestedTime)).magnitude <= half)
        }
        #expect(
            plan.maximumDistance <= half
                && plan.approximateCount == plan.slots.count { $0.frameNumber != $0.requestedFrameNumber })
        #expect(plan.repeatCount <= exact.repeatCount, "only frames that last longer than an interval come twice")
        #expect(plan.decodedPictureCount <= exact.decodedPictureCount)
        let isDense = keys.repeatCount == 0 && keys.maximumDistance <= half
        if isDense { #expect(plan.decodedPictureCount == keys.decodedPictureCount) }
        #expect(zip(plan.slots, plan.slots.dropFirst()).allSatisfy { $0.frameNumber <= $1.frameNumber })
    }

    /// With seconds a picture that was just shown is not shown again where another is near and cheap; the promise is
    /// kept.
    @Test(arguments: ["h264-one-key.mp4", "h264-bf3.mp4", "hevc-open-gop.mp4"], [200, 500, 2000])
    func repeatsAreAvoided(_ file: String, _ milliseconds: Int64) throws {
        let asset = try KnownClip(file).asset
        let tolerance = Rational(milliseconds, 1000)
        let near = try asset.thumbnailPlan(for: ThumbnailPlan.Request(.count(20), tolerance: .within(tolerance)))
        let keys = try asset.thumbnailPlan(for: ThumbnailPlan.Request(.count(20), tolerance: .keyframe))
        #expect(near.maximumDistance <= tolerance)
        #expect(keys.repeatCount > 0 && near.repeatCount < keys.repeatCount)
        // What is shown twice all the same is said.
        for (before, slot) in zip(near.slots, near.slots.dropFirst()) {
            #expect(slot.isRepeat == (before.frameNumber == slot.frameNumber))
        }
    }

    private func scratch() throws -> TemporaryFolder { try TemporaryFolder() }
    private let clip = Clip.folder + "/clips/h264-bf3.mp4"

    private func run(_ arguments: [String]) throws -> (status: Int32, object: [String: Any], errors: String) {
        let result = try Tool.run(CommandTests.program, arguments + ["--no-cache"])
        let object = (try? JSONSerialization.jsonObject(with: result.bytes)) as? [String: Any]
        return (result.status, object ?? [:], result.errors)
    }

    /// Positions in all their forms, by time, each once.
    @Test func positions() throws {
        let folder = try scratch()
        let asset = try KnownClip("h264-bf3.mp4").asset
        let last = asset.frames.count - 1
        let wanted = ["last", "f3", "25%", "0.5s", "#3", "first", "0:00.200", "f-2"]
        let numbers = try wanted.map { try asset.presentedFrame(at: FramePosition($0)).number }
        let made = try run(["strip", clip, "--at", wanted.joined(separator: ","), "-o", folder.path + "/a", "--json"])
        #expect(made.status == 0, "\(made.errors)")
        let thumbnails = try #require(made.object["thumbnails"] as? [[String: Any]])
        #expect(thumbnails.compactMap { $0["frame"] as? Int } == Set(numbers).sorted())
        #expect(thumbnails.allSatisfy { $0["verdict"] as? String == "exact" })
        #expect(thumbnails.first?["start"] as? Double == 0 && numbers.contains(last))
        #expect(try run(["thumbs", clip, "--at", "f1,f-1", "--profile", "web", "-o", folder.path + "/c"]).status == 0)
        #expect(
            try run(["thumbs", clip, "--at", "f1,f-1", "--profile", "roku", "-o", folder.path + "/d"]).status == 64)
        for wrong in ["", "f1,", "f1;f2", "f100000", "nowhere"] {
            #expect(try run(["strip", clip, "--at", wrong, "--plan"]).status == 64, "'\(wrong)'")
        }
    }

    /// A box, a height and a width: the picture is inside, its shape is kept, and sides that follow are even.
    @Test(arguments: ["h264-bf3.mp4", "rotate-90.mp4", "h264-sar-2-1.mp4"])
    func boxes(_ file: String) throws {
        let folder = try scratch()
        let path = Clip.folder + "/clips/" + file
        var reader = FrameReader(try KnownClip(file).asset)
        let full = try #require(try reader.frame(at: .first).picture).png()
        let shape = Double(full.width) / Double(full.height)
        let asked: [([String], ThumbnailPlan.Size)] = [
            (["--width", "100x60"], .maximum(width: 100, height: 60)),
            (["--width", "60x100"], .maximum(width: 60, height: 100)),
            (["--height", "50"], .height(50)),
            (["--width", "64", "--height", "64"], .maximum(width: 64, height: 64)), (["--width", "90"], .width(90)),
        ]
        for (number, (arguments, size)) in asked.enumerated() {
            let made = try run(["strip", path, "--at", "f5", "-o", folder.path + "/\(number)", "--json"] + arguments)
            #expect(made.status == 0, "\(made.errors)")
            let width = try #require(made.object["tileWidth"] as? Int)
            let height = try #require(made.object["tileHeight"] as? Int)
            #expect(width % 2 == 0 && height % 2 == 0)
            #expect(width <= size.width ?? .max && height <= size.height ?? .max)
            #expect(abs(Double(width) - Double(height) * shape) <= 2 * max(1, shape), "\(width) x \(height)")
            #expect(width == size.width || height == size.height, "as large as the box allows")
        }
        let both = try Tool.run(
            CommandTests.program,
            ["strip", path, "--at", "f5", "--width", "40,100x60", "-o", folder.path + "/two", "--no-cache"])
        #expect(both.status == 0 && TemporaryFolder.names(folder.path + "/two") == ["100x60", "40"])
        for wrong in [
            ["--width", "x60"], ["--width", "40x"], ["--width", "8x60"], ["--width", "40x50", "--height", "9"],
        ] {
            #expect(try run(["strip", path, "--at", "f5", "-o", folder.path + "/no"] + wrong).status == 64, "\(wrong)")
        }
    }

    /// Plans and outputs tell the tolerance, inexact thumbnails, and doubled ones.
    @Test func plansAndOutputsNameTheirLimits() throws {
        let folder = try scratch()
        let keys = try run([
            "strip", clip, "--count", "30", "--tolerance", "keyframe", "-o", folder.path + "/a", "--json",
        ])
        let thumbnails = try #require(keys.object["thumbnails"] as? [[String: Any]])
        let repeats = thumbnails.count { $0["repeat"] as? Bool == true }
        #expect(repeats > 0)
        let text = try Tool.run(
            CommandTests.program,
            ["strip", clip, "--count", "30", "--tolerance", "keyframe", "-o", folder.path + "/b", "--no-cache"])
        #expect(text.output.contains("\(repeats) show the same picture"))
        let plan = try run(["strip", clip, "--count", "30", "--tolerance", "keyframe", "--plan", "--json"])
        #expect(plan.object["repeats"] as? Int == repeats && plan.object["tolerance"] as? String == "keyframe")
        let sets = try run(
            [
                "thumbs", clip, "--count", "30", "--tolerance", "keyframe", "--profile", "web", "-o",
                folder.path + "/c", "--json",
            ])
        #expect(sets.object["repeats"] as? Int == repeats && sets.object["tolerance"] as? String == "keyframe")
        #expect(sets.errors.contains("\(repeats) of 30 thumbnails show the same picture"))
        // Stand-ins for slow pages, the same for the same picture.
        let written = try String(contentsOfFile: folder.path + "/c/web/manifest.json", encoding: .utf8)
        let manifest = try Storyboard.JSON.storyboard(parsing: written)
        for (before, thumbnail) in zip(manifest.thumbnails, manifest.thumbnails.dropFirst()) {
            let hash = try #require(thumbnail.thumbHash)
            #expect(Data(base64Encoded: hash).map { (6...25).contains($0.count) } == true && thumbnail.blurHash != nil)
            if thumbnail.isRepeat { #expect(hash == before.thumbHash) }
        }
        // What each command takes by default.
        #expect(try run(["strip", clip, "--plan", "--json"]).object["tolerance"] as? String == "exact")
        let standard = try run(["thumbs", clip, "--profile", "web", "--plan", "--json"])
        #expect(standard.object["tolerance"] as? String == "auto" && standard.object["repeats"] as? Int == 0)
    }
}
