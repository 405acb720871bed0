internal import ScrubBase

/// One passage through an item: from a start, in one direction, with one lane.
struct PlaybackRun<Item: Hashable & Sendable, Image: Sendable>: Sendable {
    var source: MachineItem<Item>
    /// The lane that decodes it.
    var lane: Int
    var ticket: Int
    var direction: PlaybackDirection
    var stride: Int
    /// The frame at which it began; `nil` if there is none in that direction.
    var firstFrame: Int?
    /// The maximum number of pictures that wait to be presented.
    var queueLimit: Int
    /// The frame at which decoding continues when there is room. Frames from there on were dropped.
    var parkedFrame: Int?
    /// Pictures whose time has not come yet, in playback order.
    var queue: [FedPicture<Image>] = []
    /// Whether every frame is in the queue or was presented.
    var isComplete = false
    /// Whether the lane stopped because the queue was full.
    var isLaneFull = false
    /// Whether there was no memory for the next picture.
    var isStarved = false
    /// Whether the lane was told that its decoder is not needed.
    var isLaneStopped = false
    /// Whether the look-ahead found no free decoder.
    var isWithoutDecoder = false
    /// Whether it began while another item was current.
    var isLookAhead = false
    /// Whether the first picture must be shown as soon as it is available, whatever the clock says.
    var awaitsFirst = true
    /// The requested time of the medium, if it is not the first frame's own.
    var startTime: ExactTime?
    /// The last frame that was presented, itself or as a preview.
    var shownFrame: Int?
    /// Whether that frame's preview is shown.
    var isPreviewShown = false
    /// The frame whose preview was last requested since a picture was shown.
    var askedPreview: Int?
    /// The time of that request; `nil` once it is answered.
    var askedPreviewTime: Int64?
    /// A preview that was delivered before its time.
    var preview: FedPicture<Image>?
    var error: ScrubError?

    var times: any FrameTimes { source.times }
    var item: Item { source.item }

    /// Returns the time at which a frame appears on screen, in the playback direction: its start, or its end when
    /// playing backward.
    func dueTime(ofFrame number: Int) -> ExactTime {
        times.exact(direction == .forward ? times.start(ofFrame: number) : times.end(ofFrame: number))
    }

    /// Returns the time at which a frame leaves the screen.
    func leaveTime(ofFrame number: Int) -> ExactTime {
        times.exact(direction == .forward ? times.end(ofFrame: number) : times.start(ofFrame: number))
    }

    /// The end time of the passage.
    var endTime: ExactTime {
        direction == .forward ? times.exact(times.end(ofFrame: times.frameCount - 1)) : ExactTime(0)
    }

    /// The start time of the passage, as far as it is known.
    var beginTime: ExactTime { startTime ?? firstFrame.map { dueTime(ofFrame: $0) } ?? ExactTime(0) }

    /// The medium's time from the first waiting picture to the end of the last one.
    var bufferedTime: ExactTime {
        guard let first = queue.first, let last = queue.last else { return ExactTime(0) }
        return leaveTime(ofFrame: last.frame).subtracting(dueTime(ofFrame: first.frame)).magnitude
    }

    /// Returns the frame at a distance in playback order, which may have reversed since the run began; `nil` beyond the
    /// ends.
    func frame(after number: Int, by distance: Int, _ direction: PlaybackDirection) -> Int? {
        let (frame, overflow) = number.addingReportingOverflow(direction == .forward ? distance : -distance)
        return !overflow && (0..<times.frameCount).contains(frame) ? frame : nil
    }

    /// Records the frame that is shown.
    mutating func show(_ frame: Int, asPreview isPreview: Bool = false) {
        (shownFrame, isPreviewShown) = (frame, isPreview)
        (askedPreview, askedPreviewTime, preview) = (nil, nil, nil)
    }

    /// Takes over what an earlier run shows, and continues after it.
    mutating func goOn(after earlier: PlaybackRun) {
        (shownFrame, isPreviewShown, awaitsFirst) = (earlier.shownFrame, earlier.isPreviewShown, false)
    }

    /// Returns whether frames between the shown one and a later one are missing after a jump.
    func leavesOut(before number: Int) -> Bool {
        guard let shown = shownFrame else { return false }
        return (direction == .forward ? number - shown : shown - number) > stride
    }

    /// Returns whether a preview of a later frame is shown, so that this frame would be a step back.
    func isPassed(_ number: Int) -> Bool {
        guard isPreviewShown, let shown = shownFrame else { return false }
        return direction == .forward ? number < shown : number > shown
    }

    /// Whether the lane should continue.
    var hasRoom: Bool { queue.count < queueLimit && !isComplete }
}

extension FrameTimes {
    /// Returns an exact time from the medium's units.
    func exact(_ units: Int64) -> ExactTime { ExactTime(units, timeBase: timeBase) }
}
