#if CommandLine
internal import ScrubReports
internal import Scrub
internal import ScrubThumbnails
internal import ScrubBase

/// A thumbnail plan, for people and programs.
struct ThumbnailPlanText {
    let plan: ThumbnailPlan
    /// The players' time at the first frame, if slots count in that time.
    var lead = Rational.zero
    /// The film's frames, for their times.
    let frames: PresentedFrames
    /// The result of the scene search, if there was one.
    let scenes: VideoScene.Report?

    /// Prints it.
    func say(json: Bool) { Terminal.print(json ? self.json : text) }

    private var text: String {
        var parts = [
            "\(Amount.of(plan.slots.count, "thumbnail")) from \(Amount.of(plan.frameCount, "frame")): \(Amount.of(plan.decodedPictureCount, "picture")) to decode, "
                + "\(Amount.of(plan.byteCount, "byte")) in \(Amount.of(plan.groupCount, "group")), \(Amount.of(plan.repeatCount, "repeat"))",
            "tolerance \(plan.tolerance.name)" + (plan.approximationNote.map { ": \($0)" } ?? ""),
        ]
        if let scenes {
            parts.append(
                "\(Amount.of(scenes.decodedPictureCount, "picture was", "pictures were")) decoded to find the scenes")
        }
        return parts.joined(separator: "; ")
    }

    private var json: String {
        var line = JSONText()
        line.add("thumbnails", plan.slots.count)
        line.add("frames", plan.frameCount)
        line.add("decoded", plan.decodedPictureCount)
        line.add("bytes", plan.byteCount)
        line.add("groups", plan.groupCount)
        line.add("repeats", plan.repeatCount)
        line.add("tolerance", plan.tolerance.name)
        line.add("approximate", plan.approximateCount)
        line.add("farthest", plan.farthest.approximation)
        line.add("outside", plan.outsideCount)
        if let scenes { line.add("decodedForScenes", scenes.decodedPictureCount) }
        line.add(
            "slots",
            .array(
                plan.slots.map { slot in
                    var entry = JSONText()
                    entry.add("index", slot.index)
                    entry.add("start", decimal: TimeText(slot.start.adding(lead) ?? slot.start).seconds)
                    entry.add("requested", decimal: TimeText(slot.requested).seconds)
                    entry.add("seconds", decimal: frames[slot.frame].secondsText)
                    entry.add("frame", slot.frame)
                    entry.add("exact", slot.frame == slot.requestedFrame)
                    entry.add("repeat", slot.isRepeat)
                    return .object(entry)
                }))
        return line.text
    }
}
#endif
