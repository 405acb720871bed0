import ScrubBase
import Testing

@testable import ScrubPlayersLogic

/// A picture whose living ones are counted.
final class LiveImage: Sendable {
    /// Counts living pictures.
    final class Census: Sendable {
        private let living = Locked(0)
        var count: Int { living.withLock { $0 } }
        func add(_ change: Int) { living.withLock { $0 += change } }
    }

    private let census: Census
    init(_ census: Census) {
        self.census = census
        census.add(1)
    }
    deinit { census.add(-1) }
}

/// A frame as presenters get it.
struct WalkFrame: Sendable {
    var number: Int
    var image: LiveImage
    var isHeld = false
}

typealias WalkSlot = PresenterSlot<WalkFrame>

/// The machine with a board of presenters, lanes that deliver when the test lets them, and a model of the presenters'
/// frames.
struct PresenterWalk {
    let frameCount: Int
    let census = LiveImage.Census()
    let board: PresenterArbiter<WalkFrame>
    var machine = PlayerMachine<Int, LiveImage>(policy: .wait)
    var now: Int64 = 0
    var lane: (ticket: Int, frame: Int?, step: Int, isRunning: Bool)?
    var slots: [Int: WalkSlot] = [:]
    var deadline = MachineDeadline.idle
    /// Everything presented: the frame, and by whom.
    var presented: [(frame: Int, by: Int)] = []
    /// Of presenters that are gone.
    var goneCount = 0
    var seeks = 0
    var endedSeeks = 0

    // The model.
    var owner: Int?
    var transitions: [(number: Int, from: Int?, to: Int)] = []
    /// The transition that a cancellation would take back.
    var openTransition: Int?
    var last: Int?
    var pending: Int?
    var direction = 1
    var problem: String?

    init(frameCount: Int) {
        self.frameCount = frameCount
        board = PresenterArbiter(held: { WalkFrame(number: $0.number, image: $0.image, isHeld: true) }, changed: {})
        machine.setCurrent(
            MachineItem(item: 1, times: FakeTimes(count: frameCount), startFrame: nil, queueLimit: 5), at: 0)
        pending = 0
        settle()
    }

    // MARK: The machine

    mutating func settle() {
        var hasMore = true
        while hasMore {
            for effect in machine.takeEffects() {
                switch effect {
                case .startLane(_, let ticket, _, let frame, let direction, _, _):
                    lane = (ticket, frame, direction == .forward ? 1 : -1, true)
                case .resumeLane(_, let ticket, _): if lane?.ticket == ticket { lane?.isRunning = true }
                case .stopLane: lane?.isRunning = false
                case .seekEnded: endedSeeks += 1
                default: break
                }
            }
            var taken: [(Int, WalkSlot?)] = []
            let board = board
            deadline = machine.tick(at: now) { presentation in
                guard let image = presentation.picture.image else { return .taken }
                let frame = WalkFrame(number: presentation.picture.frame, image: image)
                let (acceptance, slot) = board.present(frame)
                if acceptance == .taken { taken.append((frame.number, slot)) }
                return acceptance
            }
            for (frame, slot) in taken { note(frame, slot) }
            hasMore = !machine.effects.isEmpty
        }
    }

    private mutating func note(_ frame: Int, _ slot: WalkSlot?) {
        let name = slots.first { $0.value === slot }?.key ?? -1
        presented.append((frame, name))
        if name != owner { problem = "\(frame) was presented by \(name), and \(String(describing: owner)) presents" }
        let following = last.map { $0 + direction }
        if let pending, pending == last, frame == following {
            // It was on screen.
        } else if let expected = pending ?? following, frame != expected {
            problem = "\(frame) came after \(String(describing: last)), expected \(expected)"
        }
        (last, pending) = (frame, nil)
    }

    /// Lets the lane bring one thing.
    @discardableResult
    mutating func work() -> Bool {
        guard var lane, lane.isRunning else { return false }
        if let frame = lane.frame {
            let following = frame + lane.step
            lane.frame = (0..<frameCount).contains(following) ? following : nil
            let goesOn = machine.receive(
                .frame(FedPicture(frame: frame, image: LiveImage(census), verdict: .exact)), ticket: lane.ticket)
            lane.isRunning = goesOn || lane.frame == nil
            self.lane = lane
        } else {
            lane.isRunning = false
            self.lane = lane
            _ = machine.receive(.end, ticket: lane.ticket)
        }
        return true
    }

    mutating func run(for span: Int64) {
        let limit = now + span
        while true {
            settle()
            if work() { continue }
            guard case .at(let time) = deadline, time <= limit else { break }
            now = max(now, time)
        }
        now = max(now, limit)
        settle()
    }

    // MARK: Commands

    mutating func play() {
        // A rate of 0 counts as forward.
        if machine.hasEnded { pending = machine.direction == .forward ? 0 : frameCount - 1 }
        machine.play(at: now)
    }

    mutating func seek(_ frame: Int) {
        seeks += 1
        pending = frame
        machine.seek(to: frame, time: nil, number: seeks, at: now)
    }

    mutating func turn(_ rate: Rational) {
        // 0 counts as forward and keeps what is there.
        if rate != .zero { direction = rate < .zero ? -1 : 1 }
        machine.setRate(rate, at: now)
    }

    func slot(_ name: Int) -> WalkSlot? { slots[name] }

    mutating func claim(_ name: Int) {
        guard let slot = slots[name] else { return }
        slot.leave(except: board)
        let held = board.claim(slot)
        checkHeld(held, by: name)
        (owner, openTransition) = (name, nil)
    }

    mutating func resign(_ name: Int) {
        slots[name]?.resign()
        if owner == name { (owner, openTransition) = (nil, nil) }
    }

    mutating func drop(_ name: Int) {
        goneCount += slots[name]?.counters.presentedCount ?? 0
        slots[name] = nil
        if owner == name { (owner, openTransition) = (nil, nil) }
    }

    mutating func beginTransition(to name: Int) {
        guard let slot = slots[name] else { return }
        slot.leave(except: board)
        let open = openTransition.flatMap { number in transitions.first { $0.number == number } }
        let (number, held) = board.beginTransition(to: slot)
        checkHeld(held, by: name)
        let from = owner == name ? (open?.to == name ? open?.from : owner) : owner
        transitions.append((number, from, name))
        (owner, openTransition) = (name, number)
    }

    mutating func endTransition(_ place: Int, isCancelled: Bool) {
        guard transitions.indices.contains(place) else { return }
        let transition = transitions[place]
        switch board.endTransition(transition.number, isCancelled: isCancelled) {
        case .stays: break
        case .returned(_, let held): if let from = transition.from { checkHeld(held, by: from) }
        case .resigns(let slot, let generation): slot?.resign(from: board, generation: generation)
        }
        guard openTransition == transition.number else { return }
        openTransition = nil
        if isCancelled { owner = transition.from.flatMap { slots[$0] == nil ? nil : $0 } }
    }

    private mutating func checkHeld(_ held: WalkFrame?, by name: Int) {
        if name == owner {
            if held != nil { problem = "\(name) holds what it presents" }
        } else if held?.number != last || held?.isHeld == false {
            problem = "\(name) holds \(String(describing: held?.number)), \(String(describing: last)) is on screen"
        }
    }

    /// Returns a violation of the rules that hold at any time.
    func check() -> String? {
        if let problem { return problem }
        let boardOwner = board.owner
        if boardOwner !== owner.flatMap({ slots[$0] }) {
            return "the board has another owner than \(String(describing: owner))"
        }
        for (name, slot) in slots {
            if name != owner, slot.frame != nil || slot.isCurrent {
                return "\(name) holds a picture and does not present"
            }
            if name == owner, slot.frame?.number != last || !slot.isCurrent {
                return "\(name) shows another frame than \(String(describing: last))"
            }
        }
        let sum = slots.values.reduce(goneCount) { $0 + $1.counters.presentedCount }
        if sum != presented.count || machine.counters.presented != sum {
            return "\(sum) by presenters, \(presented.count) in all, \(machine.counters.presented) by the machine"
        }
        return nil
    }
}
