internal import CScrubShims
internal import ScrubBase

/// The problem messages of one decoder or input, kept in memory instead of written to standard error.
///
/// Decoders conceal damage and report it only in messages, so a verdict needs them. Each decoder has its own record: a
/// count that cannot overflow, and the text of the first message.
///
/// Messages that libav writes while a thread is inside ``listen(_:)`` belong to the record, as do those from a
/// decoder's own threads. An error that cannot be attributed counts against every decoder that has such threads.
///
/// The process's callback (`av_log_set_callback`) is set by this library on first use. If a program has set another one
/// since, each decoder reports that as a message whenever its messages are requested, because its own messages are not
/// known.
///
/// `@unchecked Sendable`: the C side has a lock.
@safe package final class Log: @unchecked Sendable {
    private let record: OpaquePointer?

    /// - Parameters:
    ///   - opaque: the decoder's `AVCodecContext.opaque`; `nil` if it is not a decoder.
    ///   - hasWorkers: whether the decoder has its own threads.
    init(opaque: UnsafeRawPointer? = nil, hasWorkers: Bool = false) {
        Log.install()
        unsafe record = unsafe scrub_log_record_create(opaque, hasWorkers)
    }

    deinit { unsafe scrub_log_record_free(record) }

    /// Installs the callback for libav's messages, once for the process.
    package static func install() { _ = installed }
    private static let installed: Void = scrub_log_install()

    /// Handles messages on behalf of a program; called on the thread that wrote a message.
    package struct Handler: Sendable {
        /// The least severe level to report, in libav's numbering.
        let level: Int32
        /// The handler, called with the level, whether the message is about Scrub's own work, the name of its source,
        /// and the text.
        package let take: @Sendable (Int32, Bool, String?, String) -> Void

        package init(level: Int32, take: @escaping @Sendable (Int32, Bool, String?, String) -> Void) {
            (self.level, self.take) = (level, take)
        }
    }

    /// Passes messages to a program instead of standard error; `nil` for none.
    ///
    /// Sets the process's callback again if the program has set another one.
    package static func setHandler(_ handler: Handler?) {
        // Done first, so that no later first use takes the callback from a program that sets its own after this.
        install()
        handlers.withLock { present in
            present = handler
            unsafe scrub_log_set_hook(handler == nil ? nil : hook, handler?.level ?? 0)
        }
        scrub_log_install()
    }

    private static let handlers = Locked<Handler?>(nil)
    private static let hook: scrub_log_hook = { level, hasRecord, component, text in
        guard let handler = handlers.withLock({ $0 }), level <= handler.level, let text = unsafe text else { return }
        unsafe handler.take(level, hasRecord, component.map { unsafe String(cString: $0) }, String(cString: text))
    }

    /// For scaling and the like, whose messages are ignored.
    static let quiet = unsafe Log()

    /// Runs libav calls whose messages belong to this record.
    func listen<R: ~Copyable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        let before = unsafe scrub_log_enter(record)
        defer { unsafe scrub_log_leave(before) }
        return try body()
    }

    /// Registers the calling thread as one of the decoder's own.
    func adoptThread() { unsafe scrub_log_adopt_thread(record) }

    /// Excludes messages with the given beginning from the count from now on.
    func expect(_ beginning: String?) {
        guard let record = unsafe record else { return }
        unsafe scrub_log_expect(record, beginning)
    }

    /// Returns the number of messages of level error or worse, or about concealment, since the last call, and the text
    /// of the first one.
    func take() -> (count: Int, first: String?) {
        // Without a record (not enough memory), messages may be missing, so this counts as an error.
        guard let record = unsafe record else { return (1, "not enough memory for the decoder's messages") }
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
            guard let base = text.baseAddress else { return (1, nil) }
            let count = unsafe scrub_log_take(record, base, text.count)
            return unsafe (Int(count), count > 0 ? String(cString: base) : nil)
        }
    }
}
