internal import ScrubBase

extension ScrubSession {
    /// Requests a frame, and waits for its picture.
    ///
    /// Use this for a step to another frame, a typed time, or the end of a drag. In the meantime, readers of
    /// ``updates`` get the nearest pictures as usual. A fraction outside 0...1 names the first or the last frame.
    ///
    /// If the task is cancelled, the request is cancelled too, unless there is a newer one.
    ///
    /// - Returns: the update with the stage ``Update/Stage/exact``, or ``Update/Stage/preview`` in a session that shows
    ///   only reduced pictures (``Options/showsOnlyReducedPictures``). `nil` if a newer request replaced this one,
    ///   ``cancelPendingRequest()`` cancelled it, or the session has ended.
    /// - Throws: ``ScrubError`` with `usage` for a frame number that does not exist, the error of reading or decoding
    ///   if
    ///   the request failed, and `unavailable` if the pictures that callers hold leave no memory for it.
    ///   `CancellationError` if the task was cancelled.
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
                    .unavailable, "there is no memory for frame \(frame): too many pictures are held",
                    file: asset.path, advice: "release held pictures, or give DecodingResources more bytes")
            case .approximate, .preview: continue
            }
        }
        guard Task.isCancelled else { return nil }
        cancel(request: request)
        throw CancellationError()
    }
}
