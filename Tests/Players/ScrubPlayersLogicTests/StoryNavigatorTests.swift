import ScrubPlayersLogic
import ScrubBase
import ScrubTestSupport
import Testing

@Suite struct StoryNavigatorTests {
    typealias Action = StoryNavigator.Action

    @Test(
        arguments: [
            (49, false, .previous), (50, false, .next), (0, false, .previous), (100, false, .next),
            (-9, false, .previous), (999, false, .next),
            (51, true, .previous), (50, true, .next), (0, true, .next), (100, true, .previous), (-9, true, .next),
            (999, true, .previous),
        ] as [(Rational, Bool, Action)])
    func halves(x: Rational, isRightToLeft: Bool, action: Action) {
        let navigator = StoryNavigator(isRightToLeft: isRightToLeft)
        #expect(navigator.tap(x: x, width: 100, in: ClipList("abc", at: "b")) == action)
    }

    @Test(
        arguments: [
            (Rational(1, 3), 10, .previous), (Rational(1, 3), Rational(100, 3), .next), (0, 0, .next),
            (1, 99, .previous), (7, 99, .previous),
            (-7, 0, .next), (Rational(1, .max), Rational(1, .max - 1), .next),
            (Rational(.max - 1, .max), Rational(.max - 2, .max), .previous),
        ] as [(Rational, Rational, Action)])
    func shares(share: Rational, x: Rational, action: Action) {
        #expect(StoryNavigator(backFraction: share).tap(x: x, width: 100, hasPrevious: true, hasNext: true) == action)
    }

    @Test func atTheEnds() {
        let navigator = StoryNavigator()
        #expect(navigator.tap(x: 10, width: 100, in: ClipList("ab")) == .restart)
        #expect(navigator.tap(x: 90, width: 100, in: ClipList("ab", at: "b")) == .finish)
        #expect(navigator.tap(x: 90, width: 100, in: ClipList("ab", .all, at: "b")) == .next)
        #expect(navigator.tap(x: 10, width: 100, in: ClipList("ab", .all)) == .previous)
        #expect(navigator.tap(x: 10, width: 100, in: ClipList("")) == nil)
        #expect(navigator.tap(x: 90, width: 100, in: ClipList("")) == nil)
        for width in [0, -1] as [Rational] { #expect(navigator.tap(x: 1, width: width, in: ClipList("ab")) == nil) }
        for x in [Double.nan, .infinity] { #expect(navigator.tap(x: x, width: 100, in: ClipList("ab")) == nil) }
        #expect(navigator.tap(x: 99.5, width: 100, in: ClipList("ab")) == .next)
        #expect(navigator.tap(x: 1.5, width: .nan, in: ClipList("ab")) == nil)
    }

    @Test func holding() {
        var navigator = StoryNavigator()
        #expect(navigator.holdEnded().isEmpty)
        #expect(navigator.holdBegan(isPlaying: true) == .pause)
        #expect(navigator.holdBegan(isPlaying: false) == nil)
        #expect(navigator.isHeld)
        #expect(navigator.tap(x: 1, width: 9, in: ClipList("ab")) == nil)
        #expect(navigator.holdEnded() == [.resume])
        #expect(navigator.holdEnded().isEmpty)
        // What was paused stays paused.
        #expect(navigator.holdBegan(isPlaying: false) == nil)
        #expect(navigator.holdCancelled().isEmpty)
        #expect(navigator.holdBegan(isPlaying: true) == .pause)
        #expect(navigator.holdCancelled() == [.resume])
        #expect(!navigator.isHeld)
        // An end that crosses the finger waits for it.
        #expect(navigator.itemEnded() == .advance)
        #expect(navigator.holdBegan(isPlaying: true) == .pause)
        #expect(navigator.itemEnded() == nil)
        #expect(navigator.holdEnded() == [.advance, .resume])
        #expect(navigator.holdBegan(isPlaying: true) == .pause)
        #expect(navigator.holdEnded() == [.resume])
    }

    @Test func aWholeStory() {
        var list = ClipList("abc")
        list.setRepeatCount(2, of: "b")
        let half = Rational(1, 2)
        func bar() -> [Rational] { list.segments(progress: half).map(\.fraction) }
        #expect(bar() == [half, 0, 0])
        #expect(list.perform(.restart)?.to == "a")
        #expect(list.perform(.advance)?.to == "b")
        #expect(bar() == [1, Rational(1, 4), 0])
        #expect(list.perform(.advance)?.reason == .repeat)
        #expect(bar() == [1, Rational(3, 4), 0])
        list.interrupt(with: [Clip("x"), Clip("y")], returningTo: 7)
        #expect(list.segments(progress: 9).map(\.id) == ["x", "y"])
        #expect(list.segments(progress: 9).map(\.fraction) == [1, 0])
        #expect(list.perform(.next)?.to == "y")
        #expect(list.perform(.advance)?.place == 7)
        #expect(list.perform(.advance)?.to == "c")
        #expect(list.perform(.previous)?.to == "b")
        #expect(bar() == [1, Rational(1, 4), 0])
        list.perform(.next)
        for action in [.pause, .resume, .finish] as [Action] { #expect(list.perform(action) == nil) }
        list.perform(.advance)
        #expect(bar() == [1, 1, 1])
        #expect(list.segments(progress: 0).map(\.timesShown) == [2, 3, 2])
        #expect(list.segments(progress: 0).map(\.isCurrent) == [false, false, true])
        var empty = ClipList("")
        #expect(empty.perform(.restart) == nil && empty.segments(progress: 1).isEmpty)
    }

    /// Repetitions by the repeat mode fill the segment again.
    @Test func repeatedForEver() {
        var list = ClipList("a", .one)
        list.setRepeatCount(2, of: "a")
        let fractions = (0..<5).map { _ in
            defer { list.perform(.advance) }
            return list.segments(progress: -1)[0].fraction
        }
        #expect(fractions == [0, Rational(1, 2), 0, Rational(1, 2), 0])
    }
}
