#if compiler(>=6.3)
internal import CScrub
internal import Scrub
internal import ScrubBase
internal import ScrubMedia

/// C's options for opening a session.
struct SessionOptions {
    var session = ScrubSession.Options()
    var gesture = ScrubGesture()
    /// Shared decoders and memory; `nil` for the session's own.
    var resources: DecodingResources?
    /// The byte limit for all its pictures.
    var budget: ScrubBudget

    init(_ options: UnsafePointer<scrub_session_options>?) throws(ScrubError) {
        let said = try unsafe SizedCopy.value(options)
        let known = UInt32(SCRUB_NO_PREVIEWS | SCRUB_REDUCED_ALONE | SCRUB_FINE_SPEEDS)
        let flags = unsafe said.flags
        guard flags & ~known == 0 else { throw .flags("scrub_session_options.flags", flags) }
        guard unsafe said.reserved == 0 else {
            throw ScrubError(.usage, "scrub_session_options.reserved is not 0", advice: "set it to 0")
        }
        session.makesPreviews = flags & UInt32(SCRUB_NO_PREVIEWS) == 0
        session.showsOnlyReducedPictures = flags & UInt32(SCRUB_REDUCED_ALONE) != 0
        if flags & UInt32(SCRUB_FINE_SPEEDS) != 0 { gesture.options.fineSpeeds = ScrubGesture.FineSpeed.phone }
        func count(_ said: Int32, _ name: String, atMost most: Int32) throws(ScrubError) -> Int? {
            try CNumber.count(said, "scrub_session_options.\(name)", atMost: most)
        }
        if let limit = try unsafe count(said.decoders, "decoders", atMost: 64) { session.decoderLimit = limit }
        session.threadCount = try unsafe count(said.threads, "threads", atMost: 1024)
        session.previewSide = try unsafe count(said.preview_side, "preview_side", atMost: 16384)
        // No separate number means "none" here: 0 means the default.
        if unsafe said.key_pictures == -1 {
            session.keyPictureCount = 0
        } else if let number = try unsafe count(said.key_pictures, "key_pictures", atMost: 10000) {
            session.keyPictureCount = number
        }
        if let patience = try unsafe count(said.patience, "patience", atMost: 60_000) {
            session.patience = .milliseconds(patience)
        }
        if let shared = unsafe said.resources {
            guard unsafe said.memory == 0 else {
                throw ScrubError(
                    .usage, "scrub_session_options sets both resources and memory",
                    advice: "set memory to 0, because resources have their own limit")
            }
            let found = try unsafe Handles.resources.object(shared)
            (resources, budget) = (found.resources, found.budget)
        } else {
            budget = ScrubBudget(byteLimit: try unsafe Opening.limit(said.memory, ScrubBudget.defaultByteLimit))
        }
    }

    /// Starts a session.
    func start(_ asset: VideoAsset) throws(ScrubError) -> ScrubSession {
        guard let resources else { return try ScrubSession(asset, options: session, budget: budget) }
        return try ScrubSession(asset, options: session, resources: resources)
    }
}

/// Resources that C has opened, which always have a budget.
struct OpenResources {
    let resources: DecodingResources
    let budget: ScrubBudget
}

@c @implementation func scrub_resources_open(
    _ memory: UInt64, _ decoders: Int32, _ resources: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe resources?.pointee = nil
    return unsafe answering(error) {
        guard let resources = unsafe resources else { throw ScrubError.null("the pointer to the scrub_resources") }
        let count = try CNumber.count(decoders, "decoders", atMost: 1024, zero: "4") ?? 4
        let bytes = try Opening.limit(memory, ScrubBudget.defaultByteLimit)
        ForkWatch.begin()
        let budget = ScrubBudget(byteLimit: bytes)
        unsafe resources.pointee = Handles.resources.add(
            OpenResources(
                resources: DecodingResources(decoders: DecoderPool(limit: count), budget: budget), budget: budget))
    }
}

@c @implementation func scrub_resources_close(_ resources: OpaquePointer?) {
    guard (try? ForkWatch.check()) != nil else { return }
    _ = unsafe Handles.resources.remove(resources)
}

@c @implementation func scrub_resources_get_memory(
    _ resources: OpaquePointer?, _ memory: UnsafeMutablePointer<scrub_memory>?,
    _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe answering(error) {
        try unsafe tell(Handles.resources.object(resources).budget, nil, memory)
    }
}

@c @implementation func scrub_session_get_memory(
    _ session: OpaquePointer?, _ memory: UnsafeMutablePointer<scrub_memory>?,
    _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe answering(error) {
        let open = try unsafe Handles.sessions.object(session)
        try unsafe tell(open.budget, open.session, memory)
    }
}

/// Stores a budget's memory use; for a session, also its previews and the pictures that the program holds.
private func tell(
    _ budget: ScrubBudget, _ session: ScrubSession?, _ memory: UnsafeMutablePointer<scrub_memory>?
) throws(ScrubError) {
    guard let memory = unsafe memory else { throw .null("the pointer to the memory") }
    var said = try unsafe SizedCopy(memory)
    said.value.limit = UInt64(budget.byteLimit)
    said.value.used = UInt64(clamping: budget.usedByteCount)
    said.value.peak = UInt64(clamping: budget.peakByteCount)
    said.value.held = UInt64(clamping: session?.heldByteCount ?? budget.heldByteCount)
    said.value.previews = Int64(session?.previews?.frameCount ?? 0)
    said.value.preview_bytes = UInt64(clamping: session?.previews?.byteCount ?? 0)
    said.value.preview_side = Int32(clamping: session?.previews?.longSide ?? 0)
    unsafe said.store(in: memory)
}
#endif
