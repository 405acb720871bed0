/// Whether the work on the present thread is still wanted, for blocking calls that were given no other way to ask.
///
/// Thread safety: safe from any thread; each sees what is bound on it. A thread that is started for some work does not
/// inherit it: ask ``onThisThread`` before.
package enum WorkCancellation {
    @TaskLocal private static var bound: (@Sendable () -> Bool)?

    /// Asks whether the work was cancelled; never true where nothing is bound.
    package static var onThisThread: @Sendable () -> Bool { bound ?? { false } }

    /// Runs something on this thread that may ask.
    package static func withValue<Result>(
        _ isCancelled: @escaping @Sendable () -> Bool, _ body: () throws -> Result
    ) rethrows -> Result {
        try $bound.withValue(isCancelled, operation: body)
    }
}
