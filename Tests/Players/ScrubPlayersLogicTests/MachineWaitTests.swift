import ScrubBase
import Testing

@testable import ScrubPlayersLogic

/// A machine that waits for pictures, for memory or for the next item: it is never in a state that nothing ends.
@Suite struct MachineWaitTests {
    @Test func `a stall whose lane finds no memory asks again, and continues with the frames at hand`() {
        for hasPicture in [false, true] {
            var harness = MachineHarness([1: FakeTimes(count: 30)])
            harness.begin(1)
            harness.machine.play(at: 0)
            harness.run(until: 300_000_000)
            // The queue runs empty, and the clock stops.
            harness.held = [0]
            harness.now = 2_000_000_000
            harness.settle()
            harness.now = 2_200_000_000
            harness.settle()
            #expect(harness.machine.isStalled)
            harness.held = []
            if hasPicture {
                let isBrought = harness.work(0)
                #expect(isBrought)
            }
            harness.lanes[0]?.isRunning = false
            _ = harness.machine.receive(.starved, ticket: harness.lanes[0]?.ticket ?? 0)
            harness.run()
            #expect(harness.machine.hasEnded && !harness.machine.isStalled, "\(hasPicture)")
            #expect(harness.shown.last?.frame == 29)
        }
    }

    @Test func `while memory is scarce the clock does not run for ever`() {
        var harness = MachineHarness([1: FakeTimes(count: 30)])
        harness.begin(1)
        harness.machine.play(at: 0)
        harness.run(until: 300_000_000)
        harness.held = [0]
        // Asked again and again, it finds none.
        for step in 0..<40 {
            harness.now = 300_000_000 + Int64(step) * 50_000_000
            harness.settle()
            harness.lanes[0]?.isRunning = false
            _ = harness.machine.receive(.starved, ticket: harness.lanes[0]?.ticket ?? 0)
            harness.settle()
        }
        #expect(harness.machine.isStalled && harness.machine.counters.stalls == 1)
        harness.held = []
        harness.run()
        #expect(harness.machine.hasEnded && harness.shown.last?.frame == 29)
    }

    @Test func `turning round at an end that waits for what follows plays back from there`() {
        var harness = MachineHarness([1: FakeTimes(count: 90), 2: FakeTimes(count: 5)])
        harness.following = { $0 == 1 ? .loading : .nothing }
        harness.begin(1)
        harness.machine.play(at: 0)
        harness.run()
        #expect(harness.machine.isStalled && harness.shown.last?.frame == 89)
        harness.machine.setRate(-1, at: harness.now)
        harness.machine.setUpcoming(.item(harness.item(2)))
        harness.run()
        #expect(
            harness.shown.map { [$0.item, $0.frame] } == Array(0..<90).map { [1, $0] }
                + Array(0..<89).reversed().map { [1, $0] } + Array(0..<5).reversed().map { [2, $0] })
        #expect(harness.machine.hasEnded && !harness.machine.isStalled)
    }

    @Test func `an item that has no picture after all ends, and what follows it comes`() {
        for follows in [false, true] {
            for isPlaying in [false, true] {
                var harness = MachineHarness([1: FakeTimes(count: 3), 2: FakeTimes(count: 3)])
                harness.following = {
                    follows && $0 == 1
                        ? .item(MachineItem(item: 2, times: FakeTimes(count: 3), queueLimit: 8)) : .nothing
                }
                harness.held = [0]
                harness.begin(1)
                if isPlaying { harness.machine.play(at: 0) }
                _ = harness.machine.receive(.end, ticket: harness.lanes[0]?.ticket ?? 0)
                harness.run()
                if !isPlaying { harness.machine.play(at: harness.now) }
                harness.run()
                #expect(harness.machine.hasEnded, "\(follows) \(isPlaying)")
                #expect(harness.shown.map { [$0.item, $0.frame] } == (follows ? [[2, 0], [2, 1], [2, 2]] : []))
            }
        }
    }

    @Test func `an item that began unseen, or by a seek, is not late`() {
        for isSeek in [false, true] {
            var harness = MachineHarness([1: FakeTimes(count: 3), 2: FakeTimes(count: 30)], policy: .wait)
            harness.following = {
                $0 == 1 ? .item(MachineItem(item: 2, times: FakeTimes(count: 30), queueLimit: 8)) : .nothing
            }
            harness.begin(1)
            harness.machine.play(at: 0)
            if isSeek { harness.held = [1] }
            harness.run(until: 90_000_000)
            if !isSeek { harness.acceptance = .nobody }
            harness.run(until: 100_000_000)
            #expect(harness.machine.situation(at: harness.now).item == 2)
            harness.now += isSeek ? 90_000_000 : 1_816_000_000
            if isSeek { harness.machine.seek(to: 5, time: nil, number: 1, at: harness.now) }
            (harness.held, harness.acceptance) = ([], .taken)
            let begun = harness.now
            harness.run()
            let shown = harness.shown.filter { $0.item == 2 }
            #expect(harness.machine.counters.worstTransition == 0 && shown.last?.frame == 29)
            // The clock begins with the first frame that is shown.
            let first = isSeek ? 5 : 0
            for (number, frame) in shown.enumerated() {
                #expect(frame.frame == first + number)
                #expect(frame.time == begun + (Int64(number) * 1_000_000_000 + 29) / 30)
            }
        }
    }
}
