internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex

/// Exact frames for asynchronous code: single ones as they are needed, or series.
///
/// ```swift
/// let generator = try FrameGenerator(video)
/// let answer = try await generator.frame(at: .seconds(12.5))
/// for try await result in generator.frames(at: [.first, .seconds(5), .last]) { … }
/// ```
///
/// Between requests it decodes ahead the frames that the present movement, forward or back, will ask for next. For a
/// finger that drags over a film use ``ScrubSession``, in code that may block ``FrameReader``.
///
/// Thread safety: safe from any task and thread. Nothing blocks a thread of the cooperative pool. One thread of its own
/// answers single requests, in the order asked, and each series under way has one of its own. The first one is there
/// only while requests come.
///
/// Memory: as ``FrameReader``'s for the single requests, and as much again for each series under way, of which at most
/// ``FrameSeries/windowLimit`` pictures are ahead of their consumer. Pictures that callers hold come on top. With
/// ``PlaybackResources`` all of it comes out of their bytes. Every decoder is one of theirs: it waits in line for one,
/// and gives it back when others wait.
public final class FrameGenerator: Sendable {
    /// The video that frames are made of.
    public let asset: VideoAsset
    private let worker: FrameWorker
    private let options: FrameReader.Options
    private let resources: PlaybackResources?
    private let latest = Locked<FrameWorker.Request?>(nil)

    /// Decodes nothing yet.
    ///
    /// - Parameters:
    ///   - asset: the video.
    ///   - options: the options of its reader.
    ///   - resources: the resources that it shares with players, sessions and other generators; `nil` for memory and
    ///     decoders of its own, as the options say.
    /// - Throws: `usage` for options that ``FrameReader/Options`` excludes, `unavailable` when the resources have fewer
    ///   bytes to spare than ``FrameReader/Options/minimumByteCount(for:isSeries:)``.
    public init(
        _ asset: VideoAsset, options: FrameReader.Options = .init(), resources: PlaybackResources? = nil
    ) throws(ScrubError) {
        try options.check()
        (self.asset, self.options, self.resources) = (asset, options, resources)
        worker = try FrameWorker(asset, options: options, resources: resources)
    }

    /// Returns the frame at a position, or a cheaper one near it if there is a tolerance.
    ///
    /// Ends at once when its task is cancelled; the decoder stops between two packets.
    ///
    /// - Parameters:
    ///   - position: a position within the video.
    ///   - tolerance: the maximum distance of another frame from the position.
    /// - Returns: the frame, with its own time and the requested time. Damage in the file does not throw an error; the
    ///   answer's verdict reports it.
    /// - Throws: ``ScrubError`` with `usage` for a frame number that does not exist and for a position outside the
    ///   video, with `inputOutput` if reading fails or the system has no thread left, and with `unavailable` if the app
    ///   holds so many pictures that no more can be decoded. `CancellationError` if the task was cancelled.
    public func frame(at position: FramePosition, tolerance: FrameTolerance = .exact) async throws -> FrameAnswer {
        try await answer(try request(position, tolerance)) { _ in }
    }

    /// Returns the frame at a position, for callers that want the newest one only: an older call that still waits ends
    /// with a `CancellationError`.
    ///
    /// - Throws: as ``frame(at:tolerance:)``; `CancellationError` also when a newer call came.
    public func latestFrame(at position: FramePosition, tolerance: FrameTolerance = .exact) async throws -> FrameAnswer
    {
        try await answer(try request(position, tolerance)) { [latest] request in
            latest.exchange(\.self, for: request)?.cancel()
        }
    }

    /// Returns frames at positions, one result for each, also for positions that come twice.
    ///
    /// Decoding begins with the first `next()` and goes no further ahead of its consumer than
    /// ``FrameSeries/windowLimit`` frames. Groups of pictures that lie apart are decoded side by side. Leaving the
    /// loop, or cancelling its task, ends the decoding between two packets.
    ///
    /// With ``PlaybackResources`` one decoder works for it at a time, and ``FrameSeries/waitingLimit`` pictures at most
    /// wait for their consumer.
    ///
    /// - Parameters:
    ///   - positions: any number of them, in any order; they are taken from the sequence as they are needed, on the
    ///     series' thread.
    ///   - tolerance: the greatest distance of another frame from each.
    ///   - order: the order of the results. ``FrameSeries/Order/asDecoded`` decodes least where positions jump about.
    public func frames(
        at positions: some Sequence<FramePosition> & Sendable, tolerance: FrameTolerance = .exact,
        order: FrameSeries.Order = .asRequested
    ) -> FrameSeries {
        FrameSeries(request: request(positions, tolerance, order))
    }

    func request(
        _ positions: some Sequence<FramePosition> & Sendable, _ tolerance: FrameTolerance, _ order: FrameSeries.Order
    ) -> SeriesRequest {
        SeriesRequest(
            asset: asset, positions: { AnyIterator(positions.makeIterator()) }, tolerance: tolerance, order: order,
            options: options, resources: resources)
    }

    /// The memory that pictures of single requests take now, and took at most.
    public var memory: PictureMemory { PictureMemory(worker.allocator, worker.cache) }

    private struct Wish {
        let frame: Int
        let time: Rational
        let tolerance: FrameTolerance
    }

    private func request(_ position: FramePosition, _ tolerance: FrameTolerance) throws(ScrubError) -> Wish {
        let number = try asset.frame(at: position).frame.number
        return Wish(frame: number, time: asset.requestedTime(of: position, frame: number), tolerance: tolerance)
    }

    private func answer(
        _ wish: Wish, asking: (FrameWorker.Request) -> Void
    ) async throws -> FrameAnswer {
        try Task.checkCancellation()
        // One value, so there is always room for it.
        let reply = AsyncHandover<Result<FrameAnswer, any Error>>(capacity: 1)
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
            guard let result = await reply.next() else { preconditionFailure("every request is answered") }
            return try result.get()
        } onCancel: {
            request.cancel()
        }
    }
}

extension VideoAsset {
    /// Returns the time that a position names, within the video, in seconds after the first frame. For a rounded time
    /// that names a frame which begins behind it, the frame's.
    package func requestedTime(of position: FramePosition, frame: Int) -> Rational {
        switch position {
        case .fraction(let fraction):
            duration.multiplied(by: min(max(fraction, .zero), .one)) ?? time(ofFrame: frame)
        case .time(let seconds): min(max(seconds, .zero), duration)
        case .roundedTime(let seconds, _): max(min(max(seconds, .zero), duration), time(ofFrame: frame))
        case .computedTime(let time): max(min(max(time.seconds, .zero), duration), self.time(ofFrame: frame))
        default: time(ofFrame: frame)
        }
    }
}
