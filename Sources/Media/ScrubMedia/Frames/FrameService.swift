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
    private let worker: FrameWorker

    /// Returns the bytes of the frames that are decoded ahead, both ways. More in the cache of a service costs more
    /// than it saves: memory that was never touched costs more than most pictures.
    private static func usefulCacheByteCount(for asset: VideoAsset) -> Int {
        // Twice the frames that are prefetched forward at most.
        48 * asset.pictureByteCount
    }

    /// Decodes nothing yet.
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
        let rowByteLimit = options.cacheByteLimit / 6
        options.cacheByteLimit -= rowByteLimit
        worker = try FrameWorker(asset, options: options, isFrugal: isFrugal, rowByteLimit: rowByteLimit)
    }

    /// Returns the exact frame with a number.
    ///
    /// - Throws: `inputOutput` when reading fails; ``ScrubError/cancelled``, at once, when the work on this thread is
    ///   cancelled.
    /// - Precondition: the frame exists.
    package func frame(numbered number: Int) throws(ScrubError) -> FrameAnswer {
        worker.asset.frames.require(number)
        try Cancellation.check()
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

    package var memory: PictureMemory { worker.memory }
}
