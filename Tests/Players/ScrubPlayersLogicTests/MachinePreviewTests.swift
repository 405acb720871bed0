import ScrubBase
import ScrubPlayersLogic
import Testing

/// Previews at the time of frames whose exact pictures are late: in order, in time, and never in place of a picture
/// that stays.
@Suite struct MachinePreviewTests {
    private static let second: Int64 = 1_000_000_000

    private func harness(
        rate: Rational, use: PreviewUse = .whenHard, frames: Int = 300, at frame: Int? = nil,
        policy: PacePolicy = .drop
    ) -> MachineHarness {
        var harness = MachineHarness([1: FakeTimes(count: frames)], policy: policy)
        harness.machine.previewUse = use
        harness.machine.maximumFrameRate = Rational(60)
        harness.previews = Set(0..<frames)
        harness.machine.setRate(rate, at: 0)
        harness.begin(1, at: frame ?? (rate < .zero ? frames - 1 : 0))
        harness.machine.play(at: 0)
        return harness
    }

    /// Pictures and previews, by time.
    private func all(_ harness: MachineHarness) -> [MachineHarness.Shown] {
        (harness.shown + harness.shownPreviews).sorted { ($0.time, $0.played) < ($1.time, $1.played) }
    }

    private func stalls(_ harness: MachineHarness) -> Int { harness.machine.counters.stalls }

    @Test(arguments: [-1, -2, -4, 2, 4, 8]) func theDueFrameIsShownInTime(_ rate: Int64) {
        var harness = harness(rate: Rational(rate), frames: 600)
        // Ten pictures a second: a third of what rate 1 needs.
        harness.run(until: 2 * Self.second, picturesEvery: 100_000_000)
        let shown = all(harness)
        let stride = max(1, Int(abs(rate)) / 2)
        let first = shown[0].time
        for (one, next) in zip(shown, shown.dropFirst()) where one.frame != next.frame {
            // A jump may end between two strides.
            #expect((1...stride).contains(rate < 0 ? one.frame - next.frame : next.frame - one.frame), "\(one) \(next)")
            let distance = Int64(abs(next.frame - shown[0].frame))
            let due = first + distance * Self.second / 30 / abs(rate)
            #expect(next.time >= due && next.time <= due + 1_000_000, "\(next), due at \(due)")
        }
        #expect(stalls(harness) == 0 && harness.shownPreviews.count > 40)
        #expect(harness.machine.counters.previews == harness.shownPreviews.count)
        #expect(Set(harness.shownPreviews.map(\.frame)).count == harness.shownPreviews.count)
    }

    /// A process that was stopped for a while goes on at the due frame, in one step.
    @Test(arguments: [-4, 4]) func afterAHaltThePlayheadIsFound(_ rate: Int64) throws {
        var harness = harness(rate: Rational(rate), frames: 1200)
        harness.run(until: Self.second, picturesEvery: 5_000_000)
        let before = try #require(harness.shown.last)
        harness.held = [0]
        harness.now += 2 * Self.second
        harness.run(until: harness.now + Self.second / 10, picturesEvery: 5_000_000)
        #expect(stalls(harness) == 0)
        let next = try #require(harness.shownPreviews.first)
        let distance = Int64(abs(next.frame - before.frame))
        #expect(abs(distance - 120 * abs(rate) / 2) <= 16, "\(distance)")
        #expect(harness.shownPreviews.count >= 4)
    }

    @Test func picturesInTimeNeedNone() {
        for rate in [-2, 2, 4] as [Int64] {
            var harness = harness(rate: Rational(rate))
            harness.run(until: Self.second, picturesEvery: 4_000_000)
            #expect(harness.shownPreviews.isEmpty && !harness.shown.isEmpty && stalls(harness) == 0)
            #expect(!harness.log.contains { if case .showPreview = $0 { true } else { false } })
        }
    }

    @Test func onlyWhereTheyAreWanted() {
        for (use, rate, policy) in [
            (.never, -4, .drop), (.whenHard, 1, .drop), (.always, -4, .wait), (.always, 4, .unpaced),
        ] as [(PreviewUse, Int64, PacePolicy)] {
            var harness = harness(rate: Rational(rate), use: use, policy: policy)
            harness.run(until: Self.second, picturesEvery: 100_000_000)
            #expect(harness.shownPreviews.isEmpty, "\(use) \(rate)")
            #expect(!harness.log.contains { if case .showPreview = $0 { true } else { false } })
        }
        var harness = harness(rate: .one, use: .always)
        harness.run(until: Self.second, picturesEvery: 100_000_000)
        #expect(harness.shownPreviews.count > 10 && stalls(harness) == 0)
    }

    /// Without previews it waits for the exact picture, and a presenter that wants none has it so too.
    @Test func withoutPreviewsTheClockWaits() {
        var bare = harness(rate: -4)
        bare.previews = []
        bare.run(until: 2 * Self.second, picturesEvery: 300_000_000)
        #expect(stalls(bare) > 0 && bare.shownPreviews.isEmpty)
        let frames = bare.shown.map(\.frame)
        #expect(frames == frames.sorted(by: >))
        // Some frames have one: what has none is waited for, from the frame that is shown.
        var some = harness(rate: -4)
        some.previews = Set(250..<300)
        some.run(until: 4 * Self.second, picturesEvery: 150_000_000)
        #expect(stalls(some) > 0 && !some.shownPreviews.isEmpty)
        let all = all(some).map(\.frame)
        #expect(all == all.sorted(by: >), "\(all)")
        #expect((some.shown.last?.frame ?? 300) < 250)
    }

    @Test func aPauseShowsTheExactPicture() throws {
        for rate in [-4, 4] as [Int64] {
            var harness = harness(rate: Rational(rate))
            harness.run(until: Self.second, picturesEvery: 400_000_000)
            let small = try #require(harness.shownPreviews.last)
            #expect(harness.machine.situation(at: harness.now).frame == small.frame)
            harness.machine.pause(at: harness.now)
            harness.run(until: 2 * Self.second, picturesEvery: 400_000_000)
            #expect(harness.shown.last?.frame == small.frame && harness.shownPreviews.last == small)
            let situation = harness.machine.situation(at: harness.now)
            #expect(situation.frame == small.frame && !situation.isPlaying && !situation.isWaitingForPicture)
            // It goes on from there.
            harness.machine.play(at: harness.now)
            harness.run(until: 3 * Self.second, picturesEvery: 5_000_000)
            let next = harness.shown.map(\.frame).drop { $0 != small.frame }.dropFirst().first
            #expect(next == small.frame + (rate < 0 ? -2 : 2))
        }
    }

    @Test func aRateOfZeroAndAFingerDoTheSame() throws {
        for isFinger in [false, true] {
            var harness = harness(rate: -4)
            harness.run(until: Self.second, picturesEvery: 400_000_000)
            let small = try #require(harness.shownPreviews.last)
            if isFinger {
                harness.machine.beginScrubbing(at: harness.now)
            } else {
                harness.machine.setRate(.zero, at: harness.now)
            }
            harness.run(until: 2 * Self.second, picturesEvery: 400_000_000)
            #expect(harness.shown.last?.frame == small.frame)
        }
        // A seek to the frame of which a preview is shown brings its picture.
        var harness = harness(rate: -4)
        harness.run(until: Self.second, picturesEvery: 400_000_000)
        let small = try #require(harness.shownPreviews.last)
        harness.machine.seek(to: small.frame, time: nil, number: 1, at: harness.now)
        harness.run(until: 2 * Self.second, picturesEvery: 400_000_000)
        #expect(harness.shown.contains { $0.frame == small.frame })
    }

    /// The last picture of all is exact, and the next item comes in time though the one before was never decoded.
    @Test func ends() {
        for rate in [-4, 4] as [Int64] {
            var alone = harness(rate: Rational(rate), frames: 90)
            alone.run(until: 3 * Self.second, picturesEvery: 400_000_000)
            #expect(alone.machine.hasEnded && stalls(alone) == 0)
            #expect(alone.shownPreviews.count > 20)
            #expect(alone.shown.last?.frame == alone.shownPreviews.last?.frame)
            #expect(alone.log.contains { if case .ended = $0 { true } else { false } })
        }
    }
}
