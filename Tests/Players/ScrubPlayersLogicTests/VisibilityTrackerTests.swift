@testable import ScrubPlayersLogic
import ScrubBase
import ScrubMediaLogic
import Testing

@Suite struct VisibilityTrackerTests {
    /// An event at a second, and whether controls are visible right after.
    enum Event: Sendable {
        case state(PlaybackState), toggle, reset, show, hide, look
    }

    static let failed = PlaybackState.failed(ScrubError(.badData, "broken"))

    /// The rows of the controls' behaviour: 3 s; playing hides, paused shows at once, other states keep, reset only
    /// restarts.
    static let stories: [[(Int64, Event, Bool, Int64?)]] = [
        [(0, .state(.playing), true, 3), (2, .look, true, 3), (3, .look, false, nil), (9, .look, false, nil)],
        [
            (0, .state(.playing), true, 3), (2, .reset, true, 5), (4, .look, true, 5), (5, .look, false, nil),
            (6, .reset, false, nil),
        ],
        [
            (0, .state(.playing), true, 3), (3, .look, false, nil), (4, .state(.paused), true, nil),
            (99, .look, true, nil),
        ],
        [
            (0, .state(.playing), true, 3), (1, .state(.paused), true, nil), (9, .state(.playing), true, 12),
            (12, .look, false, nil),
        ],
        [(0, .state(.playing), true, 3), (3, .look, false, nil), (4, .toggle, true, 7), (7, .look, false, nil)],
        [
            (0, .state(.playing), true, 3), (1, .toggle, false, nil), (2, .toggle, true, 5), (3, .toggle, false, nil),
            (9, .look, false, nil),
        ],
        [
            (0, .toggle, false, nil), (1, .reset, false, nil), (2, .state(.playing), false, nil), (3, .show, true, 6),
            (4, .show, true, 7), (5, .hide, false, nil),
        ],
        [
            (0, .state(.playing), true, 3), (2, .state(.stalled), true, nil), (9, .look, true, nil),
            (9, .state(.playing), true, 12),
        ],
        [
            (0, .state(.playing), true, 3), (2, .state(.ended), true, nil), (9, .reset, true, nil),
            (20, .look, true, nil),
        ],
        [
            (0, .toggle, false, nil), (1, .state(.ended), false, nil), (2, .state(failed), false, nil),
            (3, .state(.idle), false, nil), (4, .state(.preparing), false, nil),
        ],
        [(0, .state(.paused), true, nil), (1, .toggle, false, nil), (5, .look, false, nil), (6, .toggle, true, nil)],
        [(0, .state(.playing), true, 3), (2, .state(.playing), true, 3)],
        // Looked at late: what was due is over before the next thing happens.
        [(0, .state(.playing), true, 3), (10, .toggle, true, 13)],
        [(0, .state(.playing), true, 3), (10, .reset, false, nil)],
        [(0, .state(.playing), true, 3), (10, .state(.stalled), false, nil)],
    ]

    @Test(arguments: 0..<stories.count)
    func behaviours(number: Int) {
        let clock = ScrubTransport.ManualClock()
        let tracker = VisibilityTracker(clock: clock)
        for (step, (second, event, isVisible, deadline)) in Self.stories[number].enumerated() {
            clock.advance(by: .seconds(second) - .nanoseconds(clock.nanoseconds))
            switch event {
            case .state(let state): tracker.playbackChanged(to: state)
            case .toggle: tracker.toggle()
            case .reset: tracker.reset()
            case .show: tracker.isVisible = true
            case .hide: tracker.isVisible = false
            case .look: tracker.tick(now: clock.nanoseconds)
            }
            #expect(tracker.isVisible == isVisible, "step \(step)")
            #expect(tracker.nextDeadline == deadline.map { $0 * 1_000_000_000 }, "step \(step)")
        }
    }

    @Test(arguments: [0, -5] as [Int64])
    func withoutADelay(seconds: Int64) {
        let tracker = VisibilityTracker(delay: .seconds(seconds), clock: ScrubTransport.ManualClock())
        tracker.playbackChanged(to: .playing)
        #expect(!tracker.isVisible)
        tracker.toggle()
        #expect(!tracker.isVisible)
        tracker.playbackChanged(to: .paused)
        #expect(tracker.isVisible)
    }

    @Test func nearTheClocksEnd() {
        var timer = VisibilityTracker.Timer(delay: .seconds(Int64.max))
        timer.playbackChanged(to: .playing, at: .max - 5)
        #expect(timer.nextDeadline == .max)
        timer.advance(to: .max - 1)
        #expect(timer.isVisible)
    }

    @Test func tellsEachSubscriberAndItsDriver() async {
        let clock = ScrubTransport.ManualClock()
        var tracker: VisibilityTracker? = VisibilityTracker(clock: clock)
        let deadlines = Locked<[Int64?]>([])
        tracker?.onDeadlineChange { deadline in deadlines.withLock { $0.append(deadline) } }
        var (one, two) = (tracker?.values().makeAsyncIterator(), tracker?.values().makeAsyncIterator())
        #expect(await one?.next() == true)
        tracker?.playbackChanged(to: .playing)
        clock.advance(by: .seconds(3))
        tracker?.tick(now: clock.nanoseconds)
        #expect(await one?.next() == false)
        // The slow one has missed what was in between.
        #expect(await two?.next() == false)
        #expect(deadlines.withLock { $0 } == [nil, 3_000_000_000, nil])
        weak let gone = tracker
        tracker = nil
        #expect(gone == nil)
        #expect(await one?.next() == nil)
        #expect(await two?.next() == nil)
    }

    @Test func subscribersLeave() async {
        let latest = LatestValue(0)
        let task = Task {
            let reader = latest.values()
            while let value = await reader.next() { if value == 7 { return value } }
            return 0
        }
        latest.send(7)
        #expect(await task.value == 7)
        #expect(latest.subscriberCount == 0)
    }
}
