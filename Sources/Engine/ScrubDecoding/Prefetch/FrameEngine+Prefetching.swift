internal import ScrubFileIO
internal import ScrubLibAV
package import ScrubBase
internal import ScrubIndex

// Prefetching: done packet by packet while no caller waits, and left at once for a request.
extension FrameEngine {
    /// Pictures that the cache can hold, by the memory that one really takes: more than its samples.
    var cacheCapacity: Int { cache.withLock { $0.capacity(estimate: index.pictureBufferByteCount) } }

    /// Whether pictures that come out of a decoder may find no room in the cache. What is lost then costs its group
    /// again: so they wait in the decoder.
    var hasTightCache: Bool { cacheCapacity < FrameEngine.roomyCapacity }

    /// A cache of so many pictures holds all that is decoded ahead both ways, and what comes out with it.
    private static let roomyCapacity = 64

    var surroundings: Prefetcher.Surroundings {
        let (cache, index, capacity) = (cache, index, cacheCapacity)
        return Prefetcher.Surroundings(
            planner: planner, pool: resources.pool, capacity: capacity,
            isKept: { picture in cache.withLock { $0[picture] != nil } },
            hasRoom: { picture in
                let rank = index.ranks[picture]
                return cache.withLock { $0.hasRoom(for: rank, estimate: index.pictureBufferByteCount) }
            }, troubled: resources.troubled)
    }

    /// Does a little of the work that the present movement will ask for next: about one packet.
    ///
    /// - Returns: whether there is more to do, and the exact pictures that came out.
    package func prefetch() throws(ScrubError) -> (isWorthMore: Bool, pictures: [JudgedPicture]) {
        if let run = prefetcher.run, isToWait(run) {
            prefetcher.pace.rest()
            return (false, [])
        }
        if prefetcher.run == nil, let work = prefetcher.nextWork(surroundings) {
            // A plan that was made while reads were left takes more than it must.
            if Cancellation.isCurrentCancelled { return (true, []) }
            prefetcher.run = try GroupRun(
                work, options: .init(comesOneByOne: work.waitsForRoom && hasTightCache), &resources)
        }
        guard let run = prefetcher.run else {
            prefetcher.pace.rest()
            return (false, [])
        }
        let pictures: [JudgedPicture]
        do throws(ScrubError) {
            pictures = try step(run)
        } catch {
            if Cancellation.isCurrentCancelled { return (true, []) }
            throw error
        }
        let shown = keep(pictures, of: run)
        if run.end != nil { prefetcher.finish() }
        return (run.end != .starved, shown)
    }

    /// Whether a run waits, with its pictures in the decoder, until the movement has come nearer to them.
    private func isToWait(_ run: GroupRun) -> Bool {
        guard run.options.comesOneByOne, let (frame, hint) = prefetcher.movement, hint.motion == .forward else {
            return false
        }
        let own = index.ranks[Int(index.frames[frame])]
        guard let next = run.waiting.map({ index.ranks[$0] }).filter({ $0 > own }).min() else { return false }
        return cache.withLock { !$0.hasRoom(for: next, estimate: index.pictureBufferByteCount) }
    }

    /// Stops prefetching; its decoder stays where it stands.
    func leavePrefetch() { prefetcher.leave()?.leave(&resources) }
}
