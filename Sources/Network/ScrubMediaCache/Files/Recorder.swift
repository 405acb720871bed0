internal import GRDB
internal import ScrubBase

/// Syncs written bytes and enters them into the catalogue, on a thread of its own that lives as long as there is work.
///
/// Jobs that come while it waits for the disk are done together the next time: the more there are, the fewer times it
/// syncs.
final class Recorder: Sendable {
    /// A piece of work for the recorder.
    struct Job: Sendable {
        let cache: MediaCache
        let epoch: String
        let id: Int64
        let generation: Int64
        var counters = CacheCounters()
        /// The time when the server confirmed this content.
        var checked: Int64?
        /// Pieces whose bytes are written.
        var written: Written?
        /// Ends when this is done.
        var opening: OpeningClaim?
    }

    /// The bytes that a claim has written.
    struct Written: Sendable {
        let medium: CachedMedium
        let claim: FetchClaim
        let pieces: [Piece]
    }

    private struct Queue {
        var jobs: [Job] = []
        var isRunning = false
        /// Jobs that were ever added, and those that are done.
        var (added, done) = (0, 0)
    }

    private let queue = TimedBell(Queue())

    /// Has something done soon.
    func add(_ job: Job) {
        let starts = queue.ring { queue in
            queue.jobs.append(job)
            queue.added += 1
            defer { queue.isRunning = true }
            return !queue.isRunning
        }
        guard starts else { return }
        do throws(ScrubError) {
            try DedicatedThread { [self] in run() }.detach()
        } catch {
            run()
        }
    }

    /// Waits until there is nothing to do.
    func flush() { queue.wait { $0.isRunning ? .sleep(nil) : .done(()) } }

    /// Waits until what was added before is done, whatever comes meanwhile.
    func catchUp() {
        let last = queue.withLock { $0.added }
        queue.wait { $0.done >= last ? .done(()) : .sleep(nil) }
    }

    private func run() {
        var done = 0
        while true {
            let jobs = queue.ring { [done] queue -> [Job] in
                defer { queue.jobs = [] }
                queue.done += done
                queue.isRunning = !queue.jobs.isEmpty
                return queue.jobs
            }
            done = jobs.count
            guard !jobs.isEmpty else { return }
            Recorder.record(jobs)
        }
    }

    /// Steps 5 to 7 of a piece.
    private static func record(_ jobs: [Job]) {
        // One recorder serves one cache.
        guard let cache = jobs.first?.cache else { return }
        var lost: Set<ObjectIdentifier> = []
        var seen: Set<ObjectIdentifier> = []
        for medium in jobs.compactMap(\.written?.medium) where seen.insert(ObjectIdentifier(medium)).inserted {
            do throws(SystemFailure) {
                try medium.synchronize()
            } catch {
                // The contents of the disk are unknown now, and syncing again would say nothing about them.
                lost.insert(ObjectIdentifier(medium))
                cache.turnOff(error)
            }
        }
        let entered = enter(
            jobs.filter { $0.written.map { !lost.contains(ObjectIdentifier($0.medium)) } ?? true }, cache)
        for written in jobs.compactMap(\.written) {
            let pieces = entered[ObjectIdentifier(written.claim)]
            written.medium.end(written.claim, recorded: pieces ?? [], written: written.pieces)
        }
    }

    /// - Returns: the recorded pieces of each claim; nothing if the medium has another generation now.
    private static func enter(_ jobs: [Job], _ cache: MediaCache) -> [ObjectIdentifier: [Piece]] {
        do throws(SystemFailure) {
            try cache.files.step(.record)
        } catch {
            cache.turnOff(error)
            return [:]
        }
        let now = cache.now
        let entered = cache.record { database, catalogue -> [ObjectIdentifier: [Piece]] in
            var entered: [ObjectIdentifier: [Piece]] = [:]
            for job in jobs where job.epoch == catalogue.epoch {
                guard try Catalogue.isCurrent(database, job.id, job.generation) else { continue }
                try Catalogue.touch(database, job.id, now: now)
                try Catalogue.add(job.counters, database, to: job.id)
                if let checked = job.checked {
                    try database.cachedStatement(sql: "UPDATE media SET checked = ? WHERE id = ?").execute(
                        arguments: [checked, job.id])
                }
                guard let written = job.written else { continue }
                let pieces = try Catalogue.insert(written.pieces, database, job.id, job.generation, now: now)
                try Catalogue.account(
                    database, job.id, more: pieces.reduce(0) { $0 + Int64($1.range.count) },
                    allocated: written.medium.allocated)
                entered[ObjectIdentifier(written.claim)] = pieces
            }
            return entered
        }
        try? cache.files.step(.recorded)
        return entered ?? [:]
    }
}
