internal import ScrubBase

extension ScrubSession {
    /// Requests a frame and waits for its picture.
    ///
    /// Use this for a step to another frame, for a time that the user typed, or at the end of a drag. While the call
    /// waits, readers of ``updates`` get the nearest pictures as usual. A fraction, time or timecode outside the video
    /// is clamped to the first or last frame.
    ///
    /// If the task is cancelled, the request is cancelled too, unless there is a newer one.
    ///
    /// - Returns: the update with the stage ``Update/Stage/exact``, or ``Update/Stage/preview`` in a session that shows
    ///   only reduced pictures (``Options/showsOnlyReducedPictures``). `nil` if a newer request replaced this one, if
    ///   ``cancelPendingRequest()`` cancelled it, or if the session has ended.
    /// - Throws: ``ScrubError`` with `usage` for a frame number that does not exist or a timecode in a video without a
    ///   constant rate, with `unavailable` if the pictures that callers hold leave no memory for the frame, or with the
    ///   code of the failed read or decode. `CancellationError` if the task was cancelled.
    public func exactFrame(at position: FramePosition) async throws -> ScrubSession.Update? {
        let frame = try asset.presentedFrame(nearest: position).number
        try Task.checkCancellation()
        let (id, mailbox, reader) = newestUpdates()
        guard let request = scrub(toFrame: frame, isMoving: false, request: nil) else { return nil }
        hub.outlets.withLock { $0.waits[id] = (request, { mailbox.finish() }) }
        // The request may have been cancelled or replaced, or the session have ended, before the wait was registered.
        if hub.isEnded || !isNewest(request) { mailbox.finish() }
        while let update = await reader.next() {
            guard update.request >= request else { continue }
            guard update.request == request else { return nil }
            switch update.stage {
            case .exact: return update
            case .preview where showsOnlyReducedPictures: return update
            case .failed: throw update.error ?? ScrubError(.inputOutput, "the frame could not be read")
            case .awaitingMemory:
                // Only the caller may be able to release pictures, and it waits here.
                cancel(request: request)
                throw ScrubError(
                    .unavailable, "there is no memory for frame \(frame): callers hold too many pictures",
                    file: asset.path, advice: "release held pictures, or raise the byte limit of DecodingResources")
            case .approximate, .preview: continue
            }
        }
        guard Task.isCancelled else { return nil }
        cancel(request: request)
        throw CancellationError()
    }
}
