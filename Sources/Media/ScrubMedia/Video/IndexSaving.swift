internal import ScrubBase
internal import ScrubIndex

/// The saving of a new index, at once or while its video is asked other things.
///
/// Thread safety: safe from any thread.
final class IndexSaving: Sendable {
    private let state: Locked<State>

    private enum State {
        case done(problem: String?)
        /// In work on a thread that has not been waited for.
        case beside(DedicatedThread, Outcome)
    }

    private typealias Outcome = Locked<String?>

    /// Saves an index.
    ///
    /// - Parameter isBeside: whether a thread of its own does it, when the system has one.
    init(of index: FrameIndex, _ key: IndexFile.Key, in store: IndexStore, isBeside: Bool) {
        let save: @Sendable () -> String? = {
            do throws(ScrubError) {
                try store.save(index, key)
                return nil
            } catch {
                // A cache that can't be written costs time on the next opening and nothing else.
                return error.description
            }
        }
        let outcome = Outcome(nil)
        if isBeside, let thread = try? DedicatedThread({ outcome.withLock { $0 = save() } }) {
            state = Locked(.beside(thread, outcome))
        } else {
            state = Locked(.done(problem: save()))
        }
    }

    /// Waits until the index is saved.
    deinit { _ = problem }

    /// Why the index could not be saved; waits until that is known.
    var problem: String? {
        state.withLock { state in
            switch state {
            case .done(let problem): return problem
            case .beside(let thread, let outcome):
                thread.join()
                let problem = outcome.withLock { $0 }
                state = .done(problem: problem)
                return problem
            }
        }
    }
}
