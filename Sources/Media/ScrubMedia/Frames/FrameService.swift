internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex

/// For the package's own programs that wait in threads of theirs: ``FrameGenerator``'s engine with a request that
/// blocks. Frames that are asked for one after the other come from a linear decode (``FrameRow``).
///
/// Thread safety: safe from any thread that may block. Memory: the cache's bytes, two pictures more at most, and the
/// decoders' own pictures, of which a row has one more.
package final class FrameService: Sendable {
    /// The course of the requests.
    private struct Course {
        var last: Int?
        /// The row that brings the frame after the last one; `nil` also while a thread waits for it.
        var row: FrameRow?
        /// Whether a thread waits for a row: there is one at a time.
        var isWaitedFor = false
    }

    private let worker: FrameWorker
    private let course = Locked(Course())
    private let threadCount: Int
    private let rowByteLimit: Int
    private let cacheByteLimit: Int

    /// Returns the bytes of the frames that are decoded ahead, both ways. More in the cache of a service costs more
    /// than it saves: memory that was never touched costs more than most pictures.
    private static func usefulCacheByteCount(for asset: VideoAsset) -> Int {
        // Twice the frames that are prefetched forward at most.
        48 * asset.pictureByteCount
    }

    /// Starts the thread; nothing is decoded yet.
    ///
    /// - Parameter isFrugal: whether memory is spent on movements alone, for programs that open many films. Where
    ///   requests jump about, one decoder and few pictures are kept.
    package init(
        _ asset: VideoAsset, options: FrameReader.Options = .init(), isFrugal: Bool = false
    ) throws(ScrubError) {
        var options = options
        if isFrugal {
            options.cacheByteLimit = min(options.cacheByteLimit, FrameService.usefulCacheByteCount(for: asset))
        }
        // Pictures of a row are kept with it.
        rowByteLimit = options.cacheByteLimit / 6
        threadCount = options.threadCount ?? Processors.count
        options.cacheByteLimit -= rowByteLimit
        cacheByteLimit = options.cacheByteLimit
        worker = try FrameWorker(asset, options: options, isFrugal: isFrugal)
    }

    /// Returns the exact frame with a number.
    ///
    /// - Throws: `inputOutput` when reading fails; ``ScrubError/cancelled``, at once, when the work on this thread is
    ///   cancelled.
    /// - Precondition: the frame exists.
    package func frame(numbered number: Int) throws(ScrubError) -> FrameAnswer {
        worker.asset.frames.require(number)
        try Cancellation.check()
        if let answer = try rowFrame(number) { return answer }
        let time = worker.asset.time(ofFrame: number)
        if let kept = try worker.kept(number, requestedTime: time) { return kept }
        let reply = Handover<Result<FrameAnswer, any Error>>(capacity: 1)
        let request = FrameWorker.Request(.frame(number, at: time, .exact, reply: { reply.push($0) }))
        let endLeaving = Cancellation.beginLeaving { request.cancel() }
        defer { endLeaving() }
        worker.submit(request)
        switch reply.pop() {
        case .success(let answer): return answer
        case .failure(let error): throw error as? ScrubError ?? .cancelled
        case nil: preconditionFailure("every request is answered")
        }
    }

    /// Decodes several frames, each group of pictures once. It hands out each answer as soon as it is there, which is
    /// in decode order and not in the order asked. A frame that is kept from a single request is not decoded again.
    ///
    /// Memory: two pictures that wait for the caller, beside the worker's.
    ///
    /// - Parameters:
    ///   - numbers: in any order; repeats are answered once.
    ///   - deliver: takes an answer, on the caller's thread. Its errors end the decoding.
    /// - Returns: why the frames are missing that were not delivered: `inputOutput` when reading fails;
    ///   ``ScrubError/cancelled`` when the work on this thread is cancelled. `nil` if all were delivered.
    /// - Throws: the errors of `deliver` alone.
    /// - Precondition: all frames exist.
    package func frames<Failure: Error>(
        numbered numbers: [Int], deliver: (FrameAnswer) throws(Failure) -> Void
    ) throws(Failure) -> ScrubError? {
        for number in numbers { worker.asset.frames.require(number) }
        if Cancellation.isCurrentCancelled { return .cancelled }
        // A row's decoder is not kept beside those of groups.
        course.withLock { ($0.last, $0.row) = (nil, nil) }
        let answers = Handover<FrameAnswer>(capacity: 2)
        let ending = Handover<Result<Void, any Error>>(capacity: 1)
        let request = FrameWorker.Request(
            .frames(
                numbers, take: { answers.push($0) },
                end: {
                    ending.offer($0)
                    answers.close()
                }))
        let endLeaving = Cancellation.beginLeaving { request.cancel() }
        defer {
            endLeaving()
            // Nothing after an answer that was not taken is wanted.
            request.cancel()
        }
        worker.submit(request)
        while let answer = answers.pop() {
            if Cancellation.isCurrentCancelled { return .cancelled }
            try deliver(answer)
        }
        switch ending.pop() {
        case .success: return nil
        case .failure(let error): return error as? ScrubError ?? .cancelled
        case nil: preconditionFailure("every request is answered")
        }
    }

    /// Returns a frame from the row of requests that it goes on with, if there is one.
    private func rowFrame(_ number: Int) throws(ScrubError) -> FrameAnswer? {
        let (distance, row, isWaitedFor) = course.withLock { course in
            defer { (course.last, course.row) = (number, nil) }
            // A caller that begins with the first frame goes on from there.
            return (number - (course.last ?? -1), course.row, course.isWaitedFor)
        }
        if let row, let kept = row.kept(number) {
            keep(row, after: number)
            return kept
        }
        // Skipped frames have been decoded, or are decoded on the way.
        guard (1...(row == nil ? 1 : FrameRow.aheadLimit)).contains(distance),
            let row = row ?? (isWaitedFor ? nil : newRow(from: number))
        else { return nil }
        course.withLock { $0.isWaitedFor = true }
        defer { course.withLock { $0.isWaitedFor = false } }
        guard let answer = try row.next(number) else { return nil }
        keep(row, after: number)
        return answer
    }

    /// Keeps a row for the next request, unless another one came meanwhile.
    private func keep(_ row: FrameRow, after number: Int) {
        course.withLock { if $0.last == number { $0.row = row } }
    }

    /// Begins a row where that costs little, or where a cache of few pictures would make each of them again and again.
    ///
    /// - Returns: `nil` also if the system has no thread left: the worker has one.
    private func newRow(from number: Int) -> FrameRow? {
        let asset = worker.asset
        // The engine's way over a network looks further ahead.
        guard !asset.file.isRemote else { return nil }
        let picture = Int(asset.index.frames[number])
        let way = asset.index.lastRestart(through: picture).map { picture - $0 } ?? Int.max
        guard way <= FrameService.shortWay || cacheByteLimit / max(1, asset.pictureByteCount) < FrameService.fewPictures
        else { return nil }
        // What the worker has needs no decoder. At a restart the row goes on after it.
        if way > 0, worker.cache.withLock({ $0[picture] != nil }) { return nil }
        return try? FrameRow(asset, from: number, threadCount: threadCount, byteLimit: rowByteLimit)
    }

    /// The most pictures that are decoded again to begin a row.
    private static let shortWay = 8
    /// A cache of fewer pictures is too small for a movement: the worker makes some frames twice, because it has no
    /// room to decode ahead of the ends of groups.
    private static let fewPictures = 8

    /// The present and the greatest memory of the service's pictures.
    package var memory: PictureMemory {
        PictureMemory(worker.allocator, worker.cache, beside: course.withLock { $0.row?.allocator })
    }
}

/// A value on its way into the one thread that uses it from then on.
///
/// `@unchecked Sendable`: no other thread touches the value after the thread has begun.
struct Unshared<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
