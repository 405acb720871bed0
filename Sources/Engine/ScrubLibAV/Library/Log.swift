internal import CScrubShims

/// The messages of one decoder or input about trouble, kept in memory instead of on standard error.
///
/// Decoders conceal damage and report it only in messages, so a verdict needs these words. Each has a record of its
/// own: a count that cannot overflow into silence, and the first message's text.
///
/// libav's messages while a thread is inside ``listen(_:)`` are the record's, as are a decoder's messages in threads of
/// its own. An error that cannot be attributed counts against every decoder that has such threads. A host's callback
/// (`av_log_set_callback`), set before or later, goes on being called. If one is set later, open decoders report that
/// as a message, because their messages in between are not known.
///
/// `@unchecked Sendable`: the C side has a lock.
@safe package final class Log: @unchecked Sendable {
    private let record: OpaquePointer?

    /// - Parameters:
    ///   - opaque: the decoder's `AVCodecContext.opaque`; nil if it is not a decoder.
    ///   - hasWorkers: whether the decoder has threads of its own.
    init(opaque: UnsafeRawPointer? = nil, hasWorkers: Bool = false) {
        Log.install()
        unsafe record = unsafe scrub_log_record_create(opaque, hasWorkers)
    }

    deinit { unsafe scrub_log_record_free(record) }

    /// Routes libav's messages here, once for the process.
    package static func install() { _ = installed }
    private static let installed: Void = scrub_log_install()

    /// Scaling and the like, whose messages are ignored.
    static let quiet = unsafe Log()

    /// Runs libav calls whose messages belong here.
    func listen<R: ~Copyable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        let before = unsafe scrub_log_enter(record)
        defer { unsafe scrub_log_leave(before) }
        return try body()
    }

    /// Says that the present thread is one of the decoder's own.
    func adoptThread() { unsafe scrub_log_adopt_thread(record) }

    /// Messages that begin so don't count from now on.
    func expect(_ beginning: String?) {
        guard let record = unsafe record else { return }
        unsafe scrub_log_expect(record, beginning)
    }

    /// Returns the number of messages of level error or worse, or about concealment, since the last call, and the first
    /// one's words.
    func take() -> (count: Int, first: String?) {
        // Without a record (no memory) messages may be missing, so this counts as an error.
        guard let record = unsafe record else { return (1, "no memory for the decoder's messages") }
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
            guard let base = text.baseAddress else { return (1, nil) }
            let count = unsafe scrub_log_take(record, base, text.count)
            return unsafe (Int(count), count > 0 ? String(cString: base) : nil)
        }
    }
}
