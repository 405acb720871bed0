import ScrubPlayersLogic
import ScrubBase
import Testing

/// An item with a value beside its identity.
struct Clip: Identifiable, Hashable, Sendable {
    let id: String
    var value = 0
    init(_ id: String, _ value: Int = 0) { (self.id, self.value) = (id, value) }
}

typealias ClipList = Playlist<Clip, Rational>

extension Playlist where Item == Clip, Place == Rational {
    /// A list of items that are named by single characters.
    init(_ names: String, _ repeatMode: RepeatMode = .off, at current: String? = nil) {
        self.init(names.map { Clip(String($0)) }, repeatMode: repeatMode)
        if let current { seek(to: current) }
    }

    var names: String { items.map(\.id).joined() }
    var current: String? { currentItem?.id }

    /// Returns the items that are shown from now on to the end, at most `limit`.
    func rest(_ limit: Int = 12, _ direction: PlaybackDirection = .forward) -> String {
        var list = self
        var shown = ""
        while shown.count < limit, let transition = list.advance(.automatic, direction: direction) {
            shown += transition.to ?? "."
        }
        return shown
    }
}

@Suite struct PlaylistTests {
    @Test func startsAtTheFirstAndTakesEachIdentityOnce() {
        let list = ClipList("abca")
        #expect(list.names == "abc")
        #expect(list.current == "a")
        #expect(list.currentIndex == 0)
        #expect((list.currentRepetition, list.startCount(of: "a"), list.startCount(of: "b")) == (1, 1, 0))
        #expect(list.next?.id == "b")
        #expect(list.previous == nil)
        let none = ClipList("")
        #expect((none.current, none.next?.id, none.isEnded, none.isEmpty) == (nil, nil, false, true))
        #expect(none.nextTransition() == ClipList.Transition(from: nil, to: nil, reason: .automatic, place: nil))
    }

    @Test(
        arguments: [
            ("abc", .off, "bc."), ("abc", .one, "aaaaaaaaaaaa"), ("abc", .all, "bcabcabcabca"), ("a", .off, "."),
            ("a", .all, "aaaaaaaaaaaa"), ("", .off, "."), ("", .all, "."), ("", .one, "."),
        ] as [(String, RepeatMode, String)])
    func repeatModes(names: String, mode: RepeatMode, shown: String) {
        #expect(ClipList(names, mode).rest() == shown)
    }

    @Test(arguments: [(.off, "ba."), (.one, "cccccccccccc"), (.all, "bacbacbacbac")] as [(RepeatMode, String)])
    func playedBackward(mode: RepeatMode, shown: String) {
        #expect(ClipList("abc", mode, at: "c").rest(12, .backward) == shown)
    }

    @Test func eachItemIsShownItsNumberOfTimes() {
        var list = ClipList("abc")
        list.setRepeatCount(3, of: "a")
        list.append(Clip("d"), repeatCount: 2)
        list.setRepeatCount(0, of: "b")
        #expect(list.rest() == "aabcdd.")
        #expect(list.next?.id == "a")
        let first = list.advance()
        #expect(first?.reason == .repeat)
        #expect((list.currentRepetition, list.startCount(of: "a")) == (2, 2))
        // A person does not wait for the repetitions.
        #expect(list.advance(.skip)?.to == "b")
        #expect(list.advance(.skip, direction: .backward)?.to == "a")
        #expect(list.currentRepetition == 1)
        #expect(list.rest() == "aabcdd.")
    }

    @Test(
        arguments: [
            (.off, "a", "b", nil), (.off, "c", nil, "b"), (.one, "a", "b", nil), (.one, "c", nil, "b"),
            (.all, "c", "a", "b"),
            (.all, "a", "b", "c"),
        ] as [(RepeatMode, String, String?, String?)])
    func skipping(mode: RepeatMode, at: String, forward: String?, backward: String?) {
        let list = ClipList("abc", mode, at: at)
        #expect(list.nextTransition(for: .skip)?.to == forward)
        #expect(list.previous?.id == backward)
        var skipped = list
        let transition = skipped.advance(.skip)
        #expect(transition?.reason == (forward == nil ? nil : .skip))
        #expect(forward == nil ? skipped == list : skipped.current == forward)
    }

    @Test func theEndKeepsTheLastItemAndIsLeftOnlyWhenAsked() {
        var list = ClipList("ab", at: "b")
        #expect(list.advance() == .init(from: "b", to: nil, reason: .automatic, place: nil))
        #expect((list.current, list.isEnded, list.next?.id) == ("b", true, nil))
        #expect(list.advance() == nil)
        #expect(list.append(Clip("c")) == .init(isApplied: true, transition: nil))
        #expect((list.current, list.isEnded, list.next?.id) == ("b", true, "c"))
        #expect(list.advance() == .init(from: "b", to: "c", reason: .automatic, place: nil))
        #expect(!list.isEnded)
        list.advance()
        #expect(list.restart() == .init(from: "c", to: "a", reason: .seek, place: nil))
        #expect(list.restart(.backward)?.to == "c")
        #expect(!list.isEnded)
        #expect(list.startCount(of: "c") == 2)
    }

    @Test func theSameItemAgainStartsOver() {
        var list = ClipList("ab", at: "b")
        #expect(list.seek(to: "b") == .init(from: "b", to: "b", reason: .seek, place: nil))
        #expect(list.startCount(of: "b") == 2)
        #expect(list.seek(to: "x") == nil)
    }

    @Test func nextIsAskedOfTheListAfterEachEdit() {
        var list = ClipList("abc")
        #expect(list.next?.id == "b")
        list.insert(Clip("x"), after: "a")
        #expect(list.next?.id == "x")
        list.remove("x")
        #expect(list.next?.id == "b")
        list.move("c", before: "b")
        #expect(list.next?.id == "c")
        list.replace("c", with: Clip("y"))
        #expect(list.next?.id == "y")
        list.move("a", to: 2)
        #expect((list.names, list.current, list.next?.id) == ("yba", "a", nil))
        list.repeatMode = .all
        #expect(list.next?.id == "y")
        list.repeatMode = .one
        #expect(list.next?.id == "a")
    }
}

@Suite struct PlaylistEditTests {
    typealias Edit = @Sendable (inout ClipList) -> ClipList.Edit

    static let edits: [(Edit, String?)] = [
        ({ $0.insert(Clip("x"), before: "b") }, "axbc"), ({ $0.insert(Clip("x"), after: "b") }, "abxc"),
        ({ $0.insert(Clip("x"), at: 0) }, "xabc"), ({ $0.insert(Clip("x"), at: 3) }, "abcx"),
        ({ $0.append(Clip("x")) }, "abcx"),
        ({ $0.append(contentsOf: [Clip("x"), Clip("y")]) }, "abcxy"),
        ({ $0.insert(contentsOf: [Clip("x"), Clip("y")], at: 1) }, "axybc"), ({ $0.append(contentsOf: []) }, "abc"),
        ({ $0.remove("a") }, "bc"), ({ $0.remove(["a", "c", "z"]) }, "b"), ({ $0.move("a", after: "c") }, "bca"),
        ({ $0.move("b", before: "a") }, "bac"), ({ $0.move("b", to: 2) }, "acb"),
        ({ $0.move("c", before: "b") }, "acb"),
        ({ $0.move("a", after: "b") }, "bac"), ({ $0.move("b", after: "b") }, "abc"),
        ({ $0.replace("b", with: Clip("b", 7)) }, "abc"),
        ({ $0.replace("c", with: Clip("x")) }, "abx"),
        ({ $0.replaceAll(with: [Clip("x"), Clip("b"), Clip("y")]) }, "xby"),
        ({ $0.setRepeatCount(4, of: "a") }, "abc"),
        // Refused.
        ({ $0.insert(Clip("a"), before: "b") }, nil), ({ $0.insert(Clip("b"), after: "b") }, nil),
        ({ $0.append(Clip("c")) }, nil),
        ({ $0.insert(Clip("a"), at: 0) }, nil), ({ $0.insert(Clip("x"), before: "z") }, nil),
        ({ $0.insert(Clip("x"), at: 4) }, nil),
        ({ $0.insert(Clip("x"), at: -1) }, nil), ({ $0.append(contentsOf: [Clip("x"), Clip("a")]) }, nil),
        ({ $0.append(contentsOf: [Clip("x"), Clip("x")]) }, nil), ({ $0.remove("z") }, nil), ({ $0.remove([]) }, nil),
        ({ $0.move("z", before: "a") }, nil), ({ $0.move("a", before: "z") }, nil), ({ $0.move("a", to: 3) }, nil),
        ({ $0.replace("z", with: Clip("x")) }, nil), ({ $0.replace("a", with: Clip("b")) }, nil),
        ({ $0.replaceAll(with: [Clip("x"), Clip("x")]) }, nil), ({ $0.setRepeatCount(1, of: "z") }, nil),
    ]

    /// All but the removal of the current item leave it as it is: the shown item, its time, and whether it ended.
    @Test(arguments: 0..<edits.count, [false, true])
    func editsOfOthersDisturbNothing(number: Int, isEnded: Bool) {
        let (edit, names) = Self.edits[number]
        var list = ClipList("abc", at: "b")
        list.setRepeatCount(5, of: "b")
        list.advance()
        if isEnded {
            list = ClipList("acb", at: "b")
            list.advance()
            list.move("c", after: "b")
        }
        let before = list
        let result = edit(&list)
        #expect(result == .init(isApplied: names != nil, transition: nil))
        #expect(list.names == names ?? "abc")
        #expect((list.current, list.currentRepetition, list.isEnded) == ("b", isEnded ? 1 : 2, isEnded))
        #expect(list.startCount(of: "b") == before.startCount(of: "b"))
        if names == nil { #expect(list == before) }
    }

    @Test(
        arguments: [
            (.off, "a", ["a"], "b"), (.off, "b", ["b", "c"], "d"), (.off, "b", ["a", "b"], "c"),
            (.off, "d", ["d"], nil),
            (.one, "d", ["d"], nil), (.all, "d", ["d"], "a"), (.all, "c", ["a", "c", "d"], "b"),
            (.off, "c", ["c", "d"], nil),
            (.all, "b", ["a", "b", "c", "d"], nil),
        ] as [(RepeatMode, String, Set<String>, String?)])
    func theCurrentItemIsRemoved(mode: RepeatMode, at: String, gone: Set<String>, next: String?) {
        var list = ClipList("abcd", mode, at: at)
        #expect(list.remove(gone).transition == .init(from: at, to: next, reason: .removed, place: nil))
        #expect((list.current, list.isEnded) == (next, next == nil))
        if let next { #expect((list.currentRepetition, list.startCount(of: next)) == (1, next == "a" ? 2 : 1)) }
    }

    @Test func afterTheLastWasRemovedTheListStaysEnded() {
        var list = ClipList("ab", at: "b")
        list.remove("b")
        #expect((list.current, list.isEnded, list.previous?.id, list.next?.id) == (nil, true, "a", nil))
        #expect(list.append(Clip("c")).transition == nil)
        #expect((list.current, list.isEnded, list.next?.id) == (nil, true, "c"))
        list.insert(Clip("x"), before: "a")
        #expect(list.next?.id == "c")
        #expect(list.advance() == .init(from: nil, to: "c", reason: .automatic, place: nil))
        // What had ended is not begun by a removal either.
        list.advance()
        #expect(list.remove("c").transition == .init(from: "c", to: nil, reason: .removed, place: nil))
        #expect(list.isEnded)
    }

    @Test func anEmptyListBeginsWithWhatComes() {
        var list = ClipList("")
        #expect(
            list.append(contentsOf: [Clip("a"), Clip("b")]).transition
                == .init(from: nil, to: "a", reason: .playlistChanged, place: nil))
        #expect(list.removeAll().transition == .init(from: "a", to: nil, reason: .removed, place: nil))
        #expect((list.isEnded, list.isEmpty, list.contains("a")) == (true, true, false))
        #expect(list.removeAll().transition == nil)
        #expect(list.insert(Clip("a"), at: 0).transition?.to == "a")
        #expect(!list.isEnded)
    }

    @Test(
        arguments: [
            ("c", "xcy", "c", false), ("b", "xdy", "d", true), ("b", "dcx", "c", true), ("d", "xab", "x", true),
            ("a", "", nil, true),
        ] as [(String, String, String?, Bool)])
    func replacedAsAWhole(at: String, new: String, current: String?, isChanged: Bool) {
        var list = ClipList("abcd", at: at)
        list.setRepeatCount(2, of: "c")
        let edit = list.replaceAll(with: new.map { Clip(String($0), 9) })
        #expect(
            edit.transition == (isChanged ? .init(from: at, to: current, reason: .playlistChanged, place: nil) : nil))
        #expect((list.names, list.current, list.isEnded) == (new, current, current == nil))
        #expect(list.items.allSatisfy { $0.value == 9 })
        if new.contains("c") { #expect(list.repeatCount(of: "c") == 2) }
    }

    @Test func replacingTheCurrentItem() {
        var list = ClipList("abc", at: "b")
        list.setRepeatCount(3, of: "b")
        #expect(
            list.replace("b", with: Clip("x")).transition
                == .init(from: "b", to: "x", reason: .playlistChanged, place: nil))
        #expect((list.names, list.current, list.repeatCount(of: "x"), list.contains("b")) == ("axc", "x", 3, false))
        #expect(list.replace("x", with: Clip("x", 1), repeatCount: -4).transition == nil)
        #expect((list.currentItem?.value, list.repeatCount(of: "x"), list.startCount(of: "x")) == (1, 1, 1))
    }
}

@Suite struct PlaylistFailureTests {
    @Test func whenAllFailTheListIsGoneRoundOnce() {
        for mode in RepeatMode.allCases {
            var list = ClipList("abc", mode)
            var turns = 0
            while let transition = list.markCurrentFailed() {
                turns += 1
                #expect(transition.reason == .failed)
                guard transition.to != nil, turns < 10 else { break }
            }
            #expect(turns == 3)
            #expect((list.isEnded, list.next?.id, list.restart()) == (true, nil, nil))
            list.clearFailures()
            #expect(list.restart()?.to == "a")
        }
    }

    @Test func aFailedItemIsPassedOverBothWays() {
        var list = ClipList("abc", .all)
        list.advance()
        #expect(list.markCurrentFailed() == .init(from: "b", to: "c", reason: .failed, place: nil))
        #expect(list.hasFailed("b"))
        #expect(list.rest(4) == "acac")
        #expect(list.advance(.skip, direction: .backward)?.to == "a")
        #expect(list.advance(.skip)?.to == "c")
        #expect(list.seek(to: "b")?.to == "b")
        #expect(!list.hasFailed("b"))
        #expect(list.rest(4) == "cabc")
        #expect(list.markCurrentFailed(policy: .stay) == nil)
        #expect((list.current, list.isEnded, list.hasFailed("b")) == ("b", false, true))
        #expect(list.markCurrentFailed(policy: .advance, direction: .backward)?.to == "a")
    }

    @Test func repetitionDoesNotSpinOnAFailedItem() {
        var list = ClipList("ab", .one)
        list.setRepeatCount(4, of: "a")
        #expect(list.markCurrentFailed()?.to == "b")
        #expect(list.markCurrentFailed()?.to == .some(nil))
        var none = ClipList("")
        #expect(none.markCurrentFailed() == nil)
    }

    /// A prepared item that cannot be shown is no longer next, and nothing else changes.
    @Test func thePreparedItemFails() {
        var list = ClipList("abc", .all)
        #expect(list.markFailed("b") == true)
        #expect((list.current, list.next?.id) == ("a", "c"))
        #expect(list.markFailed("x") == false)
        list.markFailed("a")
        #expect((list.current, list.next?.id) == ("a", "c"))
    }

    @Test func aReplacedItemHasAnotherChance() {
        var list = ClipList("ab")
        list.markCurrentFailed()
        list.replace("a", with: Clip("x"))
        #expect(list.previous?.id == "x")
    }
}
