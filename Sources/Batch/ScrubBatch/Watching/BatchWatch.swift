internal import ScrubBatchLogic
internal import ScrubFileIO
internal import Glibc
package import ScrubBase

/// Keeps the results of a library complete while films are added, changed and removed.
///
/// It first walks through everything, like ``BatchRun``, and then watches folders. Films that arrive while others are
/// in progress are started when those are finished.
///
/// Memory, in addition to a run's: about 250 bytes and the name for each folder (and a KiB in the kernel). For each
/// awaited film, about 200 bytes and the path, for at most 65,536 films. The facts about films are in the state's
/// database.
///
/// Use from one thread.
package final class BatchWatch: Sendable {
    package struct Options: Sendable {
        /// The milliseconds for which a film must be unchanged before it is started.
        package var settle: Int64 = 5_000
        /// Whether the results of missing films are removed.
        package var deletesGone = false
        /// Milliseconds of a monotonic clock.
        package var clock: @Sendable () -> Int64 = {
            Int64(clamping: BatchWatch.start.duration(to: .now).wholeNanoseconds / 1_000_000)
        }
        /// Seconds since 1970, with which files' times are compared.
        package var wallClock: @Sendable () -> Int64 = { BatchClock.now }
        /// Whether the kernel reports all changes in a folder.
        package var hears: @Sendable (String) -> Bool = { Folder.hearsOfChanges($0) }

        package init() {}
    }

    /// The observers.
    package struct Listener: Sendable {
        package var report: @Sendable (BatchOutcome) -> Void
        package var progress: @Sendable (Double) -> Void = { _ in }
        /// Receives the messages for the user, each once.
        package var say: @Sendable (ScrubError) -> Void = { _ in }
        /// A film's results were removed: the film's path, and the results' place.
        package var removed: @Sendable (_ path: String, _ place: String) -> Void = { _, _ in }

        package init(report: @escaping @Sendable (BatchOutcome) -> Void) { self.report = report }
    }

    private static let start = ContinuousClock.now

    let board: FolderWatchState
    private let run: BatchRun
    private let roots: [WatchRoot]
    private let options: Options
    private let listener: Listener
    private let stopsAdmitting: @Sendable () -> Bool
    private let cancellation: Cancellation
    private let total = Locked(BatchSummary())
    private let hasWalked = Locked(false)
    /// The messages about missing films, each once.
    private let said = Locked(Set<ScrubError>())

    /// - Throws: as for ``BatchRun/init(_:_:)``.
    package init(
        _ batch: BatchOptions, _ work: BatchWork, _ roots: [WatchRoot], _ options: Options = Options(),
        stopsAdmitting: @escaping @Sendable () -> Bool = { false },
        cancellation: Cancellation = Cancellation(), listener: Listener
    ) throws(ScrubError) {
        (self.roots, self.options, self.listener) = (roots, options, listener)
        (self.stopsAdmitting, self.cancellation) = (stopsAdmitting, cancellation)
        let plain = try BatchRun(batch, work)
        // Without events, everything is checked.
        let folders = WatchedFolders(
            roots, leavingOut: [batch.folder], watch: try? FolderWatch(), hears: options.hears)
        let (state, key) = (plain.state, plain.optionsKey)
        let board = FolderWatchState(
            folders, roots: roots, settle: options.settle, sweeps: options.deletesGone, clock: options.clock,
            wallClock: options.wallClock
        ) { place, facts in
            guard let row = try? state.row(place), row.facts == facts else { return false }
            switch row.status {
            case .other: return true
            case .done, .failed, .left: return row.options == key
            case .waiting, .working: return false
            }
        }
        var admitting = plain.options
        admitting.admits = { board.admits($0, $1) }
        self.board = board
        run = plain.with(admitting)
    }

    /// Watches the library until no more films are to be started.
    ///
    /// - Parameters:
    ///   - waits: receives, four times a second between checks, the number of awaited films and how many of them are
    ///     incomplete.
    /// - Returns: the outcome of all films, and in ``BatchSummary/left`` whether work remained.
    /// - Throws: as for ``BatchRun/run(_:stopsAdmitting:cancellation:report:progress:reportsKnown:)``, except for roots
    ///   that disappear while they are watched.
    package func follow(waits: (_ films: Int, _ incomplete: Int) -> Void) throws(ScrubError) -> BatchSummary {
        let bell = try WakeEvent()
        while !stopsAdmitting() {
            if try step() { continue }
            let counts = board.counts
            waits(counts.waiting, counts.incomplete)
            if let watch = board.watch { watch.wait(or: bell, milliseconds: 250) } else { BatchWatch.pause(250) }
        }
        return summary
    }

    /// The outcome of all films so far.
    package var summary: BatchSummary { total.withLock { $0 } }

    /// Does the work that is due now, and reads the kernel's events.
    ///
    /// - Returns: whether films were processed.
    package func step() throws(ScrubError) -> Bool {
        guard hasWalked.withLock({ $0 }) else {
            // The films of the first walk are reported, including those that need no work.
            board.rebuild()
            try walk(reportsKnown: true)
            hasWalked.withLock { $0 = true }
            return true
        }
        board.drain()
        var hasWorked = false
        for duty in board.duties() {
            switch duty {
            case .poll:
                board.poll()
                try tryAgain()
            case .walk:
                board.rebuild()
                try walk(reportsKnown: false)
                hasWorked = true
            case .sweep: try sweep()
            }
        }
        let films = board.complete()
        if !films.isEmpty {
            try pass([.found(films)], reportsKnown: false, recounts: false)
            hasWorked = true
        }
        tell()
        return hasWorked
    }

    private func tell() { for word in board.takeWords() { listener.say(word) } }

    private func walk(reportsKnown: Bool) throws(ScrubError) {
        tell()
        let sources = roots.filter { FileFacts(path: $0.path)?.kind == .folder }.map {
            BatchSource.folder($0.path, prefix: $0.prefix)
        }
        do throws(ScrubError) { try pass(sources, reportsKnown: reportsKnown, recounts: true) } catch {
            // A root that disappeared in the meantime: only the first walk reports it.
            guard error.code == .noInput, !reportsKnown else { throw error }
            listener.say(error)
            board.requestWalk()
        }
        if options.deletesGone, !stopsAdmitting() { try sweep() }
    }

    /// Processes films while reading events, because the kernel keeps only a few thousand of them.
    ///
    /// - Parameter recounts: whether files that were already counted are counted again.
    private func pass(_ sources: [BatchSource], reportsKnown: Bool, recounts: Bool) throws(ScrubError) {
        let (board, bell, isOver) = (board, try WakeEvent(), Locked(false))
        var thread: DedicatedThread?
        if let watch = board.watch {
            thread = try DedicatedThread {
                while !isOver.withLock({ $0 }) {
                    watch.wait(or: bell, milliseconds: 60_000)
                    board.drain()
                }
            }
        }
        defer {
            isOver.withLock { $0 = true }
            bell.signal()
            thread?.join()
            board.endPass()
        }
        let listener = listener
        let summary = try run.run(
            sources, stopsAdmitting: stopsAdmitting, cancellation: cancellation,
            report: { outcome in
                var outcome = outcome
                if let note = board.note(outcome.file.path) {
                    outcome.warnings.append("did not become complete (\(note)) and was processed as it was")
                }
                listener.report(outcome)
            }, progress: listener.progress, reportsKnown: reportsKnown)
        total.withLock { $0.add(summary, recounts: recounts) }
    }

    /// Checks which films failed for a reason that may have passed.
    private func tryAgain() throws(ScrubError) {
        var last = ""
        while true {
            let films = try run.state.retries(after: last, now: run.options.clock())
            for film in films { board.touch(film.path) }
            guard let end = films.last, end.place.utf8.count > 0 else { return }
            last = end.place
        }
    }

    /// Removes the results of missing films.
    private func sweep() throws(ScrubError) {
        let gone = try GoneFilms(run.options, run.state)
        let cancellation = Cancellation(within: nil, or: stopsAdmitting)
        for root in roots {
            let report = try cancellation.perform { () throws(ScrubError) in try gone.sweep(root) }
            for film in report.removed { listener.removed(film.path, film.place) }
            for word in report.words where said.withLock({ $0.count < 1000 && $0.insert(word).inserted }) {
                listener.say(word)
            }
        }
    }

    private static func pause(_ milliseconds: UInt32) { usleep(milliseconds * 1000) }
}

extension BatchSummary {
    /// Adds the outcome of another pass over the same library.
    mutating func add(_ other: BatchSummary, recounts: Bool) {
        counts.merge(other.counts, uniquingKeysWith: +)
        passedOver = recounts ? max(passedOver, other.passedOver) : passedOver + other.passedOver
        (pictures, decoded, byteCount) = (
            pictures + other.pictures, decoded + other.decoded, byteCount + other.byteCount
        )
        (seconds, cpu, peakBytes) = (seconds + other.seconds, cpu + other.cpu, max(peakBytes, other.peakBytes))
        for problem in other.problems where problems.count < 100 && !problems.contains(problem) {
            problems.append(problem)
        }
        unbegun += other.unbegun
        (isBrokenOff, left) = (isBrokenOff || other.left > 0, left + other.left)
    }
}
