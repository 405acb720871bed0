internal import FileIO
internal import LibAV
package import ScrubBase
internal import ScrubIndex

// What an engine says of the bytes that it will read, for a file that is far away.
extension FrameEngine {
    /// Ends the waiting of the engine's reads; `nil` where bytes are near. Whoever has newer work raises it, and the engine's own
    /// thread lowers it before it looks for that work.
    package var interruption: ReadInterruption? { planner.file.interruption }

    /// Says what a frame takes, and what the movement that it belongs to will take: this replaces what was said before it.
    func announce(_ frame: Int, _ plan: DecodePlan) {
        course.note(frame)
        let file = planner.file
        let isKept = cache.withLock { $0[plan.target] != nil }
        let groupEnd = (index.nextRestart(after: plan.restart) ?? index.pictures.count) - 1
        var ranges: [Range<Int64>] = []
        if !isKept {
            // Where its place in the group is worth keeping, a decoder is fed a little more.
            let onward = options.expectsMovement ? 2 * (12 + index.reorderDelay + options.threadCount) : 0
            let last = max(plan.last, min(groupEnd, plan.last + onward))
            ranges = planner.forecast.ranges(from: plan.restart, through: last, targets: Array(plan.target...last))
        }
        if course.isSteady {
            let path = path(from: frame, plan)
            if path.isFast {
                // Perhaps nobody stays for the rest of the group.
                let first = isKept ? nil : planner.forecast.range(of: plan.restart)
                ranges = [first].compactMap { $0 } + path.ranges
            } else {
                ranges += path.ranges
            }
        } else if options.preparesAtRest, plan.last < groupEnd {
            ranges += planner.forecast.ranges(
                from: plan.last + 1, through: groupEnd, targets: Array(plan.last + 1...groupEnd))
        }
        file.expect(ranges)
    }

    /// The frame of the group's first picture, where the movement passes groups so fast that bytes of anything else come too late;
    /// `nil` where it is there already, or where bytes are near.
    package func firstOnTheWay(to frame: Int) -> Int? {
        guard planner.file.isRemote, course.isSteady else { return nil }
        let plan = planner.guess(forPicture: Int(index.frames[frame]))
        let end = index.nextRestart(after: plan.restart) ?? index.pictures.count
        guard plan.restart < plan.target, course.passes(end - plan.restart),
            cache.withLock({ $0[plan.restart] == nil })
        else { return nil }
        return index.frame(ofPicture: plan.restart)
    }

    /// Bytes that a movement takes next, as many as are worth it: twice as many whenever it has gone on, from the beginning after
    /// it has turned.
    private func path(from frame: Int, _ plan: DecodePlan) -> (ranges: [Range<Int64>], isFast: Bool) {
        let limit = min(FrameEngine.longestPath, FrameEngine.shortestPath << Int64(min(8, course.length / 4)))
        let groupEnd = index.nextRestart(after: plan.restart) ?? index.pictures.count
        let step = max(1, course.step)
        let isFast = course.passes(groupEnd - plan.restart)
        let direction = course.direction
        var (ranges, bytes): ([Range<Int64>], Int64) = ([], 0)
        var (place, restart) = (frame, plan.restart)
        if !isFast, direction > 0, plan.last + 1 < groupEnd {
            ranges = planner.forecast.ranges(
                from: plan.last + 1, through: groupEnd - 1, targets: Array(plan.last + 1..<groupEnd))
            bytes = ranges.reduce(0) { $0 + Int64($1.count) }
        }
        for _ in 0..<FrameEngine.mostGroupsAhead where bytes < limit {
            let next: DecodePlan
            if isFast {
                place += direction * step
                guard (0..<index.frameCount).contains(place) else { break }
                next = planner.guess(forPicture: Int(index.frames[place]))
            } else {
                let picture = direction > 0 ? index.nextRestart(after: restart) : restart > 0 ? restart - 1 : nil
                guard let picture, picture < index.pictures.count else { break }
                next = planner.guess(forPicture: picture)
            }
            guard next.restart != restart else {
                if isFast { continue }
                break
            }
            restart = next.restart
            let end = isFast ? restart : (index.nextRestart(after: restart) ?? index.pictures.count) - 1
            let own = planner.forecast.ranges(from: restart, through: end, targets: Array(restart...end))
            bytes += own.reduce(0) { $0 + Int64($1.count) }
            guard bytes <= limit else { break }
            ranges += own
        }
        return (ranges, isFast)
    }

    private static let shortestPath: Int64 = 256 << 10
    private static let longestPath: Int64 = 8 << 20
    private static let mostGroupsAhead = 16
}
