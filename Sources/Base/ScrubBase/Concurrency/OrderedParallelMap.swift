/// Processes a sequence of items on several threads and delivers the results in order.
///
/// Thread safety: one thread at a time takes results. Memory: the waiting results, up to a limit.
package final class OrderedParallelMap<Result: Sendable>: Sendable {
    private struct State {
        var begun = 0
        var taken = 0
        var results: [Int: Result] = [:]
        var isLeft = false
    }

    private let bell = TimedBell(State())
    private let count: Int

    /// Starts the work.
    ///
    /// - Parameters:
    ///   - count: the number of items.
    ///   - threads: the number of working threads.
    ///   - work: returns the result of an item, given its number.
    /// - Throws: an error if the system cannot create a thread.
    package init(_ count: Int, threads: Int, _ work: @escaping @Sendable (Int) -> Result) throws(ScrubError) {
        self.count = count
        let (bell, ahead) = (bell, 2 * max(1, threads))
        let run: @Sendable () -> Void = {
            while true {
                let item: Int? = bell.wait { state in
                    if state.isLeft || state.begun >= count { return .done(nil) }
                    // The consumer is slow, and results would pile up.
                    if state.begun - state.taken >= ahead { return .sleep(nil) }
                    state.begun += 1
                    return .done(state.begun - 1)
                }
                guard let item else { return }
                let result = work(item)
                bell.ring { $0.results[item] = result }
            }
        }
        // One thread is enough.
        try DedicatedThread(run).detach()
        for _ in 1..<max(1, min(threads, count)) { try? DedicatedThread(run).detach() }
    }

    /// The threads end after the items that they have started.
    deinit { bell.ring { $0.isLeft = true } }

    /// Waits for and returns the next result; `nil` after the last one.
    package func next() -> Result? {
        let result: Result? = bell.wait { [count] state in
            guard state.taken < count else { return .done(nil) }
            guard let result = state.results.removeValue(forKey: state.taken) else { return .sleep(nil) }
            state.taken += 1
            return .done(result)
        }
        bell.ring { _ in }
        return result
    }
}
