internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex

/// The work of a ``FrameWorker``'s thread: requests in the order in which they came, and between them the frames that
/// will be asked for next. One turn is about one packet where no caller waits.
///
/// Use from one thread.
final class FrameWorkerLoop: TurnWork {
    private let queue: Locked<FrameWorker.Queue>
    private let engine: FrameEngine
    private let asset: VideoAsset
    private let share: GeneratorShare?
    private var chooser: ToleranceChooser
    private var canPrefetch = false
    /// What rows have decoded; `nil` for a worker without rows.
    private let rowFrames: RowFrames?
    /// The row that brings the frame after the last one.
    private var row: FrameRow?

    init(
        _ queue: Locked<FrameWorker.Queue>, _ engine: FrameEngine, _ asset: VideoAsset, _ share: GeneratorShare?,
        _ rowFrames: RowFrames?
    ) {
        (self.queue, self.engine, self.asset, self.share, self.rowFrames) = (queue, engine, asset, share, rowFrames)
        chooser = ToleranceChooser(asset, engine.planner)
    }

    /// Without a thread no decoder of the share is open.
    func fail(_ error: ScrubError) {
        let requests = queue.exchange(\.requests, for: [])
        share?.seat.abandon()
        for request in requests { request.fail(error) }
    }

    /// Answers what is left with a cancellation, and gives back what is shared: no request waits for ever, whatever was
    /// released first.
    func end() {
        for request in queue.withLock({ $0.requests }) { request.cancel() }
        row?.close()
        guard let share else { return }
        engine.closeDecoders()
        share.leave()
    }

    func turn() -> NextTurn {
        share?.yield(engine)
        let hasRequests = queue.withLock { queue in
            if share != nil { queue.requests.removeAll(where: \.isOver) }
            return !queue.requests.isEmpty
        }
        // It is rung for when there is a decoder.
        if hasRequests, let share, !share.seat.take() { return idle }
        let (request, seen) = queue.withLock { queue -> (FrameWorker.Request?, Int?) in
            defer { queue.seen = nil }
            queue.isAnswering = !queue.requests.isEmpty
            return (queue.requests.isEmpty ? nil : queue.requests.removeFirst(), queue.seen)
        }
        if let seen {
            engine.note(frame: seen)
            canPrefetch = true
        }
        if let request {
            answer(request)
            share?.seat.noteProgress()
            return .now
        }
        return row == nil ? prefetch() : prefetchRow()
    }

    /// What comes when there is nothing to do, or no decoder for it.
    private var idle: NextTurn { share?.seat.isSeated == false ? .whenRung : .rest(atMost: nil) }

    private func prefetch() -> NextTurn {
        guard canPrefetch else {
            share?.seat.rest()
            return idle
        }
        // What is decoded ahead waits for no decoder.
        if let share, !share.seat.takeAhead() { return idle }
        // Trouble ahead is trouble only when the frame is asked for.
        canPrefetch = (try? engine.prefetch())?.isWorthMore ?? false
        return .now
    }

    private func prefetchRow() -> NextTurn {
        guard rowFrames?.hasRoom == true else { return .rest(atMost: nil) }
        try? stepRow()
        return .now
    }

    private func answer(_ request: FrameWorker.Request) {
        guard let work = request.work else { return }
        do throws(ScrubError) {
            try request.cancellation.perform { () throws(ScrubError) in
                switch work {
                case .frame(let frame, let time, let tolerance, _):
                    if tolerance == .exact, let found = try rowFrame(frame) { return request.answer(found) }
                    request.answer(try engineFrame(frame, at: time, tolerance))
                case .frames(let numbers, let take, _):
                    try decode(numbers) { answer throws(ScrubError) in
                        guard take(answer) else { throw .cancelled }
                    }
                    request.end()
                }
            }
        } catch {
            // A cancelled one was answered when it was cancelled.
            request.fail(error.inFile(asset.path))
        }
    }

    private func engineFrame(
        _ frame: Int, at time: Rational, _ tolerance: FrameTolerance
    ) throws(ScrubError) -> FrameAnswer {
        endRow()
        canPrefetch = true
        let (cache, index) = (engine.cache, asset.index)
        let number = chooser.frame(for: frame, at: time, tolerance) { frame in
            let picture = Int(index.frames[frame])
            return cache.withLock { $0[picture] != nil }
        }
        let found = FrameAnswer(
            number, try engine.frame(number), asset, requestedFrame: frame, requestedTime: time)
        return try found.handedOut(by: share?.loans)
    }

    /// Decodes several frames, each group once. What the row has is not decoded again.
    private func decode(
        _ numbers: [Int], deliver: (FrameAnswer) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        var missing = Set(numbers)
        for number in numbers where missing.contains(number) {
            guard let kept = rowFrames?.kept(number) else { continue }
            missing.remove(number)
            try deliver(kept)
        }
        // Its decoder is not kept beside those of groups.
        endRow()
        queue.withLock { $0.previous = nil }
        canPrefetch = true
        try engine.frames(numbers.filter(missing.contains)) { (number, answer) throws(ScrubError) in
            try deliver(try FrameAnswer(number, answer, asset).handedOut(by: share?.loans))
        }
    }

    // MARK: Rows

    /// Returns a frame of the row of requests that it goes on with, if there is one.
    private func rowFrame(_ number: Int) throws(ScrubError) -> FrameAnswer? {
        guard let rowFrames else { return nil }
        // A caller that begins with the first frame goes on from there.
        let distance = number - (queue.withLock { $0.note(number) } ?? -1)
        // It may have come out since the caller looked.
        if let answer = rowFrames.take(number) { return answer }
        if let row, number < row.next || !(1...RowFrames.mostWaiting).contains(distance) { endRow() }
        if row == nil, distance == 1 { row = newRow(from: number, to: rowFrames) }
        // Skipped frames have been decoded, or are decoded on the way.
        while row != nil {
            try Cancellation.check()
            rowFrames.pass(number)
            if let answer = rowFrames.take(number) { return answer }
            try stepRow()
        }
        return rowFrames.take(number)
    }

    /// Begins a row where that costs little, or where a cache of few pictures would make each of them again and again.
    private func newRow(from number: Int, to frames: RowFrames) -> FrameRow? {
        // The engine's way over a network looks further ahead.
        guard !asset.file.isRemote else { return nil }
        let picture = Int(asset.index.frames[number])
        let way = asset.index.lastRestart(through: picture).map { picture - $0 } ?? Int.max
        let room = engine.options.cacheByteLimit / max(1, asset.pictureByteCount)
        guard way <= FrameWorkerLoop.shortWay || room < FrameWorkerLoop.fewPictures else { return nil }
        // Its memory is the row's now.
        if engine.options.isFrugal { engine.closeDecoders() }
        return FrameRow(asset, from: number, threadCount: engine.options.threadCount, to: frames)
    }

    /// The most pictures that are decoded again to begin a row.
    private static let shortWay = 8
    /// A cache of fewer pictures is too small for a movement: the engine makes some frames twice, because it has no
    /// room to decode ahead of the ends of groups.
    private static let fewPictures = 8

    /// Decodes about one packet of the row. With its end or an error it is over: a request of its own has the reason
    /// then.
    ///
    /// - Throws: ``ScrubError/cancelled`` alone.
    private func stepRow() throws(ScrubError) {
        do throws(ScrubError) {
            if try row?.step() == true { return }
        } catch  where error.isCancellation {
            closeRow()
            throw error
        } catch {}
        closeRow()
    }

    private func closeRow() {
        row?.close()
        row = nil
        canPrefetch = false
    }

    /// Ends the row, and lets its frames go.
    private func endRow() {
        if row != nil { closeRow() }
        rowFrames?.clear()
    }
}
