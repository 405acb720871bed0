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
    /// - Returns: whether they are available: false if ``cancelPendingRequest()`` or ``end()`` stopped the work.
    /// - Throws: `CancellationError` if the task was cancelled.
    /// - Precondition: the frame exists.
    @discardableResult
    public func preparePreviews(around frame: Int) async throws -> Bool {
        try Task.checkCancellation()
        // The first value counts, so the second one needs no room.
        let ends = BoundedAsyncQueue<Bool?>(capacity: 1)
        preparePreviews(around: frame) { _ = ends.offer($0) }
        let isFull = await withTaskCancellationHandler {
            await ends.next()
        } onCancel: {
            _ = ends.offer(nil)
        }
        guard let isFull, let isFull else { throw CancellationError() }
        return isFull
    }

    /// Waits like ``preparePreviews(around:)``, for threads that may block.
    package func waitForPreviews(around frame: Int) {
        let gate = BoundedQueue<Void>(capacity: 1)
        preparePreviews(around: frame) { _ in gate.offer(()) }
        _ = gate.pop()
    }

    /// Prepares previews like ``preparePreviews(around:)``, without waiting.
    ///
    /// - Parameter body: called once, on any thread: with true when all previews that fit are available, or with false
    ///   when the work was stopped. Called immediately for a session without previews and for an ended one.
    package func preparePreviews(around frame: Int, whenFull body: @escaping @Sendable (_ isFull: Bool) -> Void) {
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
