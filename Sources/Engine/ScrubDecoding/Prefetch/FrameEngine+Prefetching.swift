internal import ScrubFileIO
internal import ScrubLibAV
package import ScrubBase
internal import ScrubIndex

// Prefetching: done packet by packet while no caller waits, and left at once for a request.
extension FrameEngine {
    /// Pictures in one direction that the cache can hold.
    var prefetchRoom: Int { cache.withLock { $0.byteLimit } / 2 / max(1, resources.pool.frameByteCount) }

    var surroundings: Prefetcher.Surroundings {
        Prefetcher.Surroundings(
            planner: planner, pool: resources.pool, room: prefetchRoom,
            isKept: { [cache] in
                let picture = $0
                return cache.withLock { $0[picture] != nil }
            }, troubled: resources.troubled)
    }

    /// Does a little of the work that the present movement will ask for next: about one packet.
    ///
    /// - Returns: whether there is more to do, and the exact pictures that came out.
    package func prefetch() throws(ScrubError) -> (isWorthMore: Bool, pictures: [JudgedPicture]) {
        if prefetcher.run == nil, let work = prefetcher.nextWork(surroundings) {
            // A plan that was made while reads were left takes more than it must.
            if planner.file.isInterrupted { return (true, []) }
            prefetcher.run = try GroupRun(work, &resources)
        }
        guard let run = prefetcher.run else {
            prefetcher.pace.rest()
            return (false, [])
        }
        noteWork(of: run)
        let pictures: [JudgedPicture]
        do throws(ScrubError) {
            pictures = try run.step(&resources)
        } catch {
            if planner.file.isInterrupted { return (true, []) }
            throw error
        }
        let shown = keep(pictures, of: run)
        if run.end != nil { prefetcher.finish() }
        if case .starved = run.end { return (false, shown) }
        return (true, shown)
    }

    /// Stops prefetching; its decoder stays where it stands.
    func leavePrefetch() { prefetcher.leave()?.leave(&resources) }
}
