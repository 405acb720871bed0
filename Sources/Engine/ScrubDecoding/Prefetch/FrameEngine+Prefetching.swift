internal import ScrubFileIO
internal import ScrubLibAV
package import ScrubBase
internal import ScrubIndex

// Prefetching is done packet by packet while no caller is waiting, and is abandoned at once for a request.
extension FrameEngine {
    /// The number of pictures that fit in the cache, based on a picture's actual memory, which exceeds its samples.
    var cacheCapacity: Int { cache.withLock { $0.capacity(estimate: index.pictureBufferByteCount) } }

    /// Whether pictures output by a decoder may not fit in the cache. Recreating a lost picture requires decoding its
    /// group again, so pictures wait in the decoder.
    var hasTightCache: Bool { cacheCapacity < FrameEngine.roomyCapacity }

    /// A cache of this many pictures holds everything that is decoded ahead in both directions, and additional output.
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

    /// Does about one packet of the work that the current movement is likely to request next.
    ///
    /// - Returns: whether there is more to do, and the exact pictures that were output.
    package func prefetch() throws(ScrubError) -> (isWorthMore: Bool, pictures: [JudgedPicture]) {
        if let run = prefetcher.run, isToWait(run) {
            prefetcher.pace.rest()
            return (false, [])
        }
        if prefetcher.run == nil, let work = prefetcher.nextWork(surroundings) {
            // A plan made while reads were abandoned includes more than necessary.
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

    /// Returns whether a run waits, with its pictures in the decoder, until the movement has come nearer to them.
    private func isToWait(_ run: GroupRun) -> Bool {
        guard run.options.comesOneByOne, let (frame, hint) = prefetcher.movement, hint.motion == .forward else {
            return false
        }
        let own = index.ranks[Int(index.frames[frame])]
        guard let next = run.waiting.map({ index.ranks[$0] }).filter({ $0 > own }).min() else { return false }
        return cache.withLock { !$0.hasRoom(for: next, estimate: index.pictureBufferByteCount) }
    }

    /// Stops prefetching. The decoder keeps its position.
    func leavePrefetch() { prefetcher.leave()?.leave(&resources) }
}
