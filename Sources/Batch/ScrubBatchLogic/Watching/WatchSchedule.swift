/// The times of a watch's duties besides following events: polling folders that send no events, walking through
/// everything, clearing up.
///
/// Time is in milliseconds of a clock that never jumps; nothing here looks at one.
package struct WatchSchedule: Hashable, Sendable {
    package enum Duty: Hashable, Sendable {
        /// Look at roots, and at folders that send no events; see which films may be tried again.
        case poll
        /// Walk through all roots again.
        case walk
        /// See which films are gone.
        case sweep
    }

    /// Between two looks at folders that send no events.
    package static let pollPause: Int64 = 60_000
    /// Between two walks through everything, if nothing else asks for one.
    package static let walkPause: Int64 = 86_400_000
    /// Between two walks or sweeps that something asks for.
    package static let leastPause: Int64 = 10_000

    private let settle: Int64
    private var poll: Int64
    private var walk: Int64
    private var sweep = Int64.max
    private var lastWalk: Int64
    private var lastSweep: Int64?

    /// - Parameters:
    ///   - settle: the time that things have to be quiet before they are looked at.
    ///   - now: the time at which everything was walked through first.
    package init(settle: Int64, now: Int64) {
        self.settle = settle
        (lastWalk, poll, walk) = (now, now + WatchSchedule.pollPause, now + WatchSchedule.walkPause)
    }

    /// Asks for a walk, once things are quiet: another request puts it off, but not for long.
    package mutating func requestWalk(now: Int64) {
        let isAsked = walk - lastWalk < WatchSchedule.walkPause
        let time = max(now + settle, lastWalk + WatchSchedule.leastPause)
        walk = isAsked ? min(walk, time) : time
    }

    /// Asks for a look at films that are gone.
    package mutating func requestSweep(now: Int64) {
        let time = max(now + settle, (lastSweep ?? .min / 2) + WatchSchedule.leastPause)
        sweep = min(sweep, time)
    }

    /// Returns the duties that are due now; each is asked for again by the work that it was done for.
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
