package import ScrubBase

/// Warnings about parts of the cache that are not used, which makes work slower but not wrong. Each one is reported
/// once per process.
///
/// Thread safety: safe from any thread; the listener is called on the thread that found the problem.
package final class CacheWarnings: Sendable {
    /// The process's warnings.
    package static let shared = CacheWarnings()

    private struct State {
        var told: Set<String> = []
        var listener: (@Sendable (String) -> Void)?
    }

    /// The maximum number of remembered warnings, because a program that runs for weeks meets many files.
    private static let mostReported = 1000

    private let state = Locked(State())

    private init() {}

    /// Sets the listener from now on.
    package func onWarning(_ body: @escaping @Sendable (String) -> Void) { state.withLock { $0.listener = body } }

    /// Reports an error, unless the same one was already reported.
    package func tell(_ error: ScrubError) { tell(error.description) }

    /// Reports an error as text.
    package func tell(_ text: String) {
        let listener = state.withLock { state -> (@Sendable (String) -> Void)? in
            // Without a listener, the text does not count as reported, so that a later listener still receives it.
            guard let listener = state.listener, state.told.insert(text).inserted else { return nil }
            if state.told.count > CacheWarnings.mostReported { state.told = [text] }
            return listener
        }
        listener?(text)
    }
}
