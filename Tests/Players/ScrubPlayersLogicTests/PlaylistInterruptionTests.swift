import ScrubPlayersLogic
import ScrubBase
import Testing

@Suite struct PlaylistInterruptionTests {
    static let place = Rational(7, 2)
    static let other = Rational(1, 3)

    /// "b" of "abc", interrupted by "x" and "y".
    static func interrupted(_ mode: RepeatMode = .off) -> ClipList {
        var list = ClipList("abc", mode, at: "b")
        #expect(
            list.interrupt(with: [Clip("x"), Clip("y")], returningTo: place).transition
                == .init(from: "b", to: "x", reason: .automatic, place: nil))
        return list
    }

    @Test(arguments: RepeatMode.allCases)
    func comesBackToTheItemAndItsPlace(mode: RepeatMode) {
        var list = Self.interrupted(mode)
        #expect((list.names, list.current, list.currentIndex) == ("abc", "x", nil))
        #expect(list.interruptingItems.map(\.id) == ["x", "y"])
        #expect(list.interruptedItem?.id == "b")
        #expect(list.advance() == .init(from: "x", to: "y", reason: .automatic, place: nil))
        #expect(list.next?.id == "b")
        #expect(list.advance() == .init(from: "y", to: "b", reason: .automatic, place: Self.place))
        #expect((list.isInterrupted, list.startCount(of: "b"), list.currentRepetition) == (false, 1, 1))
        #expect((list.contains("x"), list.contains("y")) == (false, false))
        #expect(list.interruptingItems.isEmpty && list.interruptedItem == nil)
    }

    @Test func anAdInsideAnAd() {
        var list = Self.interrupted()
        list.setRepeatCount(2, of: "x")
        list.advance()
        #expect(list.interrupt(with: [Clip("1")], returningTo: Self.other).isApplied)
        #expect((list.interruptionDepth, list.current, list.interruptedItem?.id) == (2, "1", "b"))
        #expect(list.advance() == .init(from: "1", to: "x", reason: .automatic, place: Self.other))
        #expect(list.currentRepetition == 2)
        #expect(list.rest() == "ybc.")
    }

    @Test func skippingAndSeeking() {
        var list = Self.interrupted()
        #expect(list.advance(.skip, direction: .backward) == nil)
        #expect(list.advance(.skip)?.to == "y")
        #expect(list.advance(.skip, direction: .backward)?.to == "x")
        list.advance()
        #expect(list.advance(.skip) == .init(from: "y", to: "b", reason: .skip, place: Self.place))

        list = Self.interrupted()
        list.interrupt(with: [Clip("1"), Clip("2")], returningTo: Self.other)
        #expect(list.skipInterruption() == .init(from: "1", to: "x", reason: .skip, place: Self.other))
        #expect(list.skipInterruption() == .init(from: "x", to: "b", reason: .skip, place: Self.place))
        #expect(list.skipInterruption() == nil)

        list = Self.interrupted()
        list.interrupt(with: [Clip("1")], returningTo: Self.other)
        #expect(list.seek(to: "y") == .init(from: "1", to: "y", reason: .seek, place: nil))
        #expect((list.interruptionDepth, list.contains("1")) == (1, false))
        #expect(list.seek(to: "b") == .init(from: "y", to: "b", reason: .seek, place: nil))
        #expect((list.interruptionDepth, list.startCount(of: "b")) == (0, 2))
        #expect(Self.interrupted().rest(3, .backward) == "ba.")
    }

    @Test func anAdIsRemovedWhileItIsShown() {
        var list = Self.interrupted()
        #expect(list.remove("x").transition == .init(from: "x", to: "y", reason: .removed, place: nil))
        #expect(list.remove("y").transition == .init(from: "y", to: "b", reason: .removed, place: Self.place))
        #expect(!list.isInterrupted)

        list = Self.interrupted(.all)
        #expect(list.remove(["x", "y"]).transition == .init(from: "x", to: "b", reason: .removed, place: Self.place))

        // Another ad that is removed disturbs nothing.
        list = Self.interrupted()
        #expect(list.remove("y").transition == nil)
        #expect(list.rest() == "bc.")
    }

    @Test(
        arguments: [
            (.off, ["b"], "c"), (.off, ["b", "c"], nil), (.all, ["b", "c"], "a"), (.one, ["b"], "c"),
            (.all, ["a", "b", "c"], nil),
        ] as [(RepeatMode, Set<String>, String?)])
    func theInterruptedItemIsRemovedMeanwhile(mode: RepeatMode, gone: Set<String>, next: String?) {
        var list = Self.interrupted(mode)
        #expect(list.remove(gone).transition == nil)
        #expect((list.current, list.interruptedItem?.id) == ("x", nil))
        list.advance()
        #expect(list.next?.id == next)
        #expect(list.advance() == .init(from: "y", to: next, reason: .automatic, place: nil))
        #expect((list.current, list.isEnded) == (next, next == nil))
    }

    @Test func itemsThatComeWhileNoneWaitsAreShownAfterwards() {
        var list = Self.interrupted()
        list.remove(["b", "c"])
        list.append(Clip("d"))
        list.insert(Clip("e"), before: "a")
        #expect(list.rest() == "yd.")
        list.remove(["a", "d", "e"])
        #expect(list.append(Clip("f")).transition == nil)
        #expect(list.rest() == "yf.")
    }

    @Test func anAdThatIsInterruptedIsRemoved() {
        var list = Self.interrupted()
        list.interrupt(with: [Clip("1")], returningTo: Self.other)
        #expect(list.remove("x").transition == nil)
        #expect(list.rest() == "ybc.")
        #expect(list.remove("y").transition == nil)
        #expect(list.interruptionDepth == 1)
        #expect(list.advance() == .init(from: "1", to: "b", reason: .automatic, place: Self.place))
        // All at once: the ad, what it interrupted, and what that interrupted.
        list = Self.interrupted()
        list.interrupt(with: [Clip("1")], returningTo: Self.other)
        #expect(
            list.remove(["1", "x", "y", "b"]).transition == .init(from: "1", to: "c", reason: .removed, place: nil))
    }

    @Test func listIsReplacedMeanwhile() {
        var list = Self.interrupted()
        #expect(!list.replaceAll(with: [Clip("x")]).isApplied)
        #expect(list.replaceAll(with: [Clip("c"), Clip("b")]).transition == nil)
        #expect(list.skipInterruption()?.place == Self.place)
        list = Self.interrupted()
        list.replaceAll(with: [Clip("n"), Clip("c"), Clip("m")])
        #expect(list.rest() == "ycm.")
        list.replaceAll(with: [Clip("k"), Clip("m")])
        #expect(list.rest() == "ym.")
        list.replaceAll(with: [Clip("k"), Clip("l")])
        #expect(list.rest() == "ykl.")
        list.replaceAll(with: [])
        #expect(list.rest() == "y.")
        #expect(list.removeAll().transition == .init(from: "x", to: nil, reason: .removed, place: nil))
        #expect(!list.isInterrupted && list.isEnded)
    }

    @Test func replacingWithin() {
        var list = Self.interrupted()
        #expect(list.replace("b", with: Clip("n")).transition == nil)
        #expect(
            list.replace("x", with: Clip("z")).transition
                == .init(from: "x", to: "z", reason: .playlistChanged, place: nil))
        list.advance()
        #expect(list.advance() == .init(from: "y", to: "n", reason: .automatic, place: nil))
    }

    @Test func edits() {
        var list = Self.interrupted()
        #expect(list.insert(Clip("1"), after: "x").isApplied)
        #expect(list.insert(Clip("2"), before: "c").isApplied)
        #expect(!list.append(Clip("y")).isApplied)
        #expect(!list.move("a", before: "x").isApplied && !list.move("x", after: "a").isApplied)
        #expect(list.move("y", before: "1").isApplied)
        #expect(list.rest() == "y1b2c.")
        #expect(!list.interrupt(with: [], returningTo: .zero).isApplied)
        #expect(!list.interrupt(with: [Clip("n"), Clip("a")], returningTo: .zero).isApplied)
        #expect(!list.interrupt(with: [Clip("n"), Clip("n")], returningTo: .zero).isApplied)
        #expect(!list.contains("n"))
        list.removeAll()
        #expect(!list.contains("x"))
    }

    @Test func failedAds() {
        var list = Self.interrupted()
        #expect(list.markCurrentFailed() == .init(from: "x", to: "y", reason: .failed, place: nil))
        #expect(list.markCurrentFailed() == .init(from: "y", to: "b", reason: .failed, place: Self.place))
    }

    @Test func beforeTheFirstAndAfterTheLast() {
        var list = ClipList("")
        #expect(list.interrupt(with: [Clip("x")], returningTo: Self.place).transition?.to == "x")
        #expect(list.append(contentsOf: [Clip("a"), Clip("b")]).transition == nil)
        #expect(list.rest() == "ab.")
        #expect(list.advance() == .init(from: "x", to: "a", reason: .automatic, place: nil))

        list = ClipList("a")
        list.advance()
        #expect(list.interrupt(with: [Clip("x")], returningTo: Self.place).transition?.to == "x")
        #expect(!list.isEnded)
        #expect(list.advance() == .init(from: "x", to: nil, reason: .automatic, place: nil))
        #expect((list.current, list.isEnded, list.isInterrupted) == ("a", true, false))

        // What was put behind the end comes, whenever that was; backward nothing lies there.
        for isEarly in [true, false] {
            for direction in [PlaybackDirection.forward, .backward] {
                list = ClipList("a")
                list.advance()
                if isEarly { list.append(Clip("b")) }
                list.interrupt(with: [Clip("x")], returningTo: Self.place)
                if !isEarly { list.append(Clip("b")) }
                let to = direction == .forward ? "b" : nil
                #expect(
                    list.advance(.automatic, direction: direction)
                        == .init(from: "x", to: to, reason: .automatic, place: nil))
                #expect((list.isEnded, list.isInterrupted) == (to == nil, false))
            }
        }
        // It is not gone round again for that.
        list = ClipList("a")
        list.advance()
        list.repeatMode = .all
        list.interrupt(with: [Clip("x")], returningTo: Self.place)
        #expect(list.advance() == .init(from: "x", to: nil, reason: .automatic, place: nil))

        list = ClipList("")
        list.interrupt(with: [Clip("x")], returningTo: Self.place)
        #expect(list.advance(.skip) == nil)
        #expect(list.skipInterruption() == .init(from: "x", to: nil, reason: .skip, place: nil))
        #expect(list.isEnded)
    }
}
