internal import ScrubBase
internal import ScrubFileIO

extension ScrubSession {
    /// Makes the previews around a frame, as if the playhead were there, and waits until all previews that fit in
    /// memory are available. Returns immediately for a session without a preview track, and for a video on the network
    /// that is not fully downloaded.
    ///
    /// If the task is cancelled, the call stops waiting, but the session continues to make the previews until the next
    /// request. Safe from any task. Cost: about ten seconds of processor time per minute of 1080p video.
    ///
    /// - Returns: true if nothing is left to make, also for sessions that make none. False if
    ///   ``cancelPendingRequest()``
    ///   or ``end()`` stopped the work, or no thread could be created.
    /// - Throws: `CancellationError` if the task was cancelled.
    /// - Precondition: the frame exists.
    @discardableResult
    public func preparePreviews(aroundFrame frame: Int) async throws -> Bool {
        try Task.checkCancellation()
        // The first value counts, so the second one needs no room.
        let ends = BoundedAsyncQueue<Bool?>(capacity: 1)
        preparePreviews(aroundFrame: frame) { _ = ends.offer($0) }
        let isFull = await withTaskCancellationHandler {
            await ends.next()
        } onCancel: {
            _ = ends.offer(nil)
        }
        guard let isFull, let isFull else { throw CancellationError() }
        return isFull
    }

    /// Waits like ``preparePreviews(aroundFrame:)``, for threads that may block.
    package func waitForPreviews(aroundFrame frame: Int) {
        let gate = BoundedQueue<Void>(capacity: 1)
        preparePreviews(aroundFrame: frame) { _ in gate.offer(()) }
        _ = gate.pop()
    }

    /// Prepares previews like ``preparePreviews(aroundFrame:)``, without waiting.
    ///
    /// - Parameter body: called once, on any thread: with true when all previews that fit are available, or with false
    ///   when the work was stopped. Called immediately for a session without previews and for an ended one.
    package func preparePreviews(aroundFrame frame: Int, whenFull body: @escaping @Sendable (_ isFull: Bool) -> Void) {
        asset.frames.require(frame)
        guard !hub.isEnded else { return body(false) }
        guard let previews = previewTrack else { return body(true) }
        previews.look(at: frame)
        previews.whenFull(body)
    }

    /// Waits until frames have their previews, or no more are made. For threads that may block.
    package func waitForPreviews(of frames: ClosedRange<Int>) {
        guard let previews = previewTrack else { return }
        previews.look(at: (frames.lowerBound + frames.upperBound) / 2)
        let isFull = Locked(false)
        previews.whenFull { _ in isFull.withLock { $0 = true } }
        while !isFull.withLock({ $0 }), !frames.allSatisfy(previews.hasPreview) { PollingDelay.take() }
    }
}
