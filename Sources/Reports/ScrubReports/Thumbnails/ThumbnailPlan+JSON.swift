package import ScrubBase
package import ScrubMedia
package import ScrubThumbnails

extension ThumbnailPlan {
    /// Returns the plan for programs.
    ///
    /// - Parameters:
    ///   - frames: the film's frames, for their times.
    ///   - lead: the players' time at the first frame, if slots count in that time.
    ///   - scenes: the result of the scene search, if there was one.
    package func json(
        of frames: PresentedFrames, lead: Rational = .zero, scenes: VideoScene.Report? = nil
    ) -> JSONText {
        var line = JSONText()
        line.add("thumbnails", slots.count)
        line.add("frames", frameCount)
        line.add("decoded", decodedPictureCount)
        line.add("bytes", byteCount)
        line.add("groups", groupCount)
        line.add("repeats", repeatCount)
        line.add("tolerance", tolerance.name)
        line.add("approximate", approximateCount)
        line.add("farthest", maximumDistance.doubleValue)
        line.add("outside", outsideCount)
        if let scenes { line.add("decodedForScenes", scenes.decodedPictureCount) }
        line.add(
            "slots",
            .array(
                slots.map { slot in
                    var entry = JSONText()
                    entry.add("index", slot.index)
                    entry.add("start", decimal: TimeText(slot.start.adding(lead) ?? slot.start).seconds)
                    entry.add("requested", decimal: TimeText(slot.requestedTime).seconds)
                    entry.add("seconds", decimal: frames[slot.frameNumber].secondsText)
                    entry.add("frame", slot.frameNumber)
                    entry.add("exact", slot.frameNumber == slot.requestedFrameNumber)
                    entry.add("repeat", slot.isRepeat)
                    return .object(entry)
                }))
        return line
    }
}
