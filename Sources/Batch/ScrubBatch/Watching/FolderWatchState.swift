internal import ScrubBatchLogic
internal import ScrubFileIO
internal import ScrubBase

/// The state of a watch: watched folders, awaited films, and the times of duties.
///
/// Thread safety: safe from any thread. Files are examined outside the lock.
final class FolderWatchState: Sendable {
    private struct State: Sendable {
        var folders: WatchedFolders
        var settling: SettlingFiles<FileFacts>
        var schedule: WatchSchedule
        /// The awaited films of the current pass, with the decisions about them.
        var handed: [ExactName: FileFacts] = [:]
        /// Why films that seem incomplete are processed.
        var notes: [ExactName: String] = [:]
        var words: [ScrubError] = []
    }

    let watch: FolderWatch?
    private let roots: [WatchRoot]
    /// Whether a film's row already says everything about it.
    private let isKnown: @Sendable (_ place: String, _ facts: FileFacts) -> Bool
    private let clock: @Sendable () -> Int64
    private let wallClock: @Sendable () -> Int64
    private let settle: Int64
    private let sweeps: Bool
    private let state: Locked<State>

    /// - Parameters:
    ///   - sweeps: whether missing films matter.
    ///   - clock: milliseconds of a monotonic clock.
    ///   - wallClock: seconds since 1970.
    init(
        _ folders: WatchedFolders, roots: [WatchRoot], settle: Int64, sweeps: Bool,
        clock: @escaping @Sendable () -> Int64,
        wallClock: @escaping @Sendable () -> Int64,
        isKnown: @escaping @Sendable (_ place: String, _ facts: FileFacts) -> Bool
    ) {
        (watch, self.roots, self.isKnown, self.clock, self.wallClock) = (
            folders.watch, roots, isKnown, clock, wallClock
        )
        (self.settle, self.sweeps) = (settle, sweeps)
        var rules = SettlingFiles<FileFacts>.Rules()
        rules.settle = settle
        state = Locked(
            State(
                folders: folders, settling: SettlingFiles(rules), schedule: WatchSchedule(settle: settle, now: clock()))
        )
    }

    /// The number of awaited films, and how many of them are incomplete.
    var counts: (waiting: Int, incomplete: Int) {
        state.withLock { ($0.settling.count, $0.settling.incompleteCount) }
    }

    /// The number of watched folders, and how many of them the kernel watches.
    var folderCounts: (all: Int, watched: Int) {
        state.withLock { ($0.folders.tree.count, $0.folders.tree.watchCount) }
    }

    /// Returns the messages for the user, each once.
    func takeWords() -> [ScrubError] { state.exchange(\.words, for: []) }

    // MARK: Events

    /// Begins to watch all folders, or begins again if it has already started.
    func rebuild() { change { $0.rebuild() } }

    /// Reads the kernel's events.
    func drain() { change { $0.drain() } }

    /// Checks folders without notifications.
    func poll() { change { $0.poll() } }

    /// Handles events as if the kernel had sent them.
    func take(_ events: [FolderWatch.Event]) {
        change { folders in
            var news = WatchedFolders.News()
            for event in events { folders.take(event, &news) }
            return news
        }
    }

    private func change(_ body: (inout WatchedFolders) -> WatchedFolders.News) {
        let news = state.withLock { state -> WatchedFolders.News in
            let news = body(&state.folders)
            let now = clock()
            for path in news.gone { state.settling.forget(path) }
            for path in news.goneFolders { state.settling.forget(below: path) }
            if sweeps, !news.gone.isEmpty || !news.goneFolders.isEmpty || news.hasLost {
                state.schedule.requestSweep(now: now)
            }
            if news.needsWalk { state.schedule.requestWalk(now: now) }
            state.words += news.words
            return news
        }
        var seen: Set<ExactName> = []
        for path in news.files where seen.insert(ExactName(path)).inserted { touch(path) }
    }

    /// Records that something has happened to a film, or that it is to be retried.
    func touch(_ path: String) {
        guard let place = roots.lazy.compactMap({ $0.place(of: path) }).first else { return }
        guard let facts = FileFacts(path: path) else {
            return state.withLock { state in
                state.settling.forget(path)
                if sweeps { state.schedule.requestSweep(now: clock()) }
            }
        }
        guard facts.kind == .file, !isKnown(place, facts) else { return state.withLock { $0.settling.forget(path) } }
        put(off: path, facts)
    }

    private func put(off path: String, _ facts: FileFacts) {
        state.withLock { state in
            // Files for which there is no room are found by a later walk.
            if !state.settling.touch(path, facts, now: clock()) { state.schedule.requestWalk(now: clock()) }
        }
    }

    // MARK: Due work

    func duties() -> [WatchSchedule.Duty] { state.withLock { $0.schedule.due(now: clock()) } }

    func requestWalk() { state.withLock { $0.schedule.requestWalk(now: clock()) } }

    /// Returns the films that are complete now, each once.
    func complete() -> [FoundFile] {
        var found: [FoundFile] = []
        for path in state.withLock({ $0.settling.due(now: clock()) }) {
            let facts = FileFacts(path: path).flatMap { $0.kind == .file ? $0 : nil }
            guard state.withLock({ $0.settling.observe(path, facts, now: clock()) }) == .still, let facts,
                let place = roots.lazy.compactMap({ $0.place(of: path) }).first
            else { continue }
            let complaint = FilmReadiness.complaint(path)
            let isBegun = state.withLock { state -> Bool in
                switch state.settling.judge(path, complaint: complaint, now: clock()) {
                case .wait: return false
                case .beginAsItIs(let why): state.notes[ExactName(path)] = why
                case .begin: break
                }
                state.handed[ExactName(path)] = facts
                return true
            }
            if isBegun { found.append(FoundFile(path: path, place: place, facts: facts)) }
        }
        return found
    }

    /// Ends a pass: messages about its films are forgotten.
    func endPass() { state.withLock { state in (state.handed, state.notes) = ([:], [:]) } }

    /// Why a film that seems incomplete was accepted.
    func note(_ path: String) -> String? { state.withLock { $0.notes[ExactName(path)] } }

    /// Whether a film of a pass is processed; otherwise, it is awaited.
    func admits(_ file: FoundFile, _ moment: BatchOptions.Moment) -> Bool {
        let judged = state.withLock { $0.handed[ExactName(file.path)] }
        guard moment == .begun else {
            if judged == file.facts || age(file.facts) >= settle { return true }
            put(off: file.path, file.facts)
            return false
        }
        // It may have been in the queue for a long time.
        guard let facts = FileFacts(path: file.path), facts.kind == .file else {
            touch(file.path)
            return false
        }
        if facts == judged { return true }
        let quiet = age(facts)
        if facts == file.facts, quiet >= settle {
            // A file that has been there for a day is no longer being written.
            if quiet >= FolderWatchState.day || FilmReadiness.complaint(file.path) == nil { return true }
        }
        put(off: file.path, facts)
        return false
    }

    private static let day: Int64 = 86_400_000

    /// Returns the milliseconds since a file was last changed in any way, by the machine's clock and the disk's:
    /// negative if these differ.
    private func age(_ facts: FileFacts) -> Int64 {
        let (age, isTooLarge) = wallClock().multipliedReportingOverflow(by: 1000)
        return isTooLarge ? 0 : age &- facts.changed / 1_000_000
    }
}
