internal import ScrubBase

/// One passage through an item: from a start, in one direction, out of one lane.
struct MachineRun<Item: Hashable & Sendable, Image: Sendable>: Sendable {
    var source: MachineItem<Item>
    /// Which lane decodes it.
    var lane: Int
    var ticket: Int
    var direction: PlaybackDirection
    var stride: Int
    /// The frame at which it was begun; `nil` if there is none in that direction.
    var firstFrame: Int?
    /// The most pictures that wait to be presented.
    var queueLimit: Int
    /// The frame that decoding goes on with when there is room: those from there on were dropped.
    var parkedFrame: Int?
    /// Pictures whose time has not come, in play order.
    var queue: [FedPicture<Image>] = []
    /// Every frame is in the queue or was presented.
    var isComplete = false
    /// The lane stopped because the queue was full.
    var isLaneFull = false
    /// There was no memory for the next picture.
    var isStarved = false
    /// The lane was told that its decoder is not needed.
    var isLaneStopped = false
    /// The look-ahead found no free decoder.
    var isWithoutDecoder = false
    /// It was begun while another item was the current one.
    var isLookAhead = false
    /// The first picture has to be shown as soon as it is there, whatever the clock says.
    var awaitsFirst = true
    /// The time of the medium that was asked for, when it is not the first frame's own.
    var startTime: ExactTime?
    /// The last frame that was presented, or whose preview was.
    var shownFrame: Int?
    /// Whether of that frame its preview is shown.
    var isPreviewShown = false
    /// The frame whose preview was asked for last, since a picture was shown.
    var askedPreview: Int?
    /// When that was; `nil` once it is answered.
    var askedPreviewTime: Int64?
    /// A preview that came, until its time.
    var preview: FedPicture<Image>?
    var error: ScrubError?

    var times: any FrameTimes { source.times }
    var item: Item { source.item }

    /// Returns the time at which a frame takes the screen, in the direction of play: its start, or backward its end.
    func dueTime(ofFrame number: Int) -> ExactTime {
        times.exact(direction == .forward ? times.start(ofFrame: number) : times.end(ofFrame: number))
    }

    /// Returns the time at which a frame leaves the screen.
    func leaveTime(ofFrame number: Int) -> ExactTime {
        times.exact(direction == .forward ? times.end(ofFrame: number) : times.start(ofFrame: number))
    }

    /// The end of the passage.
    var endTime: ExactTime {
        direction == .forward ? times.exact(times.end(ofFrame: times.frameCount - 1)) : ExactTime(0)
    }

    /// The beginning, as far as it is known.
    var beginTime: ExactTime { startTime ?? firstFrame.map { dueTime(ofFrame: $0) } ?? ExactTime(0) }

    /// Time of the medium from the first picture that waits to the end of the last one.
    var bufferedTime: ExactTime {
        guard let first = queue.first, let last = queue.last else { return ExactTime(0) }
        return leaveTime(ofFrame: last.frame).subtracting(dueTime(ofFrame: first.frame)).magnitude
    }

    /// Returns a frame at a distance in play order, which may have turned since the run began; `nil` beyond the ends.
    func frame(after number: Int, by distance: Int, _ direction: PlaybackDirection) -> Int? {
        let (frame, overflow) = number.addingReportingOverflow(direction == .forward ? distance : -distance)
        return !overflow && (0..<times.frameCount).contains(frame) ? frame : nil
    }

    /// Notes the frame that is shown.
    mutating func show(_ frame: Int, asPreview isPreview: Bool = false) {
        (shownFrame, isPreviewShown) = (frame, isPreview)
        (askedPreview, askedPreviewTime, preview) = (nil, nil, nil)
    }

    /// Takes over what an earlier run has on screen, and goes on after it.
    mutating func goOn(after earlier: MachineRun) {
        (shownFrame, isPreviewShown, awaitsFirst) = (earlier.shownFrame, earlier.isPreviewShown, false)
    }

    /// Whether frames between the one that is shown and a later one do not come, after a jump.
    func leavesOut(before number: Int) -> Bool {
        guard let shown = shownFrame else { return false }
        return (direction == .forward ? number - shown : shown - number) > stride
    }

    /// Whether a preview of a later frame is shown: this one would be a step back.
    func isPassed(_ number: Int) -> Bool {
        guard isPreviewShown, let shown = shownFrame else { return false }
        return direction == .forward ? number < shown : number > shown
    }

    /// Whether the lane should go on.
    var hasRoom: Bool { queue.count < queueLimit && !isComplete }
}

extension FrameTimes {
    /// Returns a time in the medium's units, exactly.
    func exact(_ units: Int64) -> ExactTime { ExactTime(units, timeBase: timeBase) }
}
