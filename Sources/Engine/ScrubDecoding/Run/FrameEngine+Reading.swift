internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase
internal import ScrubIndex

// An engine's announcements of the bytes that it will read, for a remote file.
extension FrameEngine {
    /// Announces the reads for a frame and for its movement. Replaces earlier announcements.
    func announce(_ frame: Int, _ plan: DecodePlan) {
        course.note(frame)
        let isKept = isKept(plan.target)
        let groupEnd = index.groupEnd(after: plan.restart) - 1
        var stretches: [ReadSpan] = []
        if !isKept {
            // If its position in the group is worth keeping, a decoder is fed slightly more.
            let onward = options.expectsMovement ? 2 * (12 + index.reorderDelay + options.threadCount) : 0
            let last = max(plan.last, min(groupEnd, plan.last + onward))
            stretches = planner.stretches(from: plan.restart, through: last, targets: Array(plan.target...last))
        }
        if course.isSteady || course.isFast(past: groupEnd + 1 - plan.restart) {
            let path = path(from: frame, plan)
            if path.isFast {
                // The finger may be gone before the rest of the group arrives. A recently requested picture is nearer
                // than the shown one when it arrives. An abandoned request costs the next one a connection.
                let first = isKept ? nil : planner.forecast.range(of: plan.restart)
                let next = [first].compactMap { $0 } + path.ranges
                stretches = (next + trail.filter { !next.contains($0) }).map { ReadSpan($0) }
                let new = next.prefix(2).filter { !trail.contains($0) }
                trail = trail.suffix(FrameEngine.longestTrail - new.count) + new
            } else {
                stretches += path.ranges.map { ReadSpan($0) }
            }
        } else if options.preparesAtRest, plan.last < groupEnd {
            stretches += planner.stretches(
                from: plan.last + 1, through: groupEnd, targets: Array(plan.last + 1...groupEnd))
        }
        if course.direction == 0 { trail = [] }
        planner.file.expect(stretches: stretches)
    }

    /// The number of initial pictures that are still awaited after a fast finger has passed them.
    private static let longestTrail = 40

    /// Returns the frame of the group's first picture, if the movement passes groups so fast that other bytes arrive
    /// too late. `nil` if it is already available, or for local bytes.
    package func firstOnTheWay(to frame: Int) -> Int? {
        guard planner.file.isRemote else { return nil }
        let plan = planner.guess(forFrame: frame)
        guard plan.restart < plan.target, course.isFast(past: index.groupEnd(after: plan.restart) - plan.restart),
            !isKept(plan.restart)
        else { return nil }
        return index.frame(ofPicture: plan.restart)
    }

    /// Whether bytes are remote.
    package var isRemote: Bool { planner.file.isRemote }

    /// Returns whether a frame's picture, or all bytes that it needs, are available.
    package func isAtHand(_ frame: Int) -> Bool {
        let plan = planner.guess(forFrame: frame)
        return isKept(plan.target) || isAtHand(plan)
    }

    private func isAtHand(_ plan: DecodePlan) -> Bool {
        let ranges = planner.forecast.ranges(from: plan.restart, through: plan.last, targets: [plan.target])
        return !ranges.isEmpty && ranges.allSatisfy { planner.file.hasAtHand($0) }
    }

    /// Returns the frame nearest to another one that can be decoded without waiting for bytes.
    ///
    /// - Parameter distance: the maximum distance in frames, exclusive; the frame itself does not count.
    package func nearestAtHand(to frame: Int, within distance: Int) -> Int? {
        let restarts = index.restarts
        let above = index.restartCount(through: Int(index.frames[frame]))
        var (best, limit): (Int?, Int) = (nil, distance)
        func take(_ candidate: Int?) {
            guard let candidate, candidate != frame, abs(candidate - frame) < limit else { return }
            (best, limit) = (candidate, abs(candidate - frame))
        }
        // Backward: up to the nearest available group.
        for place in stride(from: above - 1, through: max(0, above - FrameEngine.mostLooks), by: -1) {
            let end = place + 1 < restarts.count ? Int(restarts[place + 1]) : index.pictures.count
            if place + 1 < above, let next = index.frame(ofPicture: end), frame - next >= limit { break }
            guard standsAlone(Int(restarts[place])) else { continue }
            take(lastAtHand(from: Int(restarts[place]), before: end, to: frame))
            take(index.frame(ofPicture: Int(restarts[place])))
            break
        }
        for place in above..<min(restarts.count, above + FrameEngine.mostLooks) {
            guard let own = index.frame(ofPicture: Int(restarts[place])) else { continue }
            if own - frame >= limit { break }
            guard standsAlone(Int(restarts[place])) else { continue }
            take(own)
            break
        }
        return best
    }

    /// Returns whether a restart's own bytes are available, and are all that it needs.
    private func standsAlone(_ restart: Int) -> Bool {
        let way = planner.guess(forPicture: restart)
        return way.restart == restart && isAtHand(way) && planner.unprovenRestarts(of: way).isEmpty
    }

    /// Returns the frame nearest to another one, as far as the bytes of its group are available.
    private func lastAtHand(from restart: Int, before groupEnd: Int, to frame: Int) -> Int? {
        guard let first = planner.forecast.range(of: restart) else { return nil }
        let (end, overflow) = first.lowerBound.addingReportingOverflow(
            planner.file.availableByteCount(from: first.lowerBound))
        guard !overflow, end > first.upperBound else { return nil }
        let after = (restart..<groupEnd).partitioningIndex {
            planner.forecast.range(of: $0).map { $0.upperBound > end } ?? true
        }
        // The packets after a picture push it out.
        let last = after - 1 - (after == groupEnd ? 0 : index.reorderDelay + options.threadCount + 1)
        guard last > restart else { return nil }
        var best: Int?
        for picture in stride(from: last, to: max(restart, last - 16), by: -1) {
            guard !index.pictures.flags[picture].contains(.secondField), let own = index.frame(ofPicture: picture),
                best.map({ abs(own - frame) < abs($0 - frame) }) ?? true
            else { continue }
            let way = planner.guess(forPicture: picture)
            guard way.restart == restart, way.last <= last, isAtHand(way) else { continue }
            best = own
        }
        return best
    }

    /// The maximum number of restarts to examine.
    private static let mostLooks = 256

    /// Returns the bytes that a movement needs next, as many as are worthwhile. The amount doubles each time it has
    /// advanced, and is reset after it has turned.
    private func path(from frame: Int, _ plan: DecodePlan) -> (ranges: [Range<Int64>], isFast: Bool) {
        let limit = min(FrameEngine.longestPath, FrameEngine.shortestPath << Int64(min(8, course.length / 4)))
        let groupEnd = index.groupEnd(after: plan.restart)
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
        // If a group is passed quickly, the first pictures of the next ones come before the rest of it.
        var firsts: [Range<Int64>] = []
        let isHurried = FrameEngine.hurry * step >= groupEnd - plan.restart
        for count in 0..<FrameEngine.mostGroupsAhead where bytes < limit || !isFast && isHurried && count < 3 {
            let next: DecodePlan
            if isFast {
                place += direction * step
                guard (0..<index.frameCount).contains(place) else { break }
                next = planner.guess(forFrame: place)
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
            let end = isFast ? restart : index.groupEnd(after: restart) - 1
            if !isFast, isHurried, count < 3, let first = planner.forecast.range(of: restart) { firsts.append(first) }
            let more = planner.forecast.ranges(from: restart, through: end, targets: Array(restart...end))
            bytes += more.reduce(0) { $0 + Int64($1.count) }
            guard bytes <= limit else { continue }
            ranges += more
        }
        return (firsts + ranges, isFast)
    }

    private static let shortestPath: Int64 = 256 << 10
    private static let longestPath: Int64 = 8 << 20
    private static let mostGroupsAhead = 16
    /// The number of steps in which a group counts as passed quickly.
    private static let hurry = 30
}
