import ScrubThumbnails
import ScrubTestClips
import Testing

/// A thumbnail shows a frame that is on screen while players show the thumbnail.
@Suite struct ThumbnailCueTests {
    private static let clips = [
        "h264-one-key.mp4", "h264-bf3.mp4", "h264-open-gop.mp4", "hevc-open-gop.mp4", "vp9-altref.webm",
        "mpeg2-open.ts", "vfr.mp4", "av1-svt.mp4",
    ]

    /// Whether a slot's frame is on screen at some time of the slot; the last one lasts to the end.
    private func isWithin(_ slot: ThumbnailPlan.Slot, _ asset: VideoAsset) -> Bool {
        let next =
            slot.frameNumber + 1 < asset.frames.count ? asset.time(ofFrame: slot.frameNumber + 1) : asset.duration
        return (slot.time < slot.end || slot.end == asset.duration) && next > slot.start
    }

    /// Key pictures are rarer than thumbnails, about as frequent, and more frequent.
    @Test(arguments: clips, [100, 300, 500, 1000, 2500])
    func seriesStayInTheirCues(_ file: String, _ milliseconds: Int64) throws {
        let asset = try KnownClip(file).asset
        let interval = Rational(milliseconds, 1000)
        let tolerances: [ThumbnailPlan.Request.Tolerance] = [
            .automatic, .within(interval), .within(Rational(60)), .within(Rational(1, 20)), .exact,
        ]
        let exact = try asset.thumbnailPlan(for: .init(.every(interval)))
        for tolerance in tolerances {
            let plan = try asset.thumbnailPlan(for: .init(.every(interval), tolerance: tolerance))
            for slot in plan.slots where !isWithin(slot, asset) {
                Issue.record("\(tolerance): \(slot.index) from \(slot.start) s shows \(slot.time) s")
            }
            #expect(plan.outsideCount == 0)
            #expect(plan.decodedPictureCount <= exact.decodedPictureCount + plan.slots.count)
            #expect(zip(plan.slots, plan.slots.dropFirst()).allSatisfy { $0.frameNumber <= $1.frameNumber })
        }
    }

    /// A key picture of the cue is taken, and nothing else decoded.
    @Test(arguments: clips, [300, 1000])
    func keyPicturesOfTheCueComeFirst(_ file: String, _ milliseconds: Int64) throws {
        let asset = try KnownClip(file).asset
        let interval = Rational(milliseconds, 1000)
        let keys = try asset.thumbnailPlan(for: .init(.every(interval), tolerance: .keyframe))
        let cheap = try asset.thumbnailPlan(for: .init(.every(interval), tolerance: .automatic))
        #expect(keys.decodedPictureCount == keys.frameCount)
        for (key, own) in zip(keys.slots, cheap.slots) {
            #expect(key.isOutside == !isWithin(key, asset))
            // Without a key picture in its cue it is outside, and `auto` decodes.
            if !key.isOutside, !own.isRepeat { #expect(key.frameNumber == own.frameNumber || key.isRepeat) }
        }
        #expect(keys.outsideCount == keys.slots.count(where: \.isOutside))
    }

    /// One key picture in 250: each cue but the first is decoded at `auto`, and `keyframe` says what it shows.
    @Test func rareKeyPicturesAreSaid() throws {
        let asset = try KnownClip("h264-one-key.mp4").asset
        let keys = try asset.thumbnailPlan(for: .init(.every(.one), tolerance: .keyframe))
        #expect(keys.outsideCount == keys.slots.count - 1)
        #expect(keys.approximationNote?.contains("\(keys.outsideCount) from outside the thumbnail's time span") == true)
        let cheap = try asset.thumbnailPlan(for: .init(.every(.one), tolerance: .automatic))
        #expect(cheap.repeatCount == 0 && cheap.slots.allSatisfy { $0.frameNumber == $0.requestedFrameNumber })
    }
}
