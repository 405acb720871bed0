internal import GRDB
internal import ScrubBase

/// The recorder syncs written bytes and enters them into the catalogue, on a separate thread that exists while there is
/// work.
///
/// Jobs that arrive while it waits for the disk are done together the next time: the more there are, the less often it
/// syncs.
final class CacheWriter: Sendable {
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
        /// A claim that ends when this job is done.
        var opening: OpeningClaim?
    }

    /// The bytes written by a claim.
    struct Written: Sendable {
        let medium: CachedMedium
        let claim: FetchClaim
        let pieces: [Piece]
    }

    private struct Queue {
        var jobs: [Job] = []
        var isRunning = false
        /// The number of jobs ever added, and the number of completed ones.
        var (added, done) = (0, 0)
    }

    private let queue = TimedBell(Queue())

    /// Adds a job.
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

    /// Waits until there is no work.
    func flush() { queue.wait { $0.isRunning ? .sleep(nil) : .done(()) } }

    /// Waits until previously added jobs are done, but not for later ones.
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
            CacheWriter.record(jobs)
        }
    }

    /// Carries out steps 5 to 7 of adding a piece.
    private static func record(_ jobs: [Job]) {
        // A recorder serves one cache.
        guard let cache = jobs.first?.cache else { return }
        var lost: Set<ObjectIdentifier> = []
        var seen: Set<ObjectIdentifier> = []
        for medium in jobs.compactMap(\.written?.medium) where seen.insert(ObjectIdentifier(medium)).inserted {
            do throws(SystemFailure) {
                try medium.synchronize()
            } catch {
                // The state of the disk is now unknown, and syncing again would not reveal it.
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

    /// Enters jobs into the catalogue.
    ///
    /// - Returns: the recorded pieces of each claim; empty if the medium now has another generation.
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
                guard try CacheDatabase.isCurrent(database, job.id, job.generation) else { continue }
                try CacheDatabase.touch(database, job.id, now: now)
                try CacheDatabase.add(job.counters, database, to: job.id)
                if let checked = job.checked {
                    try database.cachedStatement(sql: "UPDATE media SET checked = ? WHERE id = ?").execute(
                        arguments: [checked, job.id])
                }
                guard let written = job.written else { continue }
                let pieces = try CacheDatabase.insert(written.pieces, database, job.id, job.generation, now: now)
                try CacheDatabase.account(
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
