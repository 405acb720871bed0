internal import ScrubBase

/// The results of comparing restarts that are not confirmed by a header.
///
/// Thread safety: safe from any thread. Memory: a few bytes for each restart that was compared.
package final class RestartProofs: Sendable {
    private struct State {
        var isProven: [Int: Bool] = [:]
        var beginningIsSound: Bool?
        var load: (@Sendable () -> [Int: Bool])?
        var hasNews = false
        var refutations = 0
        /// The restarts that are proven, which are few if many are refuted.
        var proven: Set<Int> = []

        /// Reads the saved results, on demand.
        mutating func recall() {
            guard let load else { return }
            self.load = nil
            var found = load()
            let saved = found.removeValue(forKey: State.beginning)
            beginningIsSound = beginningIsSound ?? saved
            isProven.merge(found) { new, _ in new }
            proven = Set(isProven.filter(\.value).keys)
        }

        /// The key for the beginning among saved results, which is free because a restart at picture 0 never needs a
        /// proof.
        static let beginning = 0
    }

    private let state: Locked<State>

    /// - Parameter load: reads the saved results; called at most once.
    package init(load: (@Sendable () -> [Int: Bool])? = nil) {
        var state = State()
        state.load = load
        self.state = Locked(state)
    }

    /// Whether the stream's first pictures are valid; `nil` if they have not been decoded yet.
    package var beginningIsSound: Bool? {
        state.withLock { state in
            state.recall()
            return state.beginningIsSound
        }
    }

    /// Records whether the stream's first pictures are valid.
    package func recordBeginning(isSound: Bool) {
        state.withLock { ($0.beginningIsSound, $0.hasNews) = (isSound, true) }
    }

    /// Returns whether a restart was compared and produces the pictures of a linear decode.
    package func isProven(_ restart: Int) -> Bool {
        state.withLock { state in
            state.recall()
            return state.isProven[restart] == true
        }
    }

    /// Returns whether a restart was compared and produces different pictures.
    package func isRefuted(_ restart: Int) -> Bool {
        state.withLock { state in
            state.recall()
            return state.isProven[restart] == false
        }
    }

    /// Records the result of a comparison.
    package func record(_ restart: Int, isProven: Bool) {
        state.withLock { state in
            state.isProven[restart] = isProven
            state.hasNews = true
            if isProven {
                state.proven.insert(restart)
            } else {
                state.proven.remove(restart)
                state.refutations += 1
            }
        }
    }

    /// The number of restarts that were refuted since the object was created.
    package var refutations: Int { state.withLock { $0.refutations } }

    /// Discards the proofs of restarts before a picture, which must now apply to more pictures than were compared.
    package func forgetProven(before picture: Int) {
        state.withLock { state in
            state.recall()
            for restart in state.proven.filter({ $0 < picture }) {
                state.isProven[restart] = nil
                state.proven.remove(restart)
                state.hasNews = true
            }
        }
    }

    /// All results, if some of them are not saved yet; otherwise, `nil`.
    package var news: [Int: Bool]? {
        state.withLock { state in
            guard state.hasNews else { return nil }
            state.recall()
            var found = state.isProven
            found[State.beginning] = state.beginningIsSound
            return found
        }
    }
    /// The results for all restarts.
    package var all: [Int: Bool] {
        state.withLock { state in
            state.recall()
            return state.isProven
        }
    }
}
