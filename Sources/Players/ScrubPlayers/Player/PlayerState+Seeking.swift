internal import ScrubPlayersLogic
internal import ScrubBase
internal import ScrubMedia

// Seeks to a position of the current item, kept until it is loaded.
extension PlayerState {
    mutating func seek(to position: FramePosition, number: Int, at now: Int64) {
        leaveEnd(at: now)
        guard let item = playlist.currentItem, let loaded = loaded[item.id] else {
            endWish(.superseded)
            wish = playlist.currentItem.map { Wish(item: $0.id, position: position, number: number) }
            if wish == nil, let waiting = seeks.removeValue(forKey: number) {
                jobs.append(.endSeeks([(waiting, .abandoned)]))
            }
            if let item = playlist.currentItem, failures[item.id] == nil { load(item) }
            return
        }
        guard let frame = try? loaded.asset.presentedFrame(nearest: position).number else {
            if let waiting = seeks.removeValue(forKey: number) { jobs.append(.endSeeks([(waiting, .abandoned)])) }
            return
        }
        let time: ExactTime? =
            if case .frame = position.kind { nil } else {
                exact(loaded.asset.requestedTime(of: position, frame: frame))
            }
        seek(to: frame, time: time, of: item.id, loaded, number: number, at: now)
    }

    /// Steps forward or backward by a number of frames within the current item.
    mutating func step(by count: Int, number: Int, at now: Int64) {
        leaveEnd(at: now)
        guard let item = playlist.currentItem, let loaded = loaded[item.id] else { return }
        let shown = machine.situation(at: now).frame ?? 0
        let (sum, overflow) = shown.addingReportingOverflow(count)
        let frame = overflow ? (count < 0 ? 0 : Int.max) : sum
        seek(
            to: min(max(frame, 0), loaded.asset.frames.count - 1), time: nil, of: item.id, loaded, number: number,
            at: now)
    }

    private mutating func seek(
        to frame: Int, time: ExactTime?, of item: PlayerItem.ID, _ loaded: Loaded, number: Int, at now: Int64
    ) {
        begun[number] = Begun(
            item: item, frame: frame, time: time?.seconds ?? loaded.asset.frames[frame].time, at: now,
            from: position(at: now))
        machine.seek(to: frame, time: time, number: number, at: now)
    }

    /// Leaves the end after a seek back from it. The player stays paused in the list's item until it is told to play,
    /// whatever interrupted it last.
    private mutating func leaveEnd(at now: Int64) {
        if machine.hasEnded || playlist.isEnded { machine.pause(at: now) }
        guard playlist.isEnded, let item = playlist.currentItem, failures[item.id] == nil else { return }
        playlist.reopen()
        if machine.situation(at: now).item != item.id { setCurrent(place: nil, at: now) }
    }

    mutating func note(_ number: Int, _ outcome: SeekOutcome, decoded: Int, at now: Int64) {
        guard let seek = begun.removeValue(forKey: number), outcome != .abandoned else { return }
        let isLanded = outcome == .landed
        jobs.append(
            .log(
                AccessLog.Entry(
                    time: now, item: seek.item,
                    kind: .seek(
                        AccessLog.Entry.Seek(
                            requestedFrame: seek.frame, requestedTime: seek.time,
                            actualFrame: isLanded ? seek.frame : nil,
                            actualTime: isLanded ? loaded[seek.item]?.asset.frames[seek.frame].time : nil,
                            latency: .nanoseconds(max(0, now - seek.at)), decodedPictureCount: decoded,
                            isCacheHit: isLanded && decoded == 0, isSuperseded: outcome == .superseded)))))
    }

    private func exact(_ seconds: Rational) -> ExactTime { ExactTime(1, timeBase: .one).scaled(by: seconds) }
}
