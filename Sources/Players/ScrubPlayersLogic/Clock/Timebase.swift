package import ScrubBase
public import ScrubMediaLogic

/// The clock that players use, and the single thread that follows it for all of them.
///
/// Players with the same timebase use the same reading of the clock, so they can be synchronized. The thread runs only
/// while players exist, and wakes only when work is due.
///
/// ```swift
/// let player = try Player(items, timebase: .simulated())   // as fast as decoding allows, nothing is dropped
/// ```
///
/// Thread safety: safe from any thread.
public final class Timebase: ScrubTransport.Clock {
    /// How a timebase advances.
    public enum Kind: Sendable, Hashable {
        /// The time advances with the clock.
        case realTime
        /// The time jumps from one deadline to the next, as soon as every player has the pictures that it needs. No
        /// frame is ever late, and playback is as fast as decoding allows.
        case simulated
        /// The time advances as with ``simulated``, but only as far as ``Timebase/advance(by:)`` allows.
        case manual
    }

    /// A timebase that follows the system's monotonic clock, for playback that people watch.
    public static let realTime = Timebase(.realTime, ScrubTransport.SystemClock())

    /// Returns a timebase that jumps from deadline to deadline.
    public static func simulated() -> Timebase { Timebase(.simulated, ScrubTransport.ManualClock()) }

    /// Returns a timebase that advances only on request, for tests.
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
        /// The current simulated or manual time.
        var time: Int64 = 0
        /// The limit of manual time.
        var limit: Int64 = 0
        var settled: [CheckedContinuation<Void, Never>] = []
        var jobs: [@Sendable (Int64) -> Void] = []
    }

    /// How the timebase advances.
    public let kind: Kind
    private let clock: any ScrubTransport.Clock
    private let bell: TimedBell<State>

    /// Creates a timebase that follows a clock in real time.
    ///
    /// - Parameter clock: the clock to use. While the clock does not advance, no deadline is reached.
    public convenience init(clock: any ScrubTransport.Clock) { self.init(.realTime, clock) }

    private init(_ kind: Kind, _ clock: any ScrubTransport.Clock) {
        (self.kind, self.clock) = (kind, clock)
        bell = TimedBell(State())
    }

    /// The time since a fixed moment.
    public var now: Duration { .nanoseconds(nanoseconds) }

    /// The current time in whole nanoseconds. Trackers can use a timebase as their clock.
    public var nanoseconds: Int64 { kind == .realTime ? clock.nanoseconds : bell.withLock { $0.time } }

    /// Advances a manual timebase, and waits until all work due by the new time is done and decoders have delivered the
    /// required pictures.
    ///
    /// - Precondition: the timebase is manual and `duration` is not negative.
    public func advance(by duration: Duration) async {
        precondition(
            kind == .manual,
            "this timebase advances automatically: create it with Timebase.manual() to advance it in code")
        precondition(duration >= .zero, "time cannot go backward: advance by 0 or more, not \(duration)")
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

    /// Adds a member, and updates it soon. It is held weakly, and removed when it was released.
    ///
    /// - Throws: `inputOutput` if the system cannot create a thread.
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

    /// Whether its thread is running, which it is while there are members.
    package var isRunning: Bool { bell.withLock { $0.isRunning } }

    /// Removes a member.
    package func remove(_ number: Int) { bell.ring { $0.members[number] = nil } }

    /// Makes the thread update a member.
    package func wake(_ number: Int) { bell.ring { $0.members[number]?.isWoken = true } }

    /// Runs a closure between two updates, with the clock reading of the next one. Without members, it is not run.
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
                // First, all members show what is due. Decoding threads are woken afterward, because they would use the
                // processors that the next member needs to stay synchronized.
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
        // While a member is waiting for a picture, time stops.
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
        // Simulated time stops while a member is waiting, so there is no such moment.
        case .waiting(let until): kind == .realTime ? until : nil
        }
    }
}

/// A member that follows a timebase.
package protocol TimebaseMember: AnyObject, Sendable {
    /// Shows the frames that are due. Called on the timebase's thread only.
    ///
    /// - Returns: the time of the next update.
    func tick(at now: Int64) -> MachineDeadline

    /// Does the other work that follows from the last update, once all members of the timebase have had theirs. Called
    /// on the timebase's thread.
    ///
    /// - Parameter deadline: the result of the update.
    /// - Returns: the time of the next update.
    func settle(_ deadline: MachineDeadline) -> MachineDeadline
}

extension TimebaseMember {
    package func settle(_ deadline: MachineDeadline) -> MachineDeadline { deadline }
}
