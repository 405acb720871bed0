#if compiler(>=6.3)
internal import CScrub
internal import Scrub
internal import ScrubBase
internal import ScrubMedia

@c @implementation func scrub_session_take(
    _ session: OpaquePointer?, _ milliseconds: Int32, _ update: UnsafeMutablePointer<scrub_update>?,
    _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe answering(error) {
        let open = try unsafe Handles.sessions.object(session)
        guard let update = unsafe update else { throw ScrubError.null("the pointer to the update") }
        var said = try unsafe SizedCopy(update)
        unsafe said.value = scrub_update()
        unsafe said.value.verdict = Int32(SCRUB_UNDECODABLE)
        switch open.mailbox.take(waiting: milliseconds) {
        case .closed: throw CancellationError()
        case .nothing: break
        case .news(.update(let news), let skipped):
            unsafe said.value.describe(news, showsOnlyReducedPictures: open.showsOnlyReducedPictures)
            unsafe said.value.skipped = Int32(clamping: skipped)
            unsafe said.value.picture = LentPicture(news).flatMap { unsafe Handles.pictures.add($0) }
        case .news(.failure(let request, let frame, let failure), let skipped):
            unsafe said.value.describe(failure.inFile(open.asset.path), request: request, frame: frame)
            unsafe said.value.skipped = Int32(clamping: skipped)
        }
        unsafe said.store(in: update)
    }
}

@c @implementation func scrub_session_wake(_ session: OpaquePointer?) {
    guard (try? ForkWatch.check()) != nil else { return }
    unsafe (try? Handles.sessions.object(session))?.mailbox.wake()
}

@c @implementation func scrub_session_get_descriptor(
    _ session: OpaquePointer?, _ descriptor: UnsafeMutablePointer<Int32>?, _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe descriptor?.pointee = -1
    return unsafe answering(error) {
        let open = try unsafe Handles.sessions.object(session)
        guard let descriptor = unsafe descriptor else { throw ScrubError.null("the pointer to the descriptor") }
        unsafe descriptor.pointee = try open.mailbox.descriptor()
    }
}

@c @implementation func scrub_session_set_callback(
    _ session: OpaquePointer?, _ callback: scrub_session_callback?, _ context: UnsafeMutableRawPointer?,
    _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe answering(error) {
        try unsafe Handles.sessions.object(session).mailbox.set(SessionCallback.Function(callback, context))
    }
}

extension scrub_update {
    fileprivate mutating func describe(_ update: ScrubSession.Update, showsOnlyReducedPictures: Bool) {
        unsafe stage =
            switch update.stage {
            case .approximate: Int32(SCRUB_STAGE_NEAREST)
            case .preview: Int32(SCRUB_STAGE_PREVIEW)
            case .exact: Int32(SCRUB_STAGE_EXACT)
            case .awaitingMemory: Int32(SCRUB_STAGE_AWAITING_MEMORY)
            case .failed: Int32(SCRUB_STAGE_FAILED)
            }
        unsafe verdict = update.verdict.number
        unsafe request = UInt64(update.request)
        unsafe requested_frame = Int64(update.requestedFrame)
        unsafe frame = Int64(update.frame.number)
        unsafe pts = update.frame.presentationTime
        unsafe duration = update.frame.durationUnits
        unsafe offset = update.frame.offset
        unsafe latency_ns = update.latency.wholeNanoseconds
        unsafe width = Int32(clamping: update.picture?.width ?? 0)
        unsafe height = Int32(clamping: update.picture?.height ?? 0)
        unsafe decoded = Int32(clamping: update.decodedPictureCount)
        unsafe is_cached = update.isCacheHit ? 1 : 0
        unsafe is_reduced = update.isReduced ? 1 : 0
        unsafe is_final = update.stage == .exact || update.stage == .preview && showsOnlyReducedPictures ? 1 : 0
        unsafe say(update.verdict.wording?.text(for: CallWords.face) ?? "")
    }

    fileprivate mutating func describe(_ failure: ScrubError, request: Int, frame: Int) {
        unsafe stage = Int32(SCRUB_STAGE_FAILED)
        unsafe (status, is_final) = (failure.code.exitStatus, 1)
        if case .errno(let number) = failure.systemError { unsafe system_error = number }
        unsafe verdict = Int32(SCRUB_UNDECODABLE)
        unsafe self.request = UInt64(request)
        unsafe (requested_frame, self.frame) = (Int64(frame), -1)
        unsafe say(failure.description(for: CallWords.face))
    }

    private mutating func say(_ text: String) {
        unsafe withUnsafeMutableBytes(of: &reason) { unsafe CText.write(text, into: $0) }
    }
}
#endif
