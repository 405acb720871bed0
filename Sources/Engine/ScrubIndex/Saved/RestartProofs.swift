internal import ScrubBase

/// The results of comparing restarts that no header proves.
///
/// Thread safety: safe from any thread. Memory: a few bytes for each restart that was compared.
package final class RestartProofs: Sendable {
    private struct State {
        var isProven: [Int: Bool] = [:]
        var beginningIsSound: Bool?
        var load: (@Sendable () -> [Int: Bool])?
        var hasNews = false
        var refutations = 0
        /// Those that are proven, which are few where many are refuted.
        var proven: Set<Int> = []

        /// Reads the saved findings, on demand.
        mutating func recall() {
            guard let load else { return }
            self.load = nil
            var found = load()
            let saved = found.removeValue(forKey: State.beginning)
            beginningIsSound = beginningIsSound ?? saved
            isProven.merge(found) { new, _ in new }
            proven = Set(isProven.filter(\.value).keys)
        }

        /// The beginning's place among saved findings: no restart begins at picture 0 that needs a proof.
        static let beginning = 0
    }

    private let state: Locked<State>

    /// - Parameter load: reads the findings of an earlier time; called at most once.
    package init(load: (@Sendable () -> [Int: Bool])? = nil) {
        var state = State()
        state.load = load
        self.state = Locked(state)
    }

    /// Whether the stream's first pictures are sound; `nil` if they were not decoded yet.
    package var beginningIsSound: Bool? {
        state.withLock { state in
            state.recall()
            return state.beginningIsSound
        }
    }

    /// Records whether the stream's first pictures are sound.
    package func recordBeginning(isSound: Bool) {
        state.withLock { ($0.beginningIsSound, $0.hasNews) = (isSound, true) }
    }

    /// Whether a restart was compared and gives the linear decode's pictures.
    package func isProven(_ restart: Int) -> Bool {
        state.withLock { state in
            state.recall()
            return state.isProven[restart] == true
        }
    }

    /// Whether a restart was compared and gives something else.
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

    /// The number of restarts that were refuted since this was made.
    package var refutations: Int { state.withLock { $0.refutations } }

    /// Forgets which restarts before a picture hold: they have to for more pictures now than those that were compared.
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

    /// Everything that is known, if some of it is not saved yet.
    package var news: [Int: Bool]? {
        state.withLock { state in
            guard state.hasNews else { return nil }
            state.recall()
            var found = state.isProven
            found[State.beginning] = state.beginningIsSound
            return found
        }
    }
    /// The findings about all restarts.
    package var all: [Int: Bool] {
        state.withLock { state in
            state.recall()
            return state.isProven
        }
    }
}
