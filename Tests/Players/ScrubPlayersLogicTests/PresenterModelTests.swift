import ScrubBase
import ScrubTestSupport
import Testing

@testable import ScrubPlayersLogic

/// Seeds part 2: one video on several screens.
@Suite struct PresenterModelTests {
    @Test(arguments: (0..<8).map { SplitMix.seed(run: $0) })
    func `ten thousand random claims, resigns, disappearances and transitions lose and double no frame`(seed: UInt64) {
        var random = SplitMix(seed)
        let census: LiveImage.Census
        do {
            var walk = PresenterWalk(frameCount: 60)
            census = walk.census
            for name in 0..<4 { walk.slots[name] = WalkSlot(.newest) }
            for round in 0..<10_000 {
                let name = Int.random(in: 0..<4, using: &random)
                let command = Int.random(in: 0..<16, using: &random)
                switch command {
                case 0, 1, 2: walk.claim(name)
                case 3: walk.resign(name)
                case 4:
                    walk.drop(name)
                    walk.slots[name] = WalkSlot(.newest)
                    // The name belongs to another one now.
                    walk.transitions = walk.transitions.map { ($0.number, $0.from == name ? nil : $0.from, $0.to) }
                case 5, 6: walk.beginTransition(to: name)
                case 7, 8:
                    walk.endTransition(
                        walk.transitions.count - 1 - Int.random(in: 0..<3, using: &random), isCancelled: command == 7)
                case 9: walk.seek(Int.random(in: 0..<60, using: &random))
                case 10: walk.machine.pause(at: walk.now)
                case 11: walk.turn(Rational(Int64.random(in: -3...3, using: &random), 2))
                case 12: walk.play()
                case 13: for _ in 0..<Int.random(in: 0..<9, using: &random) { walk.work() }
                default:
                    walk.play()
                    walk.run(for: Int64.random(in: 0..<300_000_000, using: &random))
                }
                walk.settle()
                if let problem = walk.check() {
                    Issue.record("seed \(seed), command \(round) (\(command), \(name)): \(problem)")
                    return
                }
            }
            #expect(walk.presented.count > 3000)
            // Everything comes to its end.
            walk.turn(.one)
            walk.claim(0)
            walk.run(for: 1_000_000_000)
            #expect(walk.endedSeeks == walk.seeks, "seed \(seed)")
            walk.slots = [:]
            walk.machine.setCurrent(nil, at: walk.now)
            _ = walk.machine.takeEffects()
            walk.board.close()
        }
        #expect(census.count == 0, "seed \(seed)")
    }

    @Test func `a transition to who presents already changes nothing, cancelled or not`() {
        var walk = PresenterWalk(frameCount: 10)
        let slots = [WalkSlot(.newest), WalkSlot(.newest)]
        walk.slots = [0: slots[0], 1: slots[1]]
        walk.claim(0)
        walk.run(for: 0)
        let same = walk.board.beginTransition(to: slots[0])
        if case .stays = walk.board.endTransition(same.number, isCancelled: true) {} else { Issue.record("it left") }
        #expect(slots[0].isCurrent)
        // Begun twice, it leads back to where it came from.
        _ = walk.board.beginTransition(to: slots[1])
        let again = walk.board.beginTransition(to: slots[1])
        guard case .returned(let slot, let held) = walk.board.endTransition(again.number, isCancelled: true) else {
            Issue.record("it did not return")
            return
        }
        #expect(slot === slots[0] && held?.number == 0)
    }

    @Test func `a claim of another board with the same number is left alone`() {
        let boards = (0..<2).map { _ in PresenterArbiter<Int>(held: { $0 }, changed: {}) }
        let slot = PresenterSlot<Int>(.newest)
        _ = boards[0].claim(slot)
        slot.leave(except: boards[1])
        _ = boards[1].claim(slot)
        #expect(boards[0].owner == nil && boards[1].generation == 1)
        // The first board's claim was number 1 too.
        slot.resign(from: boards[0], generation: 1)
        #expect(slot.isCurrent)
        #expect(boards[1].present(7).0 == .taken)
    }

    @Test func `what waits for a reader stays his when another one takes over, and goes when he resigns`() {
        let board = PresenterArbiter<Int>(held: { $0 }, changed: {})
        let (file, screen) = (PresenterSlot<Int>(.every(limit: 3)), PresenterSlot<Int>(.newest))
        _ = board.claim(file)
        for frame in 0..<3 { #expect(board.present(frame).0 == .taken) }
        #expect(board.present(3).0 == .full)
        #expect(board.claim(screen) == 2)
        #expect(board.present(3).0 == .taken)
        #expect((0..<4).map { _ in file.next()?.frame } == [0, 1, 2, nil])
        _ = board.claim(file)
        #expect(board.present(4).0 == .taken)
        file.resign()
        #expect(file.next() == nil)
    }

    @Test func `a preview comes in the frames' order to who shows it, and to no one else`() {
        let board = PresenterArbiter<Int>(held: { $0 }, changed: {})
        #expect(board.place(1, asPreview: true).0 == .nobody)
        let (file, terminal) = (
            PresenterSlot<Int>(.every(limit: 2)), PresenterSlot<Int>(.every(limit: 2, showsPreviews: true))
        )
        _ = board.claim(file)
        #expect(board.present(1).0 == .taken && board.place(2, asPreview: true).0 == .nobody)
        #expect(file.frame == 1 && board.shown == 1 && file.counters.placeholderCount == 0)
        _ = board.claim(terminal)
        #expect(board.place(3, asPreview: true).0 == .taken && board.present(4).0 == .taken)
        #expect(board.place(5, asPreview: true).0 == .full)
        #expect((0..<3).map { _ in terminal.next()?.frame } == [3, 4, nil])
        #expect(terminal.counters.presentedCount == 1 && terminal.counters.placeholderCount == 1)
        let screen = PresenterSlot<Int>(.newest)
        _ = board.claim(screen)
        #expect(board.place(6, asPreview: true).0 == .taken && screen.frame == 6)
    }

    @Test func `a slow reader gets the newest frame, and the end with its presenter`() async {
        let slot = PresenterSlot<Int>(.newest)
        let (reader, other) = (slot.frames(), slot.frames())
        for frame in 0..<3 { slot.tell(frame) }
        #expect(await reader.next() == 2)
        slot.tell(3)
        slot.close()
        #expect(await reader.next() == 3)
        #expect(await reader.next() == nil)
        #expect(await other.next() == 3)
        slot.tell(4)
        #expect(await other.next() == nil)
    }

    @Test func `a listener that goes with its presenter may ask it`() {
        final class Asking: Sendable {
            let slot: PresenterSlot<Int>
            let isAsked: Locked<Bool>
            init(_ slot: PresenterSlot<Int>, _ isAsked: Locked<Bool>) { (self.slot, self.isAsked) = (slot, isAsked) }
            deinit {
                let isCurrent = slot.isCurrent
                isAsked.withLock { $0 = !isCurrent }
            }
        }
        let slot = PresenterSlot<Int>(.newest)
        let isAsked = Locked(false)
        do {
            let asking = Asking(slot, isAsked)
            slot.listen { _ in withExtendedLifetime(asking) {} }
        }
        slot.listen(nil)
        #expect(isAsked.withLock { $0 })
    }
}
