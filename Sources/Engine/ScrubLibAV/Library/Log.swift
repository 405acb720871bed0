internal import CScrubShims
internal import ScrubBase

/// The messages of one decoder or input about trouble, kept in memory instead of on standard error.
///
/// Decoders conceal damage and report it only in messages, so a verdict needs these words. Each has a record of its
/// own: a count that cannot overflow into silence, and the first message's text.
///
/// Messages that libav writes while a thread is inside ``listen(_:)`` are the record's, as are those from a decoder's
/// own threads. An error that cannot be attributed counts against every decoder that has such threads.
///
/// The process's callback (`av_log_set_callback`) is this library's from the first use on. While a program has set
/// another one since, each decoder says so as a message whenever it is asked, because its own messages are not known.
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

    /// Takes messages in a program's name; called on the thread that wrote one.
    package struct Handler: Sendable {
        /// The least severe level that is wanted, in libav's numbers.
        let level: Int32
        /// Takes the level, whether the message is of Scrub's own work, its source's name, and the words.
        package let take: @Sendable (Int32, Bool, String?, String) -> Void

        package init(level: Int32, take: @escaping @Sendable (Int32, Bool, String?, String) -> Void) {
            (self.level, self.take) = (level, take)
        }
    }

    /// Hands messages to a program, instead of to standard error; `nil` for none.
    ///
    /// It takes the process's callback back where the program has set another one.
    package static func setHandler(_ handler: Handler?) {
        // First, so that no later first use takes the callback from a program that sets its own after this.
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
