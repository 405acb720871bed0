import ScrubPlayersLogic
import ScrubBase
import ScrubTestSupport
import Testing

@Suite struct PlayerMachineTests {
    @Test func `every frame of a list comes once, each at its exact time`() {
        var harness = MachineHarness([
            1: FakeTimes(count: 50), 2: FakeTimes(count: 24, duration: 1001, timeBase: Rational(1, 24000)),
            3: FakeTimes(durations: [3, 1, 1, 7, 2], timeBase: Rational(1, 90)),
        ])
        harness.following = { [h = harness] item in item < 3 ? .item(h.item(item + 1)) : .nothing }
        harness.begin(1)
        harness.machine.play(at: 0)
        harness.run()
        #expect(
            harness.shown.map(\.item) == Array(repeating: 1, count: 50) + Array(repeating: 2, count: 24)
                + Array(repeating: 3, count: 5))
        #expect(harness.shown.map(\.frame) == Array(0..<50) + Array(0..<24) + Array(0..<5))
        let second = Rational(50, 30)
        for shown in harness.shown {
            let due =
                switch shown.item {
                case 1: Rational(Int64(shown.frame), 30)
                case 2: second + Rational(Int64(shown.frame) * 1001, 24000)
                default: second + Rational(24 * 1001, 24000) + Rational([0, 3, 4, 5, 12][shown.frame], 90)
                }
            #expect(shown.played == due)
            #expect(
                shown.time == Int64(-Rational.floor(-Int128(due.numerator) * 1_000_000_000, Int128(due.denominator))))
        }
        #expect(harness.machine.counters.late == 0)
        #expect(harness.machine.hasEnded)
        #expect(harness.now == 1_666_666_667 + 1_001_000_000 + 14 * 1_000_000_000 / 90 + 1)
    }

    @Test func `a loop of twelve frames a hundred times has no gap and no drift`() {
        var harness = MachineHarness([1: FakeTimes(count: 12)])
        harness.following = { [h = harness] _ in .item(h.item(1)) }
        harness.begin(1)
        harness.machine.play(at: 0)
        harness.run(until: 100 * 400_000_000 - 1)
        #expect(harness.shown.count == 1200)
        for (number, shown) in harness.shown.enumerated() {
            #expect(shown.frame == number % 12)
            #expect(shown.time == (Int64(number) * 1_000_000_000 + 29) / 30)
        }
        #expect(harness.machine.counters.worstTransition == 0)
    }

    @Test(arguments: [(lateness: Int64(25_000_000), shift: Int64(0)), (150_000_000, 150_000_000)])
    func `a loop that is a little late catches up, one that is very late begins anew`(lateness: Int64, shift: Int64) {
        var harness = MachineHarness([1: FakeTimes(count: 12)])
        harness.following = { [h = harness] _ in .item(h.item(1)) }
        harness.begin(1)
        harness.held = [1]
        harness.machine.play(at: 0)
        harness.run()
        harness.now = 400_000_000 + lateness
        harness.settle()
        harness.held = []
        harness.run(until: 800_000_000)
        let second = harness.shown.dropFirst(12)
        #expect(second.first?.time == 400_000_000 + lateness)
        #expect(second.dropFirst().first?.time == 433_333_334 + shift)
        #expect(harness.machine.counters.worstTransition == lateness)
    }

    @Test(arguments: [PacePolicy.unpaced, .wait, .drop])
    func `items that end in one look go on with what the list says`(_ policy: PacePolicy) {
        var harness = MachineHarness(
            [1: FakeTimes(count: 3), 2: FakeTimes(count: 1), 3: FakeTimes(count: 1), 4: FakeTimes(count: 2)],
            policy: policy)
        harness.following = { [h = harness] item in item < 4 ? .item(h.item(item + 1)) : .nothing }
        harness.acceptance = .full
        harness.begin(1)
        harness.machine.play(at: 0)
        // Two items are decoded while no frame is taken; then all of it is due at once.
        for _ in 0..<100 { for lane in 0...1 where harness.work(lane) { harness.settle() } }
        harness.acceptance = .taken
        if policy != .unpaced { harness.now = 10_000_000_000 }
        harness.settle()
        harness.run()
        #expect(harness.shown.map(\.item).reduce(into: [Int]()) { if $0.last != $1 { $0.append($1) } } == [1, 2, 3, 4])
        if policy != .drop { #expect(harness.shown.map(\.item) == [1, 1, 1, 2, 3, 4, 4]) }
    }

    @Test func `nothing adds up over a hundred thousand frames`() {
        var harness = MachineHarness([1: FakeTimes(count: 100_000, duration: 1001, timeBase: Rational(1, 30000))])
        harness.now = 7
        harness.begin(1)
        harness.machine.play(at: 7)
        harness.run()
        #expect(harness.shown.count == 100_000)
        let last = harness.shown[99_999]
        #expect(last.time == 7 + (99_999 * 1001 * 1_000_000_000 + 29_999) / 30000)
    }

    @Test(arguments: [0, 1_000_000, 40_000_000, 600_000_000] as [Int64])
    func `late looks at the clock leave frames out and count them`(lateness: Int64) {
        var harness = MachineHarness([1: FakeTimes(count: 300)])
        harness.queueLimit = 40
        harness.begin(1)
        harness.machine.play(at: 0)
        harness.run(lateness: lateness)
        let counters = harness.machine.counters
        #expect(counters.presented + counters.late + counters.jumped == 300)
        #expect(counters.presented == harness.shown.count)
        #expect(harness.shown.last?.frame == 299)
        #expect(zip(harness.shown, harness.shown.dropFirst()).allSatisfy { $0.frame < $1.frame })
        if lateness <= 1_000_000 { #expect(counters.late == 0) }
        if lateness == 40_000_000 { #expect(counters.late > 100 && counters.jumped == 0) }
    }

    @Test func `waiting and unpaced players present everything however late they look`() {
        for policy in [PacePolicy.wait, .unpaced] {
            var harness = MachineHarness([1: FakeTimes(count: 100)], policy: policy)
            harness.begin(1)
            harness.machine.play(at: 0)
            harness.run(lateness: 70_000_000)
            #expect(harness.shown.map(\.frame) == Array(0..<100))
            #expect(harness.shown.map(\.played) == (0..<100).map { Rational($0, 30) })
        }
    }

    @Test func `backward a frame is due when the playhead crosses its end`() {
        var harness = MachineHarness([1: FakeTimes(durations: [1, 2, 3, 4], timeBase: Rational(1, 10))])
        harness.machine.setRate(Rational(-1), at: 0)
        harness.begin(1)
        harness.machine.play(at: 0)
        harness.run()
        #expect(harness.shown.map(\.frame) == [3, 2, 1, 0])
        #expect(harness.shown.map(\.time) == [0, 400_000_000, 700_000_000, 900_000_000])
        #expect(harness.now == 1_000_000_000)
        #expect(harness.machine.hasEnded)
    }

    @Test func `turning round does not show the frame again`() {
        var harness = MachineHarness([1: FakeTimes(count: 20, timeBase: Rational(1, 10))])
        harness.begin(1)
        harness.machine.play(at: 0)
        harness.run(until: 950_000_000)
        harness.now = 950_000_000
        harness.machine.setRate(Rational(-1), at: harness.now)
        harness.run(until: 1_500_000_000)
        #expect(harness.shown.map(\.frame) == Array(0...9) + [8, 7, 6, 5, 4, 3])
        #expect(harness.shown[10].time == 1_000_000_000)
        harness.now = 1_520_000_000
        harness.machine.setRate(Rational(2), at: harness.now)
        harness.run()
        #expect(harness.shown.map(\.frame) == Array(0...9) + [8, 7, 6, 5, 4, 3] + Array(4..<20))
        // 0.38 s into the film at 1.52 s; 0.4 s comes 10 ms later at twice the speed.
        #expect(harness.shown[16].time == 1_530_000_000)
    }

    @Test func `a pause keeps the rest of a frame's time`() {
        var harness = MachineHarness([1: FakeTimes(count: 10, timeBase: Rational(1, 10))])
        harness.begin(1)
        harness.machine.play(at: 0)
        harness.run(until: 230_000_000)
        harness.now = 230_000_000
        harness.machine.pause(at: harness.now)
        harness.run(until: 5_000_000_000)
        #expect(harness.shown.map(\.frame) == [0, 1, 2])
        harness.now = 5_000_000_000
        harness.machine.play(at: harness.now)
        harness.run()
        #expect(harness.shown.map(\.frame) == Array(0..<10))
        #expect(harness.shown[3].time == 5_070_000_000)
        #expect(harness.shown[9].played == Rational(9, 10))
    }

    @Test func `a seek shows its frame at once, playing or paused, and the clock begins with it`() {
        var harness = MachineHarness([1: FakeTimes(count: 100, timeBase: Rational(1, 10))])
        harness.begin(1)
        harness.run()
        #expect(harness.shown.map(\.frame) == [0])
        harness.machine.seek(to: 50, time: nil, number: 1, at: 0)
        harness.run()
        #expect(harness.shown.map(\.frame) == [0, 50])
        harness.machine.seek(to: 51, time: nil, number: 2, at: 0)
        harness.run()
        harness.machine.seek(to: 51, time: nil, number: 3, at: 0)
        harness.run()
        #expect(harness.shown.map(\.frame) == [0, 50, 51])
        harness.now = 1_000_000_000
        harness.machine.play(at: harness.now)
        harness.run(until: 1_150_000_000)
        #expect(harness.shown.map(\.frame) == [0, 50, 51, 52])
        harness.now = 1_150_000_000
        harness.machine.seek(to: 98, time: ExactTime(9_850_000_000), number: 4, at: harness.now)
        harness.run()
        #expect(harness.shown.map(\.frame) == [0, 50, 51, 52, 98, 99])
        let ends = harness.log.compactMap { if case .seekEnded(let number, .landed, _) = $0 { number } else { nil } }
        #expect(ends == [1, 2, 3, 4])
    }

    @Test func `while a person drags the seek under way finishes and of the waiting ones the newest wins`() {
        var harness = MachineHarness([1: FakeTimes(count: 100)])
        harness.begin(1)
        harness.run()
        harness.machine.beginScrubbing(at: 0)
        for number in 1...20 { harness.machine.seek(to: number * 4, time: nil, number: number, at: 0) }
        harness.run()
        #expect(harness.shown.map(\.frame) == [0, 4, 80])
        #expect(harness.machine.counters.coalescedSeeks == 18)
        harness.machine.endScrubbing(at: 0)
        harness.machine.play(at: 0)
        harness.run()
        #expect(harness.shown.map(\.frame) == [0, 4] + Array(80..<100))
    }

    @Test func `without a decoder for the look-ahead the next item waits for the current one's`() {
        var harness = MachineHarness([1: FakeTimes(count: 40), 2: FakeTimes(count: 40)])
        harness.refusesLookAhead = true
        harness.following = { [h = harness] item in item < 2 ? .item(h.item(item + 1)) : .nothing }
        harness.begin(1)
        harness.machine.play(at: 0)
        harness.run()
        #expect(harness.shown.map(\.frame) == Array(0..<40) + Array(0..<40))
        #expect(harness.machine.counters.worstTransition == 0)
    }

    @Test(arguments: [
        Rational(1, .max), Rational(-1, .max), Rational(.max), Rational(-.max), Rational(1, 1_000_000_000),
    ])
    func `extreme rates wait for pictures and end`(rate: Rational) {
        for policy in [PacePolicy.drop, .wait, .unpaced] {
            var harness = MachineHarness([1: FakeTimes(count: 5)], policy: policy)
            harness.begin(1)
            harness.machine.play(at: 0)
            while harness.shown.isEmpty { _ = harness.work(0); harness.settle() }
            // Nothing is there, and it stalls.
            harness.now += 1_000_000_000
            harness.settle()
            harness.machine.setRate(rate, at: harness.now)
            harness.now += 1_000_000_000
            harness.settle()
            harness.run()
            #expect(harness.machine.hasEnded && harness.now <= .max)
            harness.machine.play(at: harness.now)
            harness.run()
            #expect(harness.machine.hasEnded)
        }
    }

    @Test func `frames of the same time are all presented`() {
        var harness = MachineHarness([1: FakeTimes(durations: [1, 0, 0, 2, 0, 1], timeBase: Rational(1, 10))])
        harness.begin(1)
        harness.machine.play(at: 0)
        harness.run()
        #expect(harness.shown.map(\.frame) == [0, 1, 2, 3, 4, 5])
        #expect(harness.machine.counters.late == 0)
    }

    @Test func `an untaken frame stays when the player waits, and is dropped when it does not`() {
        for policy in [PacePolicy.wait, .drop] {
            var harness = MachineHarness([1: FakeTimes(count: 30, timeBase: Rational(1, 10))], policy: policy)
            harness.begin(1)
            harness.machine.play(at: 0)
            harness.run(until: 450_000_000)
            harness.acceptance = .nobody
            harness.now = 450_000_000
            harness.run(until: 1_000_000_000)
            harness.now = 1_050_000_000
            harness.acceptance = .taken
            harness.run()
            let frames = harness.shown.map(\.frame)
            #expect(frames == (policy == .wait ? Array(0..<30) : Array(0..<5) + Array(11..<30)))
            #expect(harness.machine.counters.unseen == (policy == .wait ? 0 : 6))
        }
    }

    @Test func `whatever is asked, frames come in order, once, and only of the present item`() {
        let seed = SplitMix.seed()
        var random = SplitMix(seed)
        for round in 0..<300 {
            var harness = MachineHarness(
                [
                    1: FakeTimes(count: 40), 2: FakeTimes(durations: [2, 0, 5, 1, 1, 1, 9], timeBase: Rational(1, 50)),
                    3: FakeTimes(count: 1),
                ],
                policy: [.drop, .wait, .unpaced].randomElement(using: &random) ?? .drop)
            harness.queueLimit = Int.random(in: 2...9, using: &random)
            harness.refusesLookAhead = Bool.random(using: &random)
            harness.following = { [h = harness] item in .item(h.item(item % 3 + 1)) }
            harness.begin(1)
            var seeks = 0
            for _ in 0..<60 {
                switch Int.random(in: 0..<12, using: &random) {
                case 0, 1: harness.machine.play(at: harness.now)
                case 2: harness.machine.pause(at: harness.now)
                case 3: harness.machine.setRate(Rational(Int64.random(in: -3...3, using: &random), 2), at: harness.now)
                case 4, 5:
                    seeks += 1
                    harness.machine.seek(
                        to: Int.random(in: 0..<40, using: &random), time: nil, number: seeks, at: harness.now)
                case 6: harness.machine.beginScrubbing(at: harness.now)
                case 7: harness.machine.endScrubbing(at: harness.now)
                case 8:
                    harness.begin(Int.random(in: 1...3, using: &random))
                case 9: harness.acceptance = [.taken, .taken, .nobody, .full].randomElement(using: &random) ?? .taken
                default:
                    for _ in 0..<Int.random(in: 0..<20, using: &random) {
                        _ = harness.work(Int.random(in: 0...1, using: &random))
                    }
                    harness.now += Int64.random(in: 0...200_000_000, using: &random)
                }
                let before = harness.shown.count
                harness.settle()
                // Within one look frames follow each other.
                let fresh = harness.shown[before...]
                for (a, b) in zip(fresh, fresh.dropFirst()) where a.item == b.item {
                    #expect(a.frame != b.frame, "seed \(seed), round \(round)")
                }
            }
            // In the end everything comes to an end.
            harness.acceptance = .taken
            harness.machine.endScrubbing(at: harness.now)
            harness.following = { _ in .nothing }
            harness.machine.setUpcoming(.nothing)
            harness.machine.setRate(.one, at: harness.now)
            harness.machine.play(at: harness.now)
            harness.run()
            #expect(harness.machine.hasEnded, "seed \(seed), round \(round)")
            let ended = harness.log.count { if case .seekEnded = $0 { true } else { false } }
            #expect(ended == seeks, "seed \(seed), round \(round)")
        }
    }
}
