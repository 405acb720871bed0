internal import ScrubFileIO
internal import ScrubLibAV
package import ScrubBase
internal import ScrubIndex

// Prefetching: done packet by packet while nobody waits, and left at once when somebody asks for something else.
extension FrameEngine {
    var surroundings: Prefetcher.Surroundings {
        let room = cache.withLock { $0.byteLimit } / 2 / max(1, pool.frameByteCount)
        return Prefetcher.Surroundings(
            planner: planner, pool: pool, room: room,
            isKept: { [cache] in
                let picture = $0
                return cache.withLock { $0[picture] != nil }
            }, troubled: troubled)
    }

    /// Does a little of what the present movement will ask for next: about one packet.
    ///
    /// - Returns: whether there is more to do.
    package func prefetch() throws(ScrubError) -> Bool {
        if prefetcher.task == nil, let work = prefetcher.nextWork(surroundings) {
            // What was planned while reads were left takes more than it must.
            if planner.file.isInterrupted { return true }
            let (decoder, feeds) = try take(work)
            prefetcher.task = DecodeTask(work, decoder: decoder, feeds: feeds)
        }
        guard let task = prefetcher.task, let decoder = task.decoder else {
            prefetcher.pace.rest()
            return false
        }
        noteWork(of: decoder)
        if !task.isOver {
            let found: [DecodedPicture]
            do throws(ScrubError) {
                found = try task.stepFast(reader: &reader)
            } catch {
                if planner.file.isInterrupted { return true }
                throw error
            }
            for picture in found where planner.isPromised(picture.number, by: task) {
                let judged = JudgedPicture(frame: picture.frame, verdict: .exact)
                keep(judged, of: picture.number, usesAllocator: decoder.usesAllocator)
            }
        }
        guard task.isOver else { return true }
        _ = prefetcher.finish()?.takeDecoder()
        if decoder.isClean {
            pool.put(decoder)
        } else if !decoder.findings.isStarved {
            troubled.insert(task.plan.restart)
        }
        return !decoder.findings.isStarved
    }

    /// Stops prefetching; its decoder stays where it stands.
    func leavePrefetch() {
        if let decoder = prefetcher.leave()?.takeDecoder(), decoder.isClean { pool.put(decoder) }
    }
}
