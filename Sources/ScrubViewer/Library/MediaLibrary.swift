internal import Scrub
internal import ScrubBase
internal import ScrubMedia

/// The media that the server was started with: opened when they are needed, the least used closed when there are many.
///
/// Thread safety: safe from any task. Opening is done on threads of the library's own.
actor MediaLibrary {
    /// How far a medium is.
    private enum State {
        case unopened
        case opening(Task<ViewedMedium, any Error>)
        case open(ViewedMedium)
        case failed(ScrubError)
    }

    private struct Entry {
        let medium: NamedMedium
        var state = State.unopened
        /// What the list says of it, also after it was closed.
        var facts: ListedFacts?
        var lastUse = 0
    }

    /// What the list says of a medium.
    private struct ListedFacts: Sendable {
        let frameCount: Int
        let duration: Double
        let width: Int
        let height: Int
        let codec: String
        let fingerprint: String
        let start: Int64
        let timeBase: Rational
    }

    private var entries: [Entry]
    private let places: [String: Int]
    private let options: OpenOptions
    private let network: NetworkOptions
    private let openLimit: Int
    private let threads = BlockingThreads(limit: 2)
    private var clock = 0
    /// Told of media that were opened or could not be.
    private let changed: @Sendable (String) -> Void

    init(
        _ media: [NamedMedium], options: OpenOptions, network: NetworkOptions, openLimit: Int,
        changed: @escaping @Sendable (String) -> Void
    ) {
        entries = media.map { Entry(medium: $0) }
        places = Dictionary(media.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        (self.options, self.network, self.openLimit, self.changed) = (options, network, max(1, openLimit), changed)
    }

    /// A medium that is open; opened if need be.
    ///
    /// - Returns: `nil` for an id that nothing has.
    /// - Throws: why it cannot be opened, each time.
    func medium(_ id: String) async throws -> ViewedMedium? {
        guard let place = places[id] else { return nil }
        clock += 1
        entries[place].lastUse = clock
        switch entries[place].state {
        case .open(let medium): return medium
        case .failed(let error): throw error
        case .opening(let task): return try await task.value
        case .unopened: return try await open(place).value
        }
    }

    /// Opens all of them, one after the other, so that the list tells of them.
    func openAll() async {
        for place in entries.indices {
            if Task.isCancelled { return }
            guard case .unopened = entries[place].state, entries[place].facts == nil else { continue }
            _ = try? await open(place).value
        }
    }

    /// Waits until every medium was opened, or could not be; not longer than given.
    func waitUntilSettled(_ limit: Duration) async {
        let end = ContinuousClock.now + limit
        while !isSettled, ContinuousClock.now < end, (try? await Task.sleep(for: .milliseconds(10))) != nil {}
    }

    private var isSettled: Bool {
        entries.allSatisfy { entry in
            if entry.facts != nil { return true }
            if case .failed = entry.state { return true }
            return false
        }
    }

    private func open(_ place: Int) -> Task<ViewedMedium, any Error> {
        let (medium, options, network, threads) = (entries[place].medium, options, network, threads)
        let task = Task {
            let result: Result<(ViewedMedium, ListedFacts), any Error>
            do {
                result = .success(
                    try await threads.run {
                        let opened = try ViewedMedium(medium, options, network)
                        let info = try opened.info()
                        return (
                            opened,
                            ListedFacts(
                                frameCount: info.frameCount, duration: opened.asset.duration.approximation,
                                width: info.width,
                                height: info.height, codec: info.codec, fingerprint: opened.fingerprint,
                                start: info.startTime,
                                timeBase: info.timeBase)
                        )
                    })
            } catch {
                result = .failure(error)
            }
            return try self.opened(place, result)
        }
        entries[place].state = .opening(task)
        return task
    }

    private func opened(_ place: Int, _ result: Result<(ViewedMedium, ListedFacts), any Error>) throws -> ViewedMedium {
        defer { changed(entries[place].medium.id) }
        switch result {
        case .success(let (medium, facts)):
            entries[place].state = .open(medium)
            entries[place].facts = facts
            clock += 1
            entries[place].lastUse = clock
            closeLeastUsed()
            return medium
        case .failure(let error):
            let reason = error as? ScrubError ?? ScrubError(.inputOutput, "\(error)")
            entries[place].state = .failed(reason)
            throw reason
        }
    }

    /// Those that somebody still uses live on until they are let go of.
    private func closeLeastUsed() {
        let open = entries.indices.filter { if case .open = entries[$0].state { true } else { false } }
        for place in open.sorted(by: { entries[$0].lastUse < entries[$1].lastUse }).dropLast(openLimit) {
            entries[place].state = .unopened
        }
    }

    /// The list as the API gives it.
    var json: String {
        "[" + entries.map(json).joined(separator: ",") + "]"
    }

    private func json(_ entry: Entry) -> String {
        var line = JSONText()
        line.add("id", entry.medium.id)
        line.add("name", entry.medium.name)
        if let facts = entry.facts {
            line.add("state", "ready")
            line.add("frameCount", facts.frameCount)
            line.add("duration", facts.duration)
            line.add("width", facts.width)
            line.add("height", facts.height)
            line.add("codec", facts.codec)
            line.add("fingerprint", facts.fingerprint)
            line.add("start", Double(facts.start) * facts.timeBase.approximation)
        } else if case .failed(let error) = entry.state {
            line.add("state", "failed")
            var shown = error
            shown.file = error.file?.mediumName
            shown.advice = nil
            line.add("error", shown.description)
            line.add("hint", error.advice)
        } else {
            line.add("state", "loading")
        }
        return line.text
    }
}
