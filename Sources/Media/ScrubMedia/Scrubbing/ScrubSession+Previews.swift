internal import ScrubBase
internal import ScrubFileIO

extension ScrubSession {
    /// Makes the previews around a frame, as if the playhead were there, and waits until all that fit are available.
    /// Returns at once for a session without a preview track, and for a video on the network that is not fully
    /// downloaded.
    ///
    /// Waiting ends if the task is cancelled. The session then goes on making the previews, as around any playhead,
    /// until there is a request. Safe from any task. Cost: about ten seconds of processor time for each minute of
    /// 1080p.
    ///
    /// - Throws: `CancellationError` if the task was cancelled.
    /// - Precondition: the frame exists.
    public func preparePreviews(around frame: Int) async throws {
        try Task.checkCancellation()
        // The first value counts, so the second one needs no room.
        let ends = BoundedAsyncQueue<Bool>(capacity: 1)
        preparePreviews(around: frame) { _ = ends.offer(true) }
        let isFull = await withTaskCancellationHandler {
            await ends.next()
        } onCancel: {
            _ = ends.offer(false)
        }
        guard isFull == true else { throw CancellationError() }
    }

    /// Waits like ``preparePreviews(around:)``, for threads that may block.
    package func waitForPreviews(around frame: Int) {
        let gate = BoundedQueue<Void>(capacity: 1)
        preparePreviews(around: frame) { gate.offer(()) }
        _ = gate.pop()
    }

    /// Prepares previews like ``preparePreviews(around:)``, without waiting.
    ///
    /// - Parameter body: called once all previews that fit are available, on any thread; at once for a session without
    ///   previews.
    package func preparePreviews(around frame: Int, whenFull body: @escaping @Sendable () -> Void) {
        asset.frames.require(frame)
        guard let previews = previewTrack, !hub.isEnded else { return body() }
        previews.look(at: frame)
        previews.whenFull(body)
    }

    /// Waits until frames have their previews, or no more are made. For threads that may block.
    package func waitForPreviews(of frames: ClosedRange<Int>) {
        guard let previews = previewTrack else { return }
        previews.look(at: (frames.lowerBound + frames.upperBound) / 2)
        let isFull = Locked(false)
        previews.whenFull { isFull.withLock { $0 = true } }
        while !isFull.withLock({ $0 }), !frames.allSatisfy(previews.hasPreview) { PollingDelay.take() }
    }
}
