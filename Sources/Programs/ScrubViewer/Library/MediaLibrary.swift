#if Viewer
internal import Scrub
internal import ScrubBase
internal import ScrubMedia

/// The media with which the server was started. They are opened when needed and reopened if their files have been
/// replaced. If there are many, the least used are closed.
///
/// Thread safety: safe from any task. They are opened on the library's own threads.
actor MediaLibrary {
    /// The state of a medium.
    private enum State {
        case unopened
        case opening(Task<ViewedMedium, any Error>)
        case open(ViewedMedium)
        /// With the file's state at that time.
        case failed(any Error, FileState?)
    }

    private struct Entry {
        let medium: NamedMedium
        var state = State.unopened
        /// The list's facts about it, even after it was closed.
        var facts: ListedFacts?
        /// The file's state when it was opened.
        var opened: FileState?
        var lastUse = 0
    }

    private var entries: [Entry]
    private let places: [String: Int]
    private let options: VideoAsset.OpenOptions
    private let network: NetworkOptions
    private let openLimit: Int
    private let threads = BlockingThreads(limit: 2)
    /// For checks of files, which nothing else may delay.
    private let looks = BlockingThreads(limit: 2)
    private var clock = 0
    /// Called with media that were opened or could not be opened.
    private let changed: @Sendable (String) -> Void
    /// Called with media that have changed.
    private let retired: @Sendable (ViewedMedium) -> Void

    init(
        _ media: [NamedMedium], options: VideoAsset.OpenOptions, network: NetworkOptions, openLimit: Int,
        changed: @escaping @Sendable (String) -> Void, retired: @escaping @Sendable (ViewedMedium) -> Void
    ) {
        entries = media.map { Entry(medium: $0) }
        places = Dictionary(media.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        (self.options, self.network, self.openLimit) = (options, network, max(1, openLimit))
        (self.changed, self.retired) = (changed, retired)
    }

    /// Returns an open medium whose file is still the same, opening it if necessary.
    ///
    /// - Returns: the medium; `nil` for an unknown ID.
    /// - Throws: the reason why it cannot be opened, each time until its file changes.
    func medium(_ id: String) async throws -> ViewedMedium? {
        guard let place = places[id] else { return nil }
        clock += 1
        entries[place].lastUse = clock
        while true {
            switch entries[place].state {
            case .open(let medium):
                if await look({ medium.isAsOpened }) { return medium }
                retire(medium)
            case .failed(let error, let then):
                let named = entries[place].medium
                guard await look({ named.state() != then }) else { throw error }
                if case .failed(_, then) = entries[place].state { entries[place].state = .unopened }
            case .opening(let task): return try await task.value
            case .unopened: return try await open(place).value
            }
        }
    }

    /// Whether a medium's file is still the opened one after a read. Otherwise, the bytes may belong to neither the old
    /// file nor the new one.
    func isStill(_ medium: ViewedMedium) async -> Bool {
        if await look({ medium.isAsOpened }) { return true }
        retire(medium)
        return false
    }

    /// Checks all files and reopens those that have been replaced.
    func refresh() async {
        let seen = entries.map { ($0.medium, $0.opened) }
        let places = entries.indices.filter { if case .opening = entries[$0].state { false } else { true } }
        let now = await looks.tried { seen.map { $0.0.state() } }
        guard let now else { return }
        var isAnyNew = false
        for place in places where entries[place].opened == seen[place].1 {
            switch entries[place].state {
            case .open(let medium) where now[place] != seen[place].1: retire(medium)
            case .unopened where entries[place].facts != nil && now[place] != seen[place].1: entries[place].facts = nil
            case .failed(_, let then) where now[place] != then: entries[place].state = .unopened
            default: continue
            }
            isAnyNew = true
        }
        if isAnyNew { Task { await openAll() } }
    }

    private func look(_ body: @escaping @Sendable () -> Bool) async -> Bool {
        // Without a thread, this cannot be checked, and is not assumed.
        await looks.tried(body) ?? false
    }

    /// Releases a medium whose file has been replaced.
    private func retire(_ medium: ViewedMedium) {
        medium.retire()
        retired(medium)
        guard let place = places[medium.id], case .open(let present) = entries[place].state, present === medium else {
            return
        }
        (entries[place].state, entries[place].facts) = (.unopened, nil)
    }

    /// Opens all media, one after another, so that the list describes them.
    func openAll() async {
        for place in entries.indices {
            if Task.isCancelled { return }
            guard case .unopened = entries[place].state, entries[place].facts == nil else { continue }
            _ = try? await open(place).value
        }
    }

    /// Waits until every medium was opened or could not be opened, but not longer than the given time.
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
            let (state, result) =
                await threads.tried { ViewedMedium.opening(medium, options, network) } ?? (nil, .failure(noThread))
            return try self.opened(place, state, result)
        }
        entries[place].state = .opening(task)
        return task
    }

    private let noThread = ScrubError(
        .unavailable, "the system cannot create another thread", advice: "try again in a second")

    private func opened(
        _ place: Int, _ state: FileState?, _ result: Result<(ViewedMedium, ListedFacts), ScrubError>
    ) throws -> ViewedMedium {
        defer { changed(entries[place].medium.id) }
        switch result {
        case .success(let (medium, facts)):
            (entries[place].state, entries[place].facts, entries[place].opened) = (.open(medium), facts, state)
            clock += 1
            entries[place].lastUse = clock
            closeLeastUsed()
            return medium
        case .failure(let error):
            // It existed before, so its absence now has a separate message.
            let isGone = state == nil && entries[place].opened != nil && error.code == .noInput
            let reason: any Error = isGone ? MediumChange.removed(entries[place].medium.name) : error
            (entries[place].state, entries[place].facts) = (.failed(reason, state), nil)
            throw reason
        }
    }

    /// Closes the least recently used media; those in use stay open until they are released.
    private func closeLeastUsed() {
        let open = entries.indices.filter { if case .open = entries[$0].state { true } else { false } }
        for place in open.sorted(by: { entries[$0].lastUse < entries[$1].lastUse }).dropLast(openLimit) {
            entries[place].state = .unopened
        }
    }

    /// The list, as in the API.
    var json: String {
        "[" + entries.map(json).joined(separator: ",") + "]"
    }

    private func json(_ entry: Entry) -> String {
        var line = JSONText()
        line.add("id", entry.medium.id)
        line.add("name", entry.medium.name)
        if let facts = entry.facts {
            facts.add(to: &line)
        } else if case .failed(let error, _) = entry.state {
            let failure = Answer.Failure(error)
            line.add("state", "failed")
            line.add("error", failure.cause)
            line.add("hint", failure.hint)
        } else {
            line.add("state", "loading")
        }
        return line.text
    }
}

extension BlockingThreads {
    /// Runs a closure that does not throw; `nil` if the system has no threads left.
    func tried<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result? {
        try? await run { body() }
    }
}
#endif
