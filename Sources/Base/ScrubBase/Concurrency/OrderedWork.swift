/// Work on a row of items by several threads, whose results are taken in the row's order.
///
/// Thread safety: results are taken by one thread at a time. Memory: the results that wait, at most as many as may be
/// ahead.
package final class OrderedWork<Result: Sendable>: Sendable {
    private struct State {
        var begun = 0
        var taken = 0
        var results: [Int: Result] = [:]
        var isLeft = false
    }

    private let bell = TimedBell(State())
    private let count: Int

    /// Begins the work.
    ///
    /// - Parameters:
    ///   - count: the number of items.
    ///   - threads: how many are at work.
    ///   - work: makes the result of an item, by its number.
    /// - Throws: when the system has no thread left.
    package init(_ count: Int, threads: Int, _ work: @escaping @Sendable (Int) -> Result) throws(ScrubError) {
        self.count = count
        let (bell, ahead) = (bell, 2 * max(1, threads))
        let run: @Sendable () -> Void = {
            while true {
                let item: Int? = bell.wait { state in
                    if state.isLeft || state.begun >= count { return .done(nil) }
                    // The taker is slow: results would pile up.
                    if state.begun - state.taken >= ahead { return .sleep(nil) }
                    state.begun += 1
                    return .done(state.begun - 1)
                }
                guard let item else { return }
                let result = work(item)
                bell.ring { $0.results[item] = result }
            }
        }
        // One is enough.
        try DedicatedThread(run).detach()
        for _ in 1..<max(1, min(threads, count)) { try? DedicatedThread(run).detach() }
    }

    /// The threads end with the items that they have begun.
    deinit { bell.ring { $0.isLeft = true } }

    /// Waits for the next result; `nil` behind the last.
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
