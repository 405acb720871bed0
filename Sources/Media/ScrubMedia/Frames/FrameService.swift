internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex

/// A blocking version of ``FrameGenerator``'s engine, for the package's own programs that wait on their own threads.
/// Frames that are requested in sequence come from a linear decode (``LinearFrameDecoder``).
///
/// Thread safety: safe from any thread that may block. Memory: the cache's bytes, at most two more pictures, and the
/// decoders' own pictures, including those of an additional decoder for a row.
package final class FrameService: Sendable {
    private let worker: FrameWorker

    /// Returns the number of bytes of the frames that are decoded ahead in both directions. A larger cache costs more
    /// than it saves, because touching new memory costs more than decoding most pictures.
    private static func usefulCacheByteCount(for asset: VideoAsset) -> Int {
        // At most twice the frames that are prefetched forward.
        48 * asset.pictureByteCount
    }

    /// Creates a service. It does not decode anything yet.
    ///
    /// - Parameter isFrugal: whether to spend memory on movements only, for programs that open many videos. If requests
    ///   jump around, only one decoder and a few pictures are kept.
    package init(
        _ asset: VideoAsset, options: FrameReader.Options = .init(), isFrugal: Bool = false
    ) throws(ScrubError) {
        var options = options
        if isFrugal {
            options.cacheByteLimit = min(options.cacheByteLimit, FrameService.usefulCacheByteCount(for: asset))
        }
        // Pictures of a row are kept by the row.
        let rowByteLimit = options.cacheByteLimit / 6
        options.cacheByteLimit -= rowByteLimit
        worker = try FrameWorker(asset, options: options, isFrugal: isFrugal, rowByteLimit: rowByteLimit)
    }

    /// Returns the exact frame with the given number.
    ///
    /// - Throws: `inputOutput` if reading fails; ``ScrubError/cancelled``, at once, if the work on this thread is
    ///   cancelled.
    /// - Precondition: the frame exists.
    package func frame(numbered number: Int) throws(ScrubError) -> FrameAnswer {
        worker.asset.frames.require(number)
        try Cancellation.check()
        let time = worker.asset.time(ofFrame: number)
        if let kept = try worker.kept(number, requestedTime: time) { return kept }
        let reply = BoundedQueue<Result<FrameAnswer, any Error>>(capacity: 1)
        let request = FrameWorker.Request(.frame(number, at: time, .exact, reply: { reply.push($0) }))
        let endLeaving = Cancellation.beginLeaving { request.cancel() }
        defer { endLeaving() }
        worker.submit(request)
        switch reply.pop() {
        case .success(let answer): return answer
        case .failure(let error): throw error as? ScrubError ?? .cancelled
        case nil: preconditionFailure("every request must be answered")
        }
    }

    /// Decodes several frames, each group of pictures once. Delivers each answer as soon as it is available, in decode
    /// order rather than the requested order. A cached frame from a single request is not decoded again.
    ///
    /// Memory: two pictures that wait for the caller, in addition to the worker's.
    ///
    /// - Parameters:
    ///   - numbers: the frames, in any order. Repeats are answered once.
    ///   - deliver: receives each answer on the caller's thread. If it throws an error, decoding ends.
    /// - Returns: the reason why frames were not delivered: `inputOutput` if reading fails; ``ScrubError/cancelled`` if
    ///   the work on this thread is cancelled. `nil` if all were delivered.
    /// - Throws: only the errors of `deliver`.
    /// - Precondition: all frames exist.
    package func frames<Failure: Error>(
        numbered numbers: [Int], deliver: (FrameAnswer) throws(Failure) -> Void
    ) throws(Failure) -> ScrubError? {
        for number in numbers { worker.asset.frames.require(number) }
        if Cancellation.isCurrentCancelled { return .cancelled }
        let answers = BoundedQueue<FrameAnswer>(capacity: 2)
        let ending = BoundedQueue<Result<Void, any Error>>(capacity: 1)
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
            // After an answer that was not accepted, no more are needed.
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
        case nil: preconditionFailure("every request must be answered")
        }
    }

    package var memory: PictureMemory { worker.memory }
}
