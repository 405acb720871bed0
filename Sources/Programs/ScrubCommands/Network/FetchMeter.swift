#if CommandLine
internal import Scrub
internal import ScrubBase

/// This process's fetches of all media so far. A line on standard error shows them while a terminal looks on and
/// nothing else is shown there.
///
/// Thread safety: safe from any thread.
final class FetchMeter: Sendable {
    static let shared = FetchMeter()

    private struct State {
        /// Of media that may still be read; they live as long as they are here.
        var costs: [@Sendable () -> NetworkCost] = []
        /// Of all others.
        var settled = NetworkCost()
        var isEmpty = true
        var thread: DedicatedThread?
        /// Whether the line is there now.
        var isShown = false
        /// Whether the terminal is used by something else for good.
        var isSilent = false
        /// Ticks to leave out, because another bar is there.
        var pause = 0
        var last: Int64 = 0
        /// The cost that was reported to people.
        var told = NetworkCost()
    }

    private let bell = TimedBell(State())

    /// Counts a medium, and begins to look when the terminal shows it.
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
        // Without a thread there is no line, and all else is as it should be.
        guard isFirst, let thread = try? DedicatedThread({ self.look() }) else { return }
        bell.withLock { $0.thread = thread }
        thread.detach()
    }

    /// Says nothing from now on: a player has the terminal.
    func silence() {
        bell.withLock { state in
            wipe(&state)
            state.isSilent = true
        }
    }

    /// Makes room for another line.
    ///
    /// - Parameter isBar: whether it is one that is drawn again and again.
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

    /// Tells people the fetches since the last report.
    func sayNews() {
        guard Terminal.showsBars, let total else { return }
        let news = bell.withLock { state in
            defer { state.told = total }
            return state.isSilent ? NetworkCost() : total.since(state.told)
        }
        if news.requests > 0 || news.bytesFromCache > 0 { Terminal.say(news.text) }
    }

    private func wipe(_ state: inout State) {
        if state.isShown { Terminal.sayRaw("\r\u{1B}[K") }
        state.isShown = false
    }

    /// Looks until the process ends.
    private func look() {
        while true {
            bell.wait { [tick = Locked(false)] _ -> TimedBell<State>.Wake<Void> in
                tick.exchange(\.self, for: true) ? .done(()) : .sleep(250_000_000)
            }
            guard let total else { continue }
            bell.withLock { state in
                state.pause = max(0, state.pause - 1)
                defer { state.last = total.bytesFetched }
                guard !state.isSilent, state.pause == 0, total.bytesFetched > state.last else { return }
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
        rest.requests -= earlier.requests
        rest.bytesFetched -= earlier.bytesFetched
        rest.bytesFromCache -= earlier.bytesFromCache
        rest.retries -= earlier.retries
        return rest
    }

    /// For people.
    var text: String {
        var text = "\(Amount.of(requests, "request")), \(Amount.size(bytesFetched)) fetched"
        if bytesFromCache > 0 { text += ", \(Amount.size(bytesFromCache)) from the cache" }
        if retries > 0 { text += ", \(Amount.of(retries, "retry", "retries"))" }
        return text
    }
}
#endif
