package import ScrubBase

/// Observers of causes that make things slower and not wrong, each reported once in a process: parts of the cache that
/// are not used.
///
/// Thread safety: safe from any thread; the listener is called on the thread that found it out.
package final class CacheWarnings: Sendable {
    /// The process's.
    package static let shared = CacheWarnings()

    private struct State {
        var told: Set<String> = []
        var listener: (@Sendable (String) -> Void)?
    }

    /// The number of different warnings that are remembered: a program that runs for weeks meets many files.
    private static let mostReported = 1000

    private let state = Locked(State())

    private init() {}

    /// Sets the observer from now on.
    package func onWarning(_ body: @escaping @Sendable (String) -> Void) { state.withLock { $0.listener = body } }

    /// Reports an error, unless the very same was reported before.
    package func tell(_ error: ScrubError) { tell(error.description) }

    /// Reports an error as text.
    package func tell(_ text: String) {
        let listener = state.withLock { state -> (@Sendable (String) -> Void)? in
            // Without a listener the text does not count as told: a later one is still told.
            guard let listener = state.listener, state.told.insert(text).inserted else { return nil }
            if state.told.count > CacheWarnings.mostReported { state.told = [text] }
            return listener
        }
        listener?(text)
    }
}
