internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex

/// The work of a ``FrameWorker``'s thread: requests in order of arrival and, between them, the frames that are likely
/// to be requested next. While no caller waits, a turn is about one packet.
///
/// Use from one thread.
final class FrameWorkerLoop: StepwiseWork {
    private let queue: Locked<FrameWorker.Queue>
    private let engine: FrameEngine
    private let asset: VideoAsset
    private let share: GeneratorResources?
    private var chooser: ToleranceChooser
    private var canPrefetch = false
    /// The frames decoded by rows; `nil` for a worker without rows.
    private let rowFrames: LinearFrameBuffer?
    /// The row that delivers the next consecutive frame.
    private var row: LinearFrameDecoder?

    init(
        _ queue: Locked<FrameWorker.Queue>, _ engine: FrameEngine, _ asset: VideoAsset, _ share: GeneratorResources?,
        _ rowFrames: LinearFrameBuffer?
    ) {
        (self.queue, self.engine, self.asset, self.share, self.rowFrames) = (queue, engine, asset, share, rowFrames)
        chooser = ToleranceChooser(asset, engine.planner)
    }

    /// If there is no thread, the share has no open decoder.
    func fail(_ error: ScrubError) {
        let requests = queue.exchange(\.requests, for: [])
        share?.seat.abandon()
        for request in requests { request.fail(error) }
    }

    /// Answers the remaining requests with a cancellation and returns shared resources, so that no request waits
    /// forever, whatever was released first.
    func end() {
        for request in queue.withLock({ $0.requests }) { request.cancel() }
        row?.close()
        guard let share else { return }
        engine.closeDecoders()
        share.leave()
    }

    func turn() -> StepOutcome {
        share?.yield(engine)
        let hasRequests = queue.withLock { queue in
            if share != nil { queue.requests.removeAll(where: \.isOver) }
            return !queue.requests.isEmpty
        }
        // The thread is woken when a decoder is available.
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

    /// The outcome if there is no work, or no decoder for it.
    private var idle: StepOutcome { share?.seat.isSeated == false ? .whenRung : .rest(atMost: nil) }

    private func prefetch() -> StepOutcome {
        guard canPrefetch else {
            share?.seat.rest()
            return idle
        }
        // Decoding ahead does not wait for a decoder.
        if let share, !share.seat.takeAhead() { return idle }
        // An error while decoding ahead matters only once the frame is requested.
        canPrefetch = (try? engine.prefetch())?.isWorthMore ?? false
        return .now
    }

    private func prefetchRow() -> StepOutcome {
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
            // A cancelled request was already answered.
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

    /// Decodes several frames, each group once. Frames that the row has are not decoded again.
    private func decode(
        _ numbers: [Int], deliver: (FrameAnswer) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        var missing = Set(numbers)
        for number in numbers where missing.contains(number) {
            guard let kept = rowFrames?.kept(number) else { continue }
            missing.remove(number)
            try deliver(kept)
        }
        // The row's decoder is not kept alongside those of groups.
        endRow()
        queue.withLock { $0.previous = nil }
        canPrefetch = true
        try engine.frames(numbers.filter(missing.contains)) { (number, answer) throws(ScrubError) in
            try deliver(try FrameAnswer(number, answer, asset).handedOut(by: share?.loans))
        }
    }

    // MARK: Rows

    /// Returns a frame from the row if the request continues the row.
    private func rowFrame(_ number: Int) throws(ScrubError) -> FrameAnswer? {
        guard let rowFrames else { return nil }
        // A caller that starts with the first frame is likely to continue from there.
        let distance = number - (queue.withLock { $0.note(number) } ?? -1)
        // The frame may have been decoded since the caller checked.
        if let answer = rowFrames.take(number) { return answer }
        if let row, number < row.next || !(1...LinearFrameBuffer.mostWaiting).contains(distance) { endRow() }
        if row == nil, distance == 1 { row = newRow(from: number, to: rowFrames) }
        // Skipped frames are already decoded or are being decoded.
        while row != nil {
            try Cancellation.check()
            rowFrames.pass(number)
            if let answer = rowFrames.take(number) { return answer }
            try stepRow()
        }
        return rowFrames.take(number)
    }

    /// Starts a row if that is cheap, or if a small cache would make the engine decode each picture repeatedly.
    private func newRow(from number: Int, to frames: LinearFrameBuffer) -> LinearFrameDecoder? {
        // On a network, the engine looks further ahead.
        guard !asset.file.isRemote else { return nil }
        let picture = Int(asset.index.frames[number])
        let way = asset.index.lastRestart(through: picture).map { picture - $0 } ?? Int.max
        let room = engine.options.cacheByteLimit / max(1, asset.pictureByteCount)
        guard way <= FrameWorkerLoop.shortWay || room < FrameWorkerLoop.fewPictures else { return nil }
        // The engine's memory now belongs to the row.
        if engine.options.isFrugal { engine.closeDecoders() }
        return LinearFrameDecoder(asset, from: number, threadCount: engine.options.threadCount, to: frames)
    }

    /// The maximum number of pictures to decode again when starting a row.
    private static let shortWay = 8
    /// A cache with fewer pictures is too small for a movement: the engine decodes some frames twice because it has no
    /// room to decode past the ends of groups.
    private static let fewPictures = 8

    /// Decodes about one packet of the row. At its end or after an error, the row ends; a request for the frame then
    /// gets the reason.
    ///
    /// - Throws: only ``ScrubError/cancelled``.
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

    /// Ends the row, and releases its frames.
    private func endRow() {
        if row != nil { closeRow() }
        rowFrames?.clear()
    }
}
