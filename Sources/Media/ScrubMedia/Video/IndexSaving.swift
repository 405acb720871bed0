internal import ScrubBase
internal import ScrubIndex

/// The saving of a new index, either at once or in parallel with the use of its video.
///
/// Thread safety: safe from any thread.
final class IndexSaving: Sendable {
    private let state: Locked<State>

    private enum State {
        case done(problem: String?)
        /// In progress on a thread that has not been joined.
        case beside(DedicatedThread, Outcome)
    }

    private typealias Outcome = Locked<String?>

    /// Saves an index.
    ///
    /// - Parameter isBeside: whether to save it on a separate thread, if the system has one.
    init(of index: FrameIndex, _ key: IndexFile.Key, in store: IndexStore, isBeside: Bool) {
        let save: @Sendable () -> String? = {
            do throws(ScrubError) {
                try store.save(index, key)
                return nil
            } catch {
                // A failure to write the cache only costs time on the next opening.
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

    /// The reason why the index could not be saved. Reading it waits until that is known.
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
