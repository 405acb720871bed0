internal import ScrubDecoding

/// Frames one after the other from a linear decode on a thread of its own, a few ahead of the caller.
///
/// A linear decode plans nothing from frame to frame, and uses the memory of few pictures again and again. It costs
/// what the decoder alone costs. With the prefetching of a ``FrameWorker`` a frame costs a fifth more.
///
/// Thread safety: safe from any thread; one at a time takes frames. Memory: up to eight pictures within the bytes that
/// it is made with, at least two, and a decoder with its own.
final class FrameRow: Sendable {
    private struct Found: Sendable {
        let answer: SequenceDecoder.Answer
        let restart: Int
    }

    private let asset: VideoAsset
    private let found: Handover<Found>
    private let kept: Locked<KeptFrames>
    private let wasCancelled = Locked(false)

    /// The most pictures that wait for the caller. As many that it took last are kept.
    private static let aheadLimit = 4

    /// Starts the thread.
    ///
    /// - Parameter byteLimit: the most bytes of pictures that wait or were taken last.
    /// - Throws: `inputOutput` when the system has no thread left.
    /// - Precondition: the frame exists.
    init(_ asset: VideoAsset, from frame: Int, threadCount: Int, byteLimit: Int) throws(ScrubError) {
        self.asset = asset
        let size = max(1, asset.pictureByteCount)
        let count = max(1, min(FrameRow.aheadLimit, byteLimit / size / 2))
        var options = SequenceDecoder.Options()
        (options.threadCount, options.keptByteLimit) = (threadCount, min(byteLimit, 2 * count * size))
        let planner = asset.seekPlanner()
        let work = Unshared((planner, SequenceDecoder(planner, options: options)))
        let found = Handover<Found>(capacity: count)
        (self.found, kept) = (found, work.value.1.kept)
        try DedicatedThread {
            let (planner, decoder) = work.value
            FrameRow.decode(from: frame, decoder) { answer in
                found.push(Found(answer: answer, restart: planner.plan(forFrame: answer.frame).restart))
            }
            decoder.close()
            found.close()
        }.detach()
    }

    deinit { found.close() }

    /// Decodes until no frame is taken any more, or there is trouble: then a request of its own has the reason.
    private static func decode(
        from frame: Int, _ decoder: SequenceDecoder, deliver: (SequenceDecoder.Answer) -> Bool
    ) {
        decoder.begin(at: frame, isForward: true, stride: 1)
        while let step = try? decoder.step() {
            switch step {
            case .more, .placeholder: continue
            case .frame(let answer): if !deliver(answer) { return }
            case .end, .starved: return
            }
        }
    }

    /// Returns an answer that was taken before, if its picture is still there.
    func kept(_ number: Int) -> FrameAnswer? {
        kept.withLock { $0[number] }.map {
            FrameAnswer(kept: $0, number, asset, requestedTime: asset.time(ofFrame: number))
        }
    }

    /// Takes the next frame; waits for it.
    ///
    /// - Parameter register: handed a function that ends the waiting, and the row.
    /// - Returns: `nil` if the row is over.
    /// - Throws: `CancellationError` if the function was called.
    func next(_ number: Int, register: (@escaping @Sendable () -> Void) -> Void) throws -> FrameAnswer? {
        register { [wasCancelled, found] in
            wasCancelled.withLock { $0 = true }
            found.close()
        }
        let next = found.pop()
        if wasCancelled.withLock({ $0 }) { throw CancellationError() }
        guard let next, next.answer.frame == number else { return nil }
        return FrameAnswer(next.answer, restart: next.restart, asset)
    }
}
