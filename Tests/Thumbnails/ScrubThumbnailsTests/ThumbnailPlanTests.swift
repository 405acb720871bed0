import ScrubThumbnails
import ScrubTestClips
import Testing

@Suite struct ThumbnailPlanTests {
    /// Number i of n stands for the middle of its part; the parts follow each other and end with the film.
    @Test(arguments: ["h264-bf3.mp4", "vfr.mp4", "elst-two.mp4", "av1-svt.mp4", "mpeg2-open.ts"], [1, 2, 7, 100])
    func evenlySpaced(_ file: String, _ count: Int) throws {
        let clip = try KnownClip(file)
        let plan = try clip.asset.thumbnailPlan(for: ThumbnailPlan.Request(.count(count)))
        #expect(plan.slots.map(\.index) == Array(0..<count))
        let duration = clip.asset.duration
        for slot in plan.slots {
            let middle = duration.multiplied(by: Rational(Int64(2 * slot.index + 1), Int64(2 * count)))
            #expect(slot.requestedTime == middle)
            #expect(slot.frameNumber == slot.requestedFrameNumber)
            // The frame is on screen at that time.
            #expect(slot.time <= slot.requestedTime)
            if slot.frameNumber + 1 < clip.asset.frames.count {
                #expect(clip.asset.time(ofFrame: slot.frameNumber + 1) > slot.requestedTime)
            }
        }
        #expect(plan.slots.first?.start == .zero && plan.slots.last?.end == duration)
        #expect(zip(plan.slots, plan.slots.dropFirst()).allSatisfy { $0.end == $1.start })
        #expect(plan.decodedPictureCount >= plan.frameCount && plan.byteCount > 0)
    }

    /// With an interval number i stands for i intervals; the last part may be shorter.
    @Test func everySoOften() throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let plan = try clip.asset.thumbnailPlan(for: ThumbnailPlan.Request(.every(Rational(3, 10))))
        for slot in plan.slots { #expect(slot.requestedTime == Rational(Int64(slot.index) * 3, 10)) }
        #expect(plan.slots.last.map { $0.requestedTime < clip.asset.duration } == true)
        #expect(plan.slots.last?.end == clip.asset.duration)
    }

    /// At keyframe tolerance every picture stands alone, and no key picture lies nearer to the time.
    @Test(arguments: ["h264-bf3.mp4", "h264-open-gop.mp4", "hevc-open-gop.mp4", "vp9-altref.webm", "av1-svt.mp4"])
    func keyframesAreTheNearest(_ file: String) throws {
        let clip = try KnownClip(file)
        let plan = try clip.asset.thumbnailPlan(for: ThumbnailPlan.Request(.count(23), tolerance: .keyframe))
        #expect(plan.decodedPictureCount == plan.frameCount)
        var reader = FrameReader(clip.asset)
        let keys = clip.frames.filter { reader.decodeCost(ofFrame: $0) == 1 && clip.asset.frames[$0].isKeyframe }
        for slot in plan.slots {
            let own = abs(slot.time.doubleValue - slot.requestedTime.doubleValue)
            for key in keys {
                #expect(
                    own <= abs(clip.asset.time(ofFrame: key).doubleValue - slot.requestedTime.doubleValue) + 1e-9)
            }
        }
        #expect(plan.repeatCount == plan.slots.count - Set(plan.slots.map(\.frameNumber)).count)
    }

    /// A tolerance in seconds is kept, and never costs more than exactness.
    @Test(arguments: ["h264-one-key.mp4", "h264-bf3.mp4", "hevc-open-gop.mp4"], [0, 100, 500, 5000])
    func toleranceIsKept(_ file: String, _ milliseconds: Int64) throws {
        let clip = try KnownClip(file)
        let tolerance = Rational(milliseconds, 1000)
        let near = try clip.asset.thumbnailPlan(for: ThumbnailPlan.Request(.count(9), tolerance: .within(tolerance)))
        let exact = try clip.asset.thumbnailPlan(for: ThumbnailPlan.Request(.count(9)))
        for slot in near.slots where slot.frameNumber != slot.requestedFrameNumber {
            #expect(abs(slot.time.doubleValue - slot.requestedTime.doubleValue) <= tolerance.doubleValue + 1e-9)
        }
        #expect(near.decodedPictureCount <= exact.decodedPictureCount)
    }

    @Test func impossibleRequestsAreRefused() throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let requests: [ThumbnailPlan.Request.Positions] = [
            .count(0), .count(-1), .count(1 << 40), .every(.zero), .every(Rational(1, 1 << 40)), .at([]),
            .at([.frame(100_000)]),
        ]
        for places in requests {
            let error = #expect(throws: ScrubError.self) {
                try clip.asset.thumbnailPlan(for: ThumbnailPlan.Request(places))
            }
            #expect(error?.code == .usage)
        }
    }
}
