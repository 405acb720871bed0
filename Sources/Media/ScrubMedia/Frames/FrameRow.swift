internal import ScrubLibAV
internal import ScrubDecoding

/// Frames one after the other from a linear decode on a thread of its own, a few ahead of the caller.
///
/// A linear decode plans nothing from frame to frame, and uses the memory of few pictures again and again. It costs
/// what the decoder alone costs. With the prefetching of a ``FrameWorker`` a frame costs a fifth more.
///
/// Thread safety: safe from any thread; one at a time takes frames. Memory: up to eight pictures within the bytes that
/// it is made with, at least two, and a decoder with its own. Pictures that nothing needs go at once: with eight of
/// them kept, AV1 of 720p took a tenth longer.
final class FrameRow: Sendable {
    private struct Found: Sendable {
        let answer: SequenceDecoder.Answer
        let restart: Int
    }

    private let asset: VideoAsset
    private let found: Handover<Found>
    /// The frames that were taken last, the newest at the end.
    private let taken = Locked<[(frame: Int, picture: JudgedPicture)]>([])
    private let takenLimit: Int
    /// The allocator of its pictures.
    let allocator: FrameAllocator

    /// The most pictures that wait for the caller: it may skip so many.
    static let aheadLimit = 4
    /// The most pictures that are kept after the caller took them: the last one, and a step back.
    private static let takenLimit = 2

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - threadCount: the processors that there are for it.
    ///   - byteLimit: the most bytes of pictures that wait, were taken last, or are made for one pass through damage.
    /// - Throws: `inputOutput` when the system has no thread left.
    /// - Precondition: the frame exists.
    init(_ asset: VideoAsset, from frame: Int, threadCount: Int, byteLimit: Int) throws(ScrubError) {
        self.asset = asset
        let size = max(1, asset.pictureByteCount)
        let count = max(1, min(FrameRow.aheadLimit, byteLimit / size / 2))
        takenLimit = min(FrameRow.takenLimit, count)
        var options = SequenceDecoder.Options()
        (options.threadCount, options.hasSpareThread, options.keepsShown) = (threadCount, true, false)
        options.keptByteLimit = min(byteLimit, 2 * count * size) - takenLimit * size
        let planner = asset.seekPlanner()
        let work = Unshared((planner, SequenceDecoder(planner, options: options)))
        let found = Handover<Found>(capacity: count)
        (self.found, allocator) = (found, work.value.1.allocator)
        try DedicatedThread {
            let (planner, decoder) = work.value
            decoder.begin(at: frame, isForward: true, stride: 1)
            // Until no caller takes more frames, or there is trouble: a request of its own has the reason then.
            decoding: while !found.hasEnded, let step = try? decoder.step() {
                switch step {
                case .more, .placeholder: continue
                case .frame(let answer):
                    found.push(Found(answer: answer, restart: planner.plan(forFrame: answer.frame).restart))
                case .end, .starved: break decoding
                }
            }
            decoder.close()
            found.close()
        }.detach()
    }

    deinit { found.close() }

    /// Returns an answer that was taken before, if its picture is still there.
    func kept(_ number: Int) -> FrameAnswer? {
        taken.withLock { taken in taken.last { $0.frame == number } }.map {
            FrameAnswer(kept: $0.picture, number, asset, requestedTime: asset.time(ofFrame: number))
        }
    }

    /// Takes a frame from where the row is on; waits for it. Those before it are passed over, and count as taken.
    ///
    /// - Returns: `nil` if the row is over.
    /// - Throws: ``ScrubError/cancelled`` when the work on this thread is cancelled; the row is over then.
    func next(_ number: Int) throws(ScrubError) -> FrameAnswer? {
        let endLeaving = Cancellation.beginLeaving { [found] in found.close() }
        defer { endLeaving() }
        var next: Found?
        repeat {
            next = found.pop()
            if let answer = next?.answer { take(answer) }
        } while next.map { $0.answer.frame < number } ?? false
        try Cancellation.check()
        guard let next, next.answer.frame == number else { return nil }
        return FrameAnswer(next.answer, restart: next.restart, asset)
    }

    private func take(_ answer: SequenceDecoder.Answer) {
        taken.withLock { taken in
            if taken.count >= takenLimit { taken.removeFirst() }
            taken.append((answer.frame, answer.picture))
        }
    }
}
