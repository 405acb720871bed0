#if CommandLine
internal import Scrub
internal import ScrubBase

/// This process's fetches of all media so far. A line on standard error shows them if it is a terminal and nothing else
/// is shown there.
///
/// Thread safety: safe from any thread.
final class FetchMeter: Sendable {
    static let shared = FetchMeter()

    private struct State {
        /// The costs of media that may still be read; these are retained while they are here.
        var costs: [@Sendable () -> NetworkCost] = []
        /// The costs of all other media.
        var settled = NetworkCost()
        var isEmpty = true
        var thread: DedicatedThread?
        /// Whether the line is currently shown.
        var isShown = false
        /// Whether something else has taken over the terminal permanently.
        var isSilent = false
        /// Ticks to skip, because another bar is shown.
        var pause = 0
        var last: Int64 = 0
        /// The cost that was reported to people.
        var told = NetworkCost()
    }

    private let bell = TimedBell(State())

    /// Counts a medium, and starts the display if there is a terminal.
    func watch(_ cost: @escaping @Sendable () -> NetworkCost) {
        bell.withLock { state in
            state.costs.append(cost)
            state.isEmpty = false
        }
        guard Terminal.showsBars else { return }
        let isFirst = bell.withLock { state in
            defer { state.pause = max(state.pause, 1) }
            return state.thread == nil && !state.isSilent
        }
        // Without a thread, there is no line, but everything else works.
        guard isFirst, let thread = try? DedicatedThread({ self.look() }) else { return }
        bell.withLock { $0.thread = thread }
        thread.detach()
    }

    /// Prints nothing from now on: a player has the terminal.
    func silence() {
        bell.withLock { state in
            wipe(&state)
            state.isSilent = true
        }
    }

    /// Makes room for another line.
    ///
    /// - Parameter isBar: whether that line is redrawn repeatedly.
    func makeRoom(isBar: Bool = false) {
        bell.withLock { state in
            wipe(&state)
            if isBar { state.pause = 4 }
        }
    }

    /// The cost of all media.
    var total: NetworkCost? {
        let (costs, settled, isEmpty) = bell.withLock { ($0.costs, $0.settled, $0.isEmpty) }
        return isEmpty ? nil : costs.reduce(settled) { $0 + $1() }
    }

    /// Records the cost of media without readers, and releases them.
    func settle() {
        let costs = bell.withLock { state in
            defer { state.costs = [] }
            return state.costs
        }
        let sum = costs.reduce(NetworkCost()) { $0 + $1() }
        bell.withLock { $0.settled = $0.settled + sum }
    }

    /// Reports the fetches since the last report to people.
    func sayNews() {
        guard Terminal.showsBars, let total else { return }
        let news = bell.withLock { state in
            defer { state.told = total }
            return state.isSilent ? NetworkCost() : total.since(state.told)
        }
        if news.requestCount > 0 || news.cachedByteCount > 0 { Terminal.say(news.text) }
    }

    private func wipe(_ state: inout State) {
        if state.isShown { Terminal.sayRaw("\r\u{1B}[K") }
        state.isShown = false
    }

    /// Runs until the process ends.
    private func look() {
        while true {
            bell.wait { [tick = Locked(false)] _ -> TimedBell<State>.Wake<Void> in
                tick.exchange(\.self, for: true) ? .done(()) : .sleep(250_000_000)
            }
            guard let total else { continue }
            bell.withLock { state in
                state.pause = max(0, state.pause - 1)
                defer { state.last = total.fetchedByteCount }
                guard !state.isSilent, state.pause == 0, total.fetchedByteCount > state.last else { return }
                let line = "fetching: " + total.text
                Terminal.sayRaw("\r" + String(line.prefix(max(0, Terminal.width - 1))) + "\u{1B}[K")
                state.isShown = true
            }
        }
    }
}

extension NetworkCost {
    /// Returns the cost since an earlier state.
    func since(_ earlier: NetworkCost) -> NetworkCost {
        var rest = self
        rest.requestCount -= earlier.requestCount
        rest.fetchedByteCount -= earlier.fetchedByteCount
        rest.cachedByteCount -= earlier.cachedByteCount
        rest.retryCount -= earlier.retryCount
        return rest
    }

    /// For people.
    var text: String {
        var text = "\(Amount.of(requestCount, "request")), \(Amount.size(fetchedByteCount)) fetched"
        if cachedByteCount > 0 { text += ", \(Amount.size(cachedByteCount)) from the cache" }
        if retryCount > 0 { text += ", \(Amount.of(retryCount, "retry", "retries"))" }
        return text
    }
}
#endif
