internal import ScrubBase

/// When a player shows previews of frames whose exact pictures are late.
package enum PreviewUse: Sendable, Hashable {
    case never
    /// Backward and faster than 1, when decoding may be too slow.
    case whenHard
    /// At every rate, because the presented pictures are no larger than previews.
    case always
}

// What is shown if the exact picture of the due frame is not available.
extension PlayerMachine {
    /// The time before a frame's own at which its preview is requested: enough for a packet in progress and the preview
    /// itself.
    private static var previewLead: ExactTime { ExactTime(12_000_000) }

    /// Whether previews are shown now. They are useless to a player without a clock, or whose clock waits for every
    /// frame.
    private var showsPreviews: Bool {
        guard policy == .drop else { return false }
        return switch previewUse {
        case .never: false
        case .whenHard: direction == .backward || rate.magnitude > .one
        case .always: true
        }
    }

    /// The treatment of a frame whose exact picture is not available.
    enum PreviewTurn {
        /// A picture was shown, or the passage has ended.
        case shown
        /// There is no work before a time of the clock; `nil` for no particular time.
        case wait(until: Int64?)
    }

    /// Requests the preview of the frame that is due next, or shows it when its time has come.
    mutating func awaitPreview(
        _ run: PlaybackRun<Item, Image>, _ anchor: TimebaseAnchor, at now: Int64,
        _ deliver: (MachinePresentation<Item, Image>) -> Acceptance
    ) -> PreviewTurn {
        guard showsPreviews, let shown = run.shownFrame else { return .wait(until: nil) }
        guard let following = run.frame(after: shown, by: run.stride, run.direction) else {
            // No frame follows the last frame's preview.
            guard run.isPreviewShown else { return .wait(until: nil) }
            turn(at: now)
            return .shown
        }
        if let preview = run.preview {
            let due = anchor.moment(of: run.dueTime(ofFrame: preview.frame)).roundedUp
            guard now >= due else { return .wait(until: due) }
            current?.preview = nil
            // No presenter accepts it, so the clock waits for the exact picture.
            guard deliver(presentation(preview, of: run, kind: .preview)) == .taken else { return .wait(until: nil) }
            counters.previews += 1
            counters.worstLateness = max(counters.worstLateness, now - due)
            current?.show(preview.frame, asPreview: true)
            return .shown
        }
        let due = anchor.moment(of: run.dueTime(ofFrame: following))
        let early = due.subtracting(Self.previewLead).roundedUp
        guard now >= early else { return .wait(until: early) }
        let frame = now > due.roundedUp ? dueFrame(of: run, from: shown, anchor, at: now) : following
        if run.askedPreview != frame {
            current?.askedPreview = frame
            current?.askedPreviewTime = now
            effects.append(.showPreview(run.lane, ticket: run.ticket, frame: frame))
        }
        return .wait(until: nil)
    }

    /// Returns the last frame whose time has come, in strides from the shown one, at least one stride on.
    private func dueFrame(
        of run: PlaybackRun<Item, Image>, from shown: Int, _ anchor: TimebaseAnchor, at now: Int64
    ) -> Int {
        let time = anchor.mediaTime(at: now)
        var frame = run.times.frame(at: time.units(timeBase: run.times.timeBase))
        // Backward, a frame leaves the screen when its own time begins.
        if run.direction == .backward, frame > 0, run.times.exact(run.times.start(ofFrame: frame)) >= time {
            frame -= 1
        }
        let distance = run.direction == .forward ? frame - shown : shown - frame
        let steps = max(1, distance / run.stride)
        return run.frame(after: shown, by: steps * run.stride, run.direction) ?? frame
    }

    /// Skips pictures that arrived after previews of later frames were shown.
    ///
    /// - Parameter count: the number of pictures at the start of the queue.
    mutating func leaveOutPassed(_ count: Int) {
        counters.late += count
        effects.append(.dropped(late: count, jumped: 0))
        current?.queue.removeFirst(count)
        resumeIfRoom()
    }

    /// Replaces a preview with the exact picture, once playback has stopped.
    mutating func replacePreview(at now: Int64) {
        guard let run = current, run.isPreviewShown, !run.awaitsFirst, let shown = run.shownFrame else { return }
        begin(shown, time: position, at: now)
    }
}
