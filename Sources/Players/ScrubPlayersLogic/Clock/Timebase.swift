package import ScrubBase
public import ScrubMediaLogic

/// The time that players use, and the one thread that looks at it for all of them.
///
/// Players of one timebase are looked at with the same reading of the clock, so several can be in step. The thread runs
/// while there are players; it wakes only when something is due.
///
/// ```swift
/// let player = try Player(items, timebase: .simulated())   // as fast as decoding allows, nothing is dropped
/// ```
///
/// Thread safety: safe from any thread.
public final class Timebase: ScrubTransport.Clock {
    /// How its time advances.
    public enum Kind: Sendable, Hashable {
        /// With the clock.
        case realTime
        /// From one deadline to the next, as soon as everyone has the needed pictures there: never late, and as fast as
        /// the work.
        case simulated
        /// As simulated, but no further than it was told to by ``Timebase/advance(by:)``.
        case manual
    }

    /// The machine's monotonic time, for everything that people look at.
    public static let realTime = Timebase(.realTime, ScrubTransport.SystemClock())

    /// Returns a time that jumps from deadline to deadline.
    public static func simulated() -> Timebase { Timebase(.simulated, ScrubTransport.ManualClock()) }

    /// Returns a time that stands until it is moved, for tests.
    public static func manual() -> Timebase { Timebase(.manual, ScrubTransport.ManualClock()) }

    private struct Member {
        weak var object: (any TimebaseMember)?
        var deadline = MachineDeadline.idle
        var isWoken = true
    }

    private struct State {
        var members: [Int: Member] = [:]
        var next = 0
        var isRunning = false
        /// Simulated and manual time.
        var time: Int64 = 0
        /// The limit of manual time.
        var limit: Int64 = 0
        var settled: [CheckedContinuation<Void, Never>] = []
        var jobs: [@Sendable (Int64) -> Void] = []
    }

    /// How its time advances.
    public let kind: Kind
    private let clock: any ScrubTransport.Clock
    private let bell: TimedBell<State>

    /// A timebase that follows a clock, in real time.
    ///
    /// - Parameter clock: the time to use. While it stands still, nothing is due.
    public convenience init(clock: any ScrubTransport.Clock) { self.init(.realTime, clock) }

    private init(_ kind: Kind, _ clock: any ScrubTransport.Clock) {
        (self.kind, self.clock) = (kind, clock)
        bell = TimedBell(State())
    }

    /// The present time: that since a moment that does not change.
    public var now: Duration { .nanoseconds(nanoseconds) }

    /// The same in whole nanoseconds: a timebase is a clock for trackers.
    public var nanoseconds: Int64 { kind == .realTime ? clock.nanoseconds : bell.withLock { $0.time } }

    /// Moves manual time, and waits until all that was due by then is done, and decoders have brought the wanted
    /// pictures.
    ///
    /// - Precondition: the timebase is manual and `duration` is not negative.
    public func advance(by duration: Duration) async {
        precondition(
            kind == .manual, "this timebase moves by itself: only one that was made with Timebase.manual is advanced")
        precondition(duration >= .zero, "time does not go back: advance by 0 or more, not \(duration)")
        await withCheckedContinuation { continuation in
            let isAlone = bell.ring { state in
                let (limit, overflow) = state.limit.addingReportingOverflow(duration.wholeNanoseconds)
                state.limit = overflow ? .max : limit
                guard state.isRunning else {
                    state.time = state.limit
                    return true
                }
                state.settled.append(continuation)
                return false
            }
            if isAlone { continuation.resume() }
        }
    }

    /// Takes a member in, and looks at it soon. It is held weakly, and taken out when it is gone.
    ///
    /// - Throws: `inputOutput` when the system has no thread left.
    package func add(_ member: any TimebaseMember) throws(ScrubError) -> Int {
        let (number, isFirst) = bell.ring { state in
            state.next += 1
            state.members[state.next] = Member(object: member)
            defer { state.isRunning = true }
            return (state.next, !state.isRunning)
        }
        if isFirst {
            do throws(ScrubError) { try DedicatedThread { [self] in run() }.detach() } catch {
                bell.ring { state in
                    state.members[number] = nil
                    state.isRunning = false
                }
                throw error
            }
        }
        return number
    }

    /// Whether its thread runs: while it has members.
    package var isRunning: Bool { bell.withLock { $0.isRunning } }

    /// Takes a member out.
    package func remove(_ number: Int) { bell.ring { $0.members[number] = nil } }

    /// Has a member looked at.
    package func wake(_ number: Int) { bell.ring { $0.members[number]?.isWoken = true } }

    /// Runs something between two looks, with the clock's reading that the next one goes by. Without members it is not
    /// run.
    package func perform(_ job: @escaping @Sendable (Int64) -> Void) { bell.ring { $0.jobs.append(job) } }

    private enum Work {
        case look([(number: Int, member: any TimebaseMember)], [@Sendable (Int64) -> Void], at: Int64)
        case settled([CheckedContinuation<Void, Never>])
        case over([CheckedContinuation<Void, Never>])
    }

    private func run() {
        while true {
            let work = bell.wait { state in next(&state) }
            switch work {
            case .look(let members, let jobs, let now):
                for job in jobs { job(now) }
                // First everybody shows what is due. The threads that decode are woken after that: they would take the
                // processors that the next member needs to be in step.
                let deadlines = members.map { $0.member.tick(at: now) }
                for ((number, member), deadline) in zip(members, deadlines) {
                    let settled = member.settle(deadline)
                    bell.withLock { $0.members[number]?.deadline = settled }
                }
            case .settled(let waiting): for continuation in waiting { continuation.resume() }
            case .over(let waiting):
                for continuation in waiting { continuation.resume() }
                return
            }
        }
    }

    /// Returns the thread's next work.
    private func next(_ state: inout State) -> TimedBell<State>.Wake<Work> {
        for (number, member) in state.members where member.object == nil { state.members[number] = nil }
        if state.members.isEmpty {
            state.isRunning = false
            state.jobs = []
            state.time = max(state.time, state.limit)
            defer { state.settled = [] }
            return .done(.over(state.settled))
        }
        let now = kind == .realTime ? clock.nanoseconds : state.time
        let due = state.members.filter { $0.value.isWoken || isDue($0.value.deadline, now) }.sorted { $0.key < $1.key }
        if !due.isEmpty || !state.jobs.isEmpty {
            let members = due.compactMap { entry in entry.value.object.map { (number: entry.key, member: $0) } }
            for (number, _) in members { state.members[number]?.isWoken = false }
            defer { state.jobs = [] }
            return .done(.look(members, state.jobs, at: now))
        }
        let deadlines = state.members.values.compactMap { time(of: $0.deadline) }
        if kind == .realTime {
            guard let first = deadlines.min() else { return .sleep(nil) }
            let (span, overflow) = first.subtractingReportingOverflow(now)
            return .sleep(overflow ? nil : max(0, span))
        }
        // While a member waits for a picture, time stands still.
        for member in state.members.values { if case .waiting = member.deadline { return .sleep(nil) } }
        if let first = deadlines.min(), kind == .simulated || first <= state.limit {
            state.time = max(state.time, first)
            return next(&state)
        }
        if kind == .manual {
            state.time = max(state.time, state.limit)
            if !state.settled.isEmpty {
                defer { state.settled = [] }
                return .done(.settled(state.settled))
            }
        }
        return .sleep(nil)
    }

    private func isDue(_ deadline: MachineDeadline, _ now: Int64) -> Bool {
        guard let time = time(of: deadline) else { return false }
        return time <= now
    }

    private func time(of deadline: MachineDeadline) -> Int64? {
        switch deadline {
        case .idle: nil
        case .at(let time): time
        // Simulated time stops while a member waits, so there is no such moment.
        case .waiting(let until): kind == .realTime ? until : nil
        }
    }
}

/// A member that follows a timebase.
package protocol TimebaseMember: AnyObject, Sendable {
    /// Shows the frames that are due; called on the timebase's thread, alone.
    ///
    /// - Returns: the time of the next look.
    func tick(at now: Int64) -> MachineDeadline

    /// Does the other work that follows from the last look, once all members of the timebase have had theirs; called on
    /// the timebase's thread.
    ///
    /// - Parameter deadline: the result of the look.
    /// - Returns: the time of the next look.
    func settle(_ deadline: MachineDeadline) -> MachineDeadline
}

extension TimebaseMember {
    package func settle(_ deadline: MachineDeadline) -> MachineDeadline { deadline }
}
