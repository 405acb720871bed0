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
    func say(json: Bool) { Terminal.print(json ? plan.json(of: frames, lead: lead, scenes: scenes).text : text) }

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
}
#endif
