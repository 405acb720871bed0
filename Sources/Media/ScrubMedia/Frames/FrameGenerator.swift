internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex

/// A generator that provides asynchronous code with exact frames, one at a time or in series.
///
/// ```swift
/// let generator = try FrameGenerator(video)
/// let answer = try await generator.frame(at: .seconds(12.5))
/// for try await result in generator.frames(at: [.first, .seconds(5), .last]) { … }
/// ```
///
/// Between requests, it decodes the frames that are likely to be requested next if requests keep moving forward or
/// backward. For interactive scrubbing, use ``ScrubSession``. In code that may block, use ``FrameReader``.
///
/// Thread safety: safe from any task and thread. No call blocks a thread of the cooperative pool. Single requests are
/// answered in order by one thread, which exists only while there are requests. Each running series uses a separate
/// thread.
///
/// Memory: as much as a ``FrameReader`` for single requests, and as much again for each running series. A series
/// decodes at most 32 pictures ahead of its consumer. Pictures that callers hold are not included. With
/// ``DecodingResources``, all memory comes from the shared budget, and all decoders come from the shared pool. The
/// generator waits in line for a decoder, and returns it when other objects are waiting.
public final class FrameGenerator: Sendable {
    /// The video whose frames are decoded.
    public let asset: VideoAsset
    private let worker: FrameWorker
    private let options: FrameReader.Options
    private let resources: DecodingResources?
    private let latest = Locked<FrameWorker.Request?>(nil)

    /// Creates a generator. It does not decode anything yet.
    ///
    /// - Parameters:
    ///   - asset: the video.
    ///   - options: the options of the underlying reader.
    ///   - resources: the decoders and memory to share with players, sessions and other generators. By default, the
    ///     generator shares nothing, and `options` sets its limits.
    /// - Throws: `usage` if an option is below the minimum in ``FrameReader/Options``; `unavailable` if the resources
    ///   have fewer free bytes than ``FrameReader/Options/minimumByteCount(for:isSeries:)``.
    public init(
        _ asset: VideoAsset, options: FrameReader.Options = .init(), resources: DecodingResources = .automatic
    ) throws(ScrubError) {
        try options.check()
        let shared = resources.isAutomatic ? nil : resources
        (self.asset, self.options, self.resources) = (asset, options, shared)
        worker = try FrameWorker(asset, options: options, resources: shared)
    }

    /// Returns the frame at a position or, if a tolerance is given, a nearby frame that is cheaper to decode.
    ///
    /// If its task is cancelled, the method throws immediately, and the decoder stops before the next packet.
    ///
    /// - Parameters:
    ///   - position: a position within the video.
    ///   - tolerance: how far the returned frame may be from the position.
    ///   - cancelsPending: for callers that need only the newest request's frame. If it is true and the previous call
    ///     for which it was true is still waiting, that call throws `CancellationError`. Other calls are not cancelled.
    /// - Returns: the frame, with its actual time and the requested time. Damage in the file does not throw an error;
    ///   the answer's verdict reports it.
    /// - Throws: ``ScrubError`` with `usage` if the frame number does not exist or the position is outside the video,
    ///   `inputOutput` if reading fails or the system cannot create a thread, or `unavailable` if the app holds so many
    ///   pictures that no more can be decoded. `CancellationError` if the task was cancelled, or if a newer call
    ///   replaced this one.
    public func frame(
        at position: FramePosition, tolerance: FrameTolerance = .exact, cancelsPending: Bool = false
    ) async throws -> FrameAnswer {
        try await answer(try request(position, tolerance)) { [latest] request in
            if cancelsPending { latest.exchange(\.self, for: request)?.cancel() }
        }
    }

    /// Returns frames at several positions, with one result for each position, even if it is repeated.
    ///
    /// Decoding begins with the first `next()` and stays at most 32 frames ahead of its consumer. Different groups of
    /// pictures are decoded in parallel. Leaving the loop or cancelling its task stops decoding before the next packet.
    ///
    /// With ``DecodingResources``, the series uses one decoder at a time, and at most three pictures
    /// wait for the consumer.
    ///
    /// - Parameters:
    ///   - positions: any number of positions, in any order. They are pulled from the sequence as needed, on the
    ///     series' thread.
    ///   - tolerance: how far a returned frame may be from its position.
    ///   - order: the order of the results. If the positions jump around, ``Order/asDecoded`` decodes the fewest
    ///     pictures.
    public func frames(
        at positions: some Sequence<FramePosition> & Sendable, tolerance: FrameTolerance = .exact,
        order: Order = .asRequested
    ) -> FrameSeries<FrameAnswer> {
        FrameSeries(request(positions, tolerance, order), PictureOutput())
    }

    /// Returns the shared resources, and waits until that is done. No requests may follow.
    func leave() async {
        guard resources != nil else { return }
        // A cancelled task does not wait.
        try? await BlockingThreads.shared.run { [worker] in worker.leave() }
    }

    func request(
        _ positions: some Sequence<FramePosition> & Sendable, _ tolerance: FrameTolerance, _ order: Order
    ) -> SeriesRequest {
        SeriesRequest(
            asset: asset, positions: { AnyIterator(positions.makeIterator()) }, tolerance: tolerance, order: order,
            options: options, resources: resources)
    }

    /// The current and peak memory used by pictures of individual requests.
    public var memory: PictureMemory { PictureMemory(worker.allocator, worker.cache) }

    private struct Wish {
        let frame: Int
        let time: Rational
        let tolerance: FrameTolerance
    }

    private func request(_ position: FramePosition, _ tolerance: FrameTolerance) throws(ScrubError) -> Wish {
        let number = try asset.presentedFrame(at: position).number
        return Wish(frame: number, time: asset.requestedTime(of: position, frame: number), tolerance: tolerance)
    }

    private func answer(
        _ wish: Wish, asking: (FrameWorker.Request) -> Void
    ) async throws -> FrameAnswer {
        try Task.checkCancellation()
        // The queue holds one value, so it always has room.
        let reply = BoundedAsyncQueue<Result<FrameAnswer, any Error>>(capacity: 1)
        let request = FrameWorker.Request(
            .frame(wish.frame, at: wish.time, wish.tolerance, reply: { reply.push($0) }))
        asking(request)
        do throws(ScrubError) {
            if let kept = try worker.kept(wish.frame, requestedTime: wish.time) {
                request.answer(kept)
            } else {
                worker.submit(request)
            }
        } catch {
            request.fail(error)
        }
        return try await withTaskCancellationHandler {
            guard let result = await reply.next() else { preconditionFailure("every request must be answered") }
            return try result.get()
        } onCancel: {
            request.cancel()
        }
    }
}

extension VideoAsset {
    /// Returns the time that a position names, clamped to the video, in seconds after the first frame. If a rounded
    /// time names a frame that begins after it, returns that frame's time.
    package func requestedTime(of position: FramePosition, frame: Int) -> Rational {
        switch position.kind {
        case .fraction(let fraction):
            duration.multiplied(by: min(max(fraction, .zero), .one)) ?? time(ofFrame: frame)
        case .time(let seconds): min(max(seconds, .zero), duration)
        case .roundedTime(let seconds, _): max(min(max(seconds, .zero), duration), time(ofFrame: frame))
        case .computedTime(let time): max(min(max(time.seconds, .zero), duration), self.time(ofFrame: frame))
        default: time(ofFrame: frame)
        }
    }
}
