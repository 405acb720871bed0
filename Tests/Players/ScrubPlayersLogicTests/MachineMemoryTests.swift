import ScrubPlayersLogic
import ScrubBase
import Testing

@testable import ScrubPlayersLogic

/// Frames that are decoded ahead go while memory is scarce, and no frame is lost by it.
@Suite struct MachineMemoryTests {
    private func queue(_ harness: MachineHarness) -> Int { harness.machine.situation(at: harness.now).bufferedFrames }

    /// An item of so many frames that has played until a time, before one of five.
    private func playing(_ count: Int, until time: Int64) -> MachineHarness {
        var harness = MachineHarness([1: FakeTimes(count: count), 2: FakeTimes(count: 5)])
        let items = harness
        harness.following = { $0 == 1 ? .item(items.item(2)) : .nothing }
        harness.begin(1)
        harness.machine.play(at: harness.now)
        harness.settle()
        harness.run(until: time)
        return harness
    }

    @Test func whatIsAheadOfAnItemThatStandsGoesAtOnce() {
        var harness = MachineHarness([1: FakeTimes(count: 40)])
        harness.begin(1)
        harness.run()
        #expect(queue(harness) == 8)
        harness.machine.setMemoryScarce(true)
        harness.run()
        #expect(queue(harness) == 2)
        // It plays on with two ahead, and with all that it may have once there is enough.
        harness.machine.play(at: harness.now)
        harness.settle()
        harness.run(until: 400_000_000)
        #expect(queue(harness) <= 2)
        harness.machine.setMemoryScarce(false)
        harness.run(until: harness.now)
        #expect(queue(harness) == 8)
        harness.run(until: 3_000_000_000)
        #expect(harness.shown.map(\.frame) == Array(0..<40))
        #expect(harness.machine.counters.late == 0 && harness.machine.counters.stalls == 0)
    }

    @Test(arguments: [false, true])
    func whatIsAheadOfAnItemThatPlaysIsShownOrGoes(isCritical: Bool) {
        for direction in [Rational.one, Rational(-1)] {
            var harness = MachineHarness([1: FakeTimes(count: 40)])
            harness.machine.setRate(direction, at: 0)
            harness.begin(1)
            harness.machine.play(at: harness.now)
            harness.settle()
            harness.run(until: 200_000_000)
            #expect(queue(harness) == 8)
            harness.machine.setMemoryScarce(true, isCritical: isCritical)
            harness.settle()
            #expect(queue(harness) == (isCritical ? 2 : 8))
            harness.run(until: 500_000_000)
            #expect(queue(harness) <= 2)
            harness.run(until: 3_000_000_000)
            #expect(harness.shown.map(\.frame) == (direction > .zero ? Array(0..<40) : Array((0..<40).reversed())))
        }
    }

    /// Another player waits for memory: one that stands lets all go but the next picture, and one that plays only where
    /// time stands. It is as likely to keep up as before, also once it is paused, and no frame is lost by it.
    @Test func whatWaitsForItsTimeGivesWay() {
        for isTimeStanding in [false, true] {
            var harness = MachineHarness([1: FakeTimes(count: 40)])
            harness.begin(1)
            harness.run()
            #expect(queue(harness) == 8)
            harness.machine.giveWay(isTimeStanding: isTimeStanding)
            harness.run()
            #expect(queue(harness) == 1 && !harness.machine.canGiveWay(isTimeStanding: isTimeStanding))
            #expect(harness.machine.situation(at: harness.now).isLikelyToKeepUp)
            harness.machine.play(at: harness.now)
            harness.settle()
            harness.run(until: 400_000_000)
            #expect(queue(harness) == 8)
            harness.machine.giveWay(isTimeStanding: isTimeStanding)
            #expect(queue(harness) == (isTimeStanding ? 1 : 8))
            harness.machine.pause(at: harness.now)
            harness.settle()
            #expect(harness.machine.situation(at: harness.now).isLikelyToKeepUp)
            harness.machine.play(at: harness.now)
            harness.settle()
            harness.run(until: 3_000_000_000)
            #expect(harness.shown.map(\.frame) == Array(0..<40))
        }
    }

    /// The next item's pictures go too, but not if the present one has come to its end: they would come again at once.
    @Test func whatIsReadyForTheNextItemGivesWay() {
        var harness = playing(20, until: 50_000_000)
        #expect(harness.machine.next?.queue.isEmpty == false && harness.machine.current?.isComplete == false)
        harness.machine.giveWay(isTimeStanding: true)
        #expect(harness.machine.next == nil)
        harness.settle()
        harness.run(until: 600_000_000)
        #expect(harness.machine.current?.isComplete == true && harness.machine.next != nil)
        harness.machine.giveWay(isTimeStanding: true)
        #expect(harness.machine.next != nil)
        harness.settle()
        harness.run(until: 3_000_000_000)
        #expect(harness.shown.map(\.frame) == Array(0..<20) + Array(0..<5))
    }

    @Test func whatIsReadyForTheNextItemGoes() {
        var harness = playing(12, until: 100_000_000)
        #expect(harness.machine.next?.queue.isEmpty == false)
        harness.machine.setMemoryScarce(true)
        #expect(harness.machine.next == nil)
        harness.settle()
        harness.run(until: 2_000_000_000)
        #expect(harness.shown.map(\.frame) == Array(0..<12) + Array(0..<5))
    }
}
