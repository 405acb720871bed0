/// The times of a watch's duties besides following events: polling folders that send no events, walking through
/// everything, cleaning up.
///
/// Times are in milliseconds of a monotonic clock, which this type does not read itself.
package struct WatchSchedule: Hashable, Sendable {
    package enum Duty: Hashable, Sendable {
        /// Check roots, and folders that send no events; check which films may be retried.
        case poll
        /// Walk through all roots again.
        case walk
        /// Check which films are gone.
        case sweep
    }

    /// The time between two checks of folders that send no events.
    package static let pollPause: Int64 = 60_000
    /// The time between two walks through everything, if nothing else requests one.
    package static let walkPause: Int64 = 86_400_000
    /// The time between two requested walks or sweeps.
    package static let leastPause: Int64 = 10_000

    private let settle: Int64
    private var poll: Int64
    private var walk: Int64
    private var sweep = Int64.max
    private var lastWalk: Int64
    private var lastSweep: Int64?

    /// - Parameters:
    ///   - settle: how long everything must be quiet before it is checked.
    ///   - now: the time of the first walk through everything.
    package init(settle: Int64, now: Int64) {
        self.settle = settle
        (lastWalk, poll, walk) = (now, now + WatchSchedule.pollPause, now + WatchSchedule.walkPause)
    }

    /// Requests a walk once everything is quiet: another request postpones it, but not for long.
    package mutating func requestWalk(now: Int64) {
        let isAsked = walk - lastWalk < WatchSchedule.walkPause
        let time = max(now + settle, lastWalk + WatchSchedule.leastPause)
        walk = isAsked ? min(walk, time) : time
    }

    /// Requests a check for missing films.
    package mutating func requestSweep(now: Int64) {
        let time = max(now + settle, (lastSweep ?? .min / 2) + WatchSchedule.leastPause)
        sweep = min(sweep, time)
    }

    /// Returns the duties that are due now; the work that needs a duty requests it again.
    package mutating func due(now: Int64) -> [Duty] {
        var duties: [Duty] = []
        if now >= poll {
            duties.append(.poll)
            poll = now + WatchSchedule.pollPause
        }
        if now >= walk {
            duties.append(.walk)
            (lastWalk, walk) = (now, now + WatchSchedule.walkPause)
        }
        if now >= sweep {
            duties.append(.sweep)
            (lastSweep, sweep) = (now, .max)
        }
        return duties
    }
}
