import ScrubPlayersLogic
import ScrubBase

/// Frames of equal or given durations.
struct FakeTimes: FrameTimes {
    var starts: [Int64]
    var last: Int64
    var timeBase: Rational

    init(count: Int, duration: Int64 = 1, timeBase: Rational = Rational(1, 30)) {
        starts = (0..<Int64(count)).map { $0 * duration }
        last = Int64(count) * duration
        self.timeBase = timeBase
    }

    init(durations: [Int64], timeBase: Rational) {
        var sum: Int64 = 0
        starts = durations.map { duration in
            defer { sum += duration }
            return sum
        }
        last = sum
        self.timeBase = timeBase
    }

    var frameCount: Int { starts.count }
    func start(ofFrame number: Int) -> Int64 { starts[number] }
    func end(ofFrame number: Int) -> Int64 { number + 1 < starts.count ? starts[number + 1] : last }
}

/// A machine with lanes that deliver when the test lets them, and a clock that the test moves.
struct MachineHarness {
    struct Shown: Equatable {
        var item: Int
        var frame: Int
        var time: Int64
        var played: Rational
    }

    struct Lane {
        var ticket: Int
        var item: Int
        /// `nil` after the last one.
        var frame: Int?
        var direction: PlaybackDirection
        var stride: Int
        var isRunning = true
    }

    var machine: PlayerMachine<Int, Int>
    var items: [Int: FakeTimes]
    var now: Int64 = 0
    var lanes: [Int: Lane] = [:]
    var shown: [Shown] = []
    var nearest: [Int] = []
    /// Frames of which a preview is kept.
    var previews: Set<Int> = []
    /// Previews that were shown.
    var shownPreviews: [Shown] = []
    var log: [MachineEffect<Int>] = []
    var acceptance = Acceptance.taken
    var deadline = MachineDeadline.idle
    /// Returns the item behind an item; asked for after each advance.
    var following: (Int) -> MachineUpcoming<Int> = { _ in .nothing }
    var queueLimit = 8
    /// Whether the lane has no free decoder for a look-ahead.
    var refusesLookAhead = false
    /// Lanes that bring nothing for the time being.
    var held: Set<Int> = []

    init(_ items: [Int: FakeTimes], policy: PacePolicy = .drop) {
        machine = PlayerMachine(policy: policy)
        self.items = items
    }

    func item(_ number: Int, at frame: Int? = nil) -> MachineItem<Int> {
        MachineItem(
            item: number, times: items[number] ?? FakeTimes(count: 1), startFrame: frame, queueLimit: queueLimit)
    }

    mutating func begin(_ number: Int, at frame: Int? = nil) {
        machine.setCurrent(item(number, at: frame), at: now)
        machine.setUpcoming(following(number))
        settle()
    }

    /// Carries out the machine's wishes, and looks at it.
    mutating func settle() {
        var hasMore = true
        while hasMore {
            for effect in machine.takeEffects() {
                log.append(effect)
                switch effect {
                case .startLane(let lane, let ticket, let item, let frame, let direction, let stride, let isLookAhead):
                    lanes[lane] = Lane(ticket: ticket, item: item, frame: frame, direction: direction, stride: stride)
                    if isLookAhead, refusesLookAhead {
                        lanes[lane]?.isRunning = false
                        _ = machine.receive(.waitingForDecoder, ticket: ticket)
                    }
                case .resumeLane(let lane, let ticket, _):
                    if lanes[lane]?.ticket == ticket { lanes[lane]?.isRunning = true }
                case .promoteLane(let lane): lanes[lane]?.isRunning = true
                case .showPreview(_, let ticket, let frame):
                    let news: PipelineUpdate<Int> =
                        previews.contains(frame)
                        ? .placeholder(FedPicture(frame: frame, image: -frame, verdict: .approximate("")))
                        : .withoutPreview(frame)
                    _ = machine.receive(news, ticket: ticket)
                case .stopLane(let lane): lanes[lane]?.isRunning = false
                case .advanced(_, let to, _): machine.setUpcoming(following(to))
                default: break
                }
            }
            let time = now
            let acceptance = acceptance
            var taken: [Shown] = []
            var near: [Int] = []
            var small: [Shown] = []
            deadline = machine.tick(at: now) { presentation in
                if presentation.kind == .nearest {
                    near.append(presentation.picture.frame)
                    return acceptance
                }
                guard acceptance == .taken else { return acceptance }
                let one = Shown(
                    item: presentation.item, frame: presentation.picture.frame, time: time,
                    played: presentation.playedTime.seconds)
                if presentation.kind == .preview { small.append(one) } else { taken.append(one) }
                return acceptance
            }
            shown += taken
            nearest += near
            shownPreviews += small
            hasMore = !machine.effects.isEmpty
        }
    }

    /// Lets a lane bring one thing; false when it has nothing to do.
    mutating func work(_ number: Int) -> Bool {
        guard !held.contains(number), var lane = lanes[number], lane.isRunning, let times = items[lane.item] else {
            return false
        }
        if let frame = lane.frame {
            let following = frame + (lane.direction == .forward ? lane.stride : -lane.stride)
            lane.frame = (0..<times.frameCount).contains(following) ? following : nil
            lane.isRunning = machine.receive(
                .frame(FedPicture(frame: frame, image: frame, verdict: .exact)), ticket: lane.ticket)
            // The end is told also when there is no room.
            if lane.frame == nil { lane.isRunning = true }
        } else {
            _ = machine.receive(.end, ticket: lane.ticket)
            lane.isRunning = false
        }
        lanes[number] = lane
        return true
    }

    /// Time in which a lane needs so many nanoseconds for each picture, as long as it runs.
    mutating func run(until limit: Int64, picturesEvery cost: Int64) {
        var picture = now + cost
        while true {
            settle()
            var following = picture
            switch deadline {
            case .at(let time), .waiting(until: let time?): following = min(following, max(now, time))
            case .idle, .waiting(until: nil): break
            }
            guard following <= limit else { break }
            now = following
            guard now == picture else { continue }
            if !work(0) { _ = work(1) }
            picture += cost
        }
        now = limit
        settle()
    }

    /// Simulated time: pictures come as fast as they are wanted, and the clock jumps from deadline to deadline.
    mutating func run(until limit: Int64 = .max, lateness: Int64 = 0) {
        while true {
            settle()
            if work(0) || work(1) { continue }
            guard case .at(let time) = deadline, time <= limit else { return }
            now = max(now, time + lateness)
        }
    }
}
