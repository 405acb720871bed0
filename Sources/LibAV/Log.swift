internal import CScrubShims

/// What libav's parts said of trouble, kept in memory instead of on standard error.
///
/// Decoders conceal damage and report it only here, so a verdict needs these words. The ring keeps the last 128
/// messages of level error or worse, from all threads.
package enum Log {
    /// Routes libav's log into the ring, once for the process.
    package static func install() { _ = installed }
    private static let installed: Void = scrub_log_install()

    /// A mark: messages written after it are "since" it.
    package static var position: UInt64 { scrub_log_position() }

    /// How many errors any context wrote since a mark, and the first one's words.
    package static func errors(since mark: UInt64) -> (count: Int, first: String?) {
        errors(since: mark, context: nil, expected: nil)
    }

    /// How many errors a context wrote since a mark, leaving out those that begin with `expected`.
    static func errors(
        since mark: UInt64, context: UnsafeRawPointer?, expected: String?
    ) -> (count: Int, first: String?) {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
            guard let base = text.baseAddress else { return (0, nil) }
            let count = scrub_log_errors_since(mark, context, expected, base, text.count)
            return (Int(count), count > 0 ? String(cString: base) : nil)
        }
    }
}
