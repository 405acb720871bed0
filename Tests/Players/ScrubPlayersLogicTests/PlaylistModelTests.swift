import ScrubPlayersLogic
import ScrubBase
import ScrubTestSupport
import Testing

/// A command for a playlist and its model.
enum PlaylistCommand: Sendable {
    case advance(skip: Bool, backward: Bool)
    case fail(stay: Bool, backward: Bool)
    case seek(Int)
    case restart(backward: Bool)
    case interrupt([Int], Int64)
    case skipInterruption
    case insert(Int, near: Int, after: Bool, count: Int)
    case insertAt(Int, Int)
    case append(Int, count: Int)
    case remove(Set<Int>)
    case removeAll
    case move(Int, near: Int, after: Bool)
    case replace(Int, Int)
    case replaceAll([Int])
    case setMode(RepeatMode)
    case setRepeatCount(Int, of: Int)
    case clearFailures

    /// A random one; most are about items that are there.
    init(_ model: PlaylistModel, _ random: inout SplitMix) {
        let there = model.all
        func any() -> Int { Int.random(in: 0..<16, using: &random) }
        func known() -> Int { random.isOne(in: 8) ? any() : there.randomElement(using: &random) ?? any() }
        func flag() -> Bool { Bool.random(using: &random) }
        func several(_ most: Int) -> [Int] { (0..<Int.random(in: 0...most, using: &random)).map { _ in any() } }
        switch Int.random(in: 0..<40, using: &random) {
        case 0..<12: self = .advance(skip: random.isOne(in: 4), backward: random.isOne(in: 4))
        case 12: self = .fail(stay: random.isOne(in: 3), backward: random.isOne(in: 4))
        case 13: self = .seek(known())
        case 14: self = .restart(backward: random.isOne(in: 3))
        case 15, 16: self = .interrupt(several(3), Int64(any()))
        case 17: self = .skipInterruption
        case 18..<21: self = .insert(any(), near: known(), after: flag(), count: any() % 4)
        case 21: self = .insertAt(any(), Int.random(in: -1...6, using: &random))
        case 22..<26: self = .append(any(), count: any() % 3)
        case 26..<29: self = .remove([known()])
        case 29: self = .remove(Set(several(6)))
        case 30: self = random.isOne(in: 8) ? .removeAll : .clearFailures
        case 31..<34: self = .move(known(), near: known(), after: flag())
        case 34, 35: self = .replace(known(), any())
        case 36: self = .replaceAll(several(7))
        case 37: self = .setMode(RepeatMode.allCases.randomElement(using: &random) ?? .off)
        case 38: self = .setRepeatCount(any() % 4, of: known())
        default: self = .remove(model.top.current.map { [$0] } ?? [])
        }
    }
}

struct Numbered: Identifiable, Hashable, Sendable { let id: Int }

@Suite struct PlaylistModelTests {
    typealias List = Playlist<Numbered, Rational>

    /// Carries a command out on both; returns the list's report of it.
    static func run(_ command: PlaylistCommand, _ list: inout List, _ model: inout PlaylistModel) -> List.Transition? {
        model.place = nil
        func item(_ id: Int) -> Numbered { Numbered(id: id) }
        switch command {
        case .advance(let skip, let backward):
            model.advance(skip: skip, backward: backward)
            return list.advance(skip ? .skip : .automatic, direction: backward ? .backward : .forward)
        case .fail(let stay, let backward):
            model.fail(stay: stay, backward: backward)
            return list.markCurrentFailed(policy: stay ? .stay : .advance, direction: backward ? .backward : .forward)
        case .seek(let id):
            model.seek(id)
            return list.seek(to: id)
        case .restart(let backward):
            model.restart(backward: backward)
            return list.restart(backward ? .backward : .forward)
        case .interrupt(let ids, let place):
            if Set(ids).count == ids.count { model.interrupt(ids, Rational(place)) }
            return list.interrupt(with: ids.map(item), returningTo: Rational(place)).transition
        case .skipInterruption:
            model.skipInterruption()
            return list.skipInterruption()
        case .insert(let id, let other, let after, let count):
            model.insert(id, near: other, after: after, count: count)
            return after
                ? list.insert(item(id), after: other, repeatCount: count).transition
                : list.insert(item(id), before: other, repeatCount: count).transition
        case .insertAt(let id, let index):
            let all = model.levels[0].all
            if all.indices.contains(index) {
                model.insert(id, near: all[index], after: false, count: 1)
            } else if index == all.count {
                model.append(id, count: 1)
            }
            return list.insert(item(id), at: index).transition
        case .append(let id, let count):
            model.append(id, count: count)
            return list.append(item(id), repeatCount: count).transition
        case .remove(let ids):
            model.remove(ids)
            return list.remove(ids).transition
        case .removeAll:
            model.removeAll()
            return list.removeAll().transition
        case .move(let id, let other, let after):
            model.move(id, near: other, after: after)
            return after ? list.move(id, after: other).transition : list.move(id, before: other).transition
        case .replace(let id, let new):
            model.replace(id, new)
            return list.replace(id, with: item(new)).transition
        case .replaceAll(let ids):
            model.replaceAll(ids)
            return list.replaceAll(with: ids.map(item)).transition
        case .setMode(let mode):
            (model.mode, list.repeatMode) = (mode, mode)
        case .setRepeatCount(let count, let id):
            if model.all.contains(id) { model.repeats[id] = max(count, 1) }
            return list.setRepeatCount(count, of: id).transition
        case .clearFailures:
            model.failed = []
            list.clearFailures()
        }
        return nil
    }

    /// Returns the fault after a command, or `nil`.
    static func difference(
        _ list: List, _ model: PlaylistModel, _ transition: List.Transition?, before: List, shownBefore: [Int: Int]
    ) -> String? {
        let pairs: [(String, any Equatable, any Equatable)] = [
            ("items", list.items.map(\.id), model.levels[0].all), ("current", list.currentItem?.id, model.top.current),
            ("pass", list.currentRepetition, model.top.pass), ("ended", list.isEnded, model.top.isEnded),
            ("depth", list.interruptionDepth, model.levels.count - 1),
            ("interrupting", list.interruptingItems.map(\.id), model.levels.count > 1 ? model.top.all : []),
            ("waiting", list.interruptedItem?.id, model.levels.count > 1 ? model.levels[0].current : nil),
            ("place", transition?.place, model.place),
            ("times", model.all.map { list.startCount(of: $0) }, model.all.map { model.shown[$0] }),
            ("counts", model.all.map { list.repeatCount(of: $0) }, model.all.map { model.repeats[$0] }),
            ("failed", model.all.map { list.hasFailed($0) }, model.all.map { model.failed.contains($0) }),
            ("known", (0..<16).map { list.contains($0) }, (0..<16).map { model.all.contains($0) }),
            ("indices", list.currentIndex.map { list.items[$0].id }, list.isInterrupted ? nil : model.top.current),
        ]
        for (name, a, b) in pairs where !isEqual(a, b) { return "\(name): \(a), not \(b)" }
        // A change is told exactly when there was one.
        let isBegun = model.all.contains { model.shown[$0] != shownBefore[$0, default: 0] && model.shown[$0] != 0 }
        let isChanged = before.currentItem?.id != list.currentItem?.id || isBegun || before.isEnded != list.isEnded
        if isChanged, transition == nil { return "silent: \(before.currentItem as Any) to \(list.currentItem as Any)" }
        if let transition {
            if transition.from != before.currentItem?.id { return "from \(transition)" }
            if transition.to != (list.isEnded ? nil : list.currentItem?.id) { return "to \(transition)" }
        }
        return nil
    }

    private static func isEqual<A: Equatable>(_ a: A, _ b: any Equatable) -> Bool { a == b as? A }

    /// Runs commands from the beginning; where and how list and model differ.
    static func failure(of commands: [PlaylistCommand]) -> (Int, String)? {
        var (list, model) = (List(), PlaylistModel())
        for (number, command) in commands.enumerated() {
            let (before, shown) = (list, model.shown)
            let next = (
                list.nextTransition(), list.nextTransition(for: .skip),
                list.nextTransition(for: .skip, direction: .backward),
                list.nextTransition(for: .automatic, direction: .backward)
            )
            let transition = run(command, &list, &model)
            if let found = difference(list, model, transition, before: before, shownBefore: shown) {
                return (number, found)
            }
            if case .advance(let skip, let backward) = command {
                let told = skip ? (backward ? next.2 : next.1) : (backward ? next.3 : next.0)
                if told != transition { return (number, "announced \(told as Any), was \(transition as Any)") }
            }
        }
        return nil
    }

    /// Deletes commands as long as the failure stays.
    static func shrunk(_ commands: [PlaylistCommand]) -> [PlaylistCommand] {
        var kept = commands
        var index = kept.count - 1
        while index >= 0 {
            var fewer = kept
            fewer.remove(at: index)
            if failure(of: fewer) != nil { kept = fewer }
            index = min(index, kept.count) - 1
        }
        return kept
    }

    /// 100,000 edits and advances: the shown items, their number and their order are those of the plain model.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func anyEditAtAnyTime(seed: UInt64) {
        var random = SplitMix(seed)
        for round in 0..<10 {
            var (list, model) = (List(), PlaylistModel())
            var commands: [PlaylistCommand] = []
            for _ in 0..<500 {
                let command = PlaylistCommand(model, &random)
                commands.append(command)
                let (before, shown) = (list, model.shown)
                let told = list.nextTransition()
                let transition = Self.run(command, &list, &model)
                var found = Self.difference(list, model, transition, before: before, shownBefore: shown)
                if case .advance(false, false) = command, told != transition { found = "announced \(told as Any)" }
                guard let found else { continue }
                Issue.record("seed \(seed), round \(round): \(found); smallest: \(Self.shrunk(commands))")
                return
            }
        }
    }
}
