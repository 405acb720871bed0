/// Whether the work on the present thread is still wanted, for blocking calls that were given no other way to ask.
///
/// Thread safety: safe from any thread; each thread sees the cancellation that is bound on it. A thread that is started
/// for some work does not inherit it: ask ``onThisThread`` before.
package enum WorkCancellation {
    @TaskLocal private static var bound: (@Sendable () -> Bool)?

    /// Asks whether the work was cancelled; never true where nothing is bound.
    package static var onThisThread: @Sendable () -> Bool { bound ?? { false } }

    /// Ends work that is no longer wanted.
    ///
    /// - Throws: `unavailable` when it was cancelled; the task that waits for the work gets a `CancellationError`.
    package static func check() throws(ScrubError) {
        if bound?() == true { throw ScrubError(.unavailable, "the work was cancelled") }
    }

    /// Runs something on this thread that may ask.
    package static func withValue<Result>(
        _ isCancelled: @escaping @Sendable () -> Bool, _ body: () throws -> Result
    ) rethrows -> Result {
        try $bound.withValue(isCancelled, operation: body)
    }
}
