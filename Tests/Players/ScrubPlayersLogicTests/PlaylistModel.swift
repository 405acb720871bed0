import ScrubPlayersLogic
import ScrubBase

/// The duties of a playlist, as plainly as possible: each list has the items before, at and after the place where it
/// is.
struct PlaylistModel {
    struct Level {
        var before: [Int] = []
        var current: Int?
        var after: [Int] = []
        var pass = 0
        var place: Rational?
        var isEnded = false
        var all: [Int] { before + (current.map { [$0] } ?? []) + after }
    }

    var mode = RepeatMode.off
    var levels = [Level()]
    var shown: [Int: Int] = [:]
    var repeats: [Int: Int] = [:]
    var failed: Set<Int> = []

    /// The place at which the last current item began.
    var place: Rational?

    var all: [Int] { levels.flatMap(\.all) }
    var top: Level {
        get { levels[levels.count - 1] }
        set { levels[levels.count - 1] = newValue }
    }

    /// Returns the index of an item that is there.
    private static func index(of id: Int, _ ids: [Int]) -> Int { ids.firstIndex(of: id) ?? 0 }

    // Going on.

    private mutating func begin(_ id: Int) {
        let all = top.all
        let index = Self.index(of: id, all)
        top = Level(before: Array(all[..<index]), current: id, after: Array(all[(index + 1)...]), pass: 1)
        shown[id, default: 0] += 1
        place = nil
    }

    private func nearest(_ level: Level, isBase: Bool, backward: Bool) -> Int? {
        var way = backward ? level.before.reversed() : level.after
        if isBase && mode == .all {
            way += backward ? level.after.reversed() : level.before
            // Itself comes last.
            if let current = level.current { way.append(current) }
        }
        return way.first { !failed.contains($0) }
    }

    /// The list below goes on, or the one below that.
    private mutating func pop(backward: Bool = false) {
        while levels.count > 1 {
            levels.removeLast()
            if top.isEnded {
                // What has come behind the end; a list is not gone round for it.
                if let id = nearest(top, isBase: false, backward: backward) { return begin(id) }
                place = nil
                return
            }
            if let current = top.current, !failed.contains(current) {
                (place, top.place) = (top.place, nil)
                return
            }
            if let id = nearest(top, isBase: levels.count == 1, backward: false) { return begin(id) }
        }
        (top.isEnded, place) = (true, nil)
    }

    mutating func advance(skip: Bool, backward: Bool) {
        if !skip, let id = top.current, !failed.contains(id),
            (levels.count == 1 && mode == .one) || (!top.isEnded && top.pass < repeats[id, default: 1])
        {
            let pass = top.pass
            begin(id)
            top.pass = pass + 1
            return
        }
        if let id = nearest(top, isBase: levels.count == 1, backward: backward) { return begin(id) }
        if skip && (backward || levels.count == 1) { return }
        if skip && levels.dropLast().allSatisfy({ !$0.isEnded && $0.current.map(failed.contains) ?? true }) {
            // A copy tells whether anything below goes on.
            var copy = self
            copy.pop(backward: backward)
            if copy.top.isEnded { return }
        }
        pop(backward: backward)
    }

    mutating func fail(stay: Bool, backward: Bool) {
        guard let id = top.current else { return }
        failed.insert(id)
        if !stay && !top.isEnded { advance(skip: false, backward: backward) }
    }

    mutating func seek(_ id: Int) {
        guard all.contains(id) else { return }
        failed.remove(id)
        while !top.all.contains(id) { levels.removeLast() }
        begin(id)
    }

    mutating func interrupt(_ ids: [Int], _ place: Rational) {
        guard !ids.isEmpty, Set(ids).isDisjoint(with: all) else { return }
        if top.current != nil && !top.isEnded { top.place = place }
        levels.append(Level(after: ids))
        for id in ids { (shown[id], repeats[id]) = (0, 1) }
        failed.subtract(ids)
        begin(ids[0])
    }

    mutating func skipInterruption() { if levels.count > 1 { pop() } }

    // Edits.

    private mutating func settle() {
        let last = levels.count - 1
        levels = levels.enumerated().filter { $0.offset == 0 || $0.offset == last || !$0.element.all.isEmpty }.map(
            \.element)
        guard top.current == nil, !top.isEnded else { return }
        if let id = nearest(top, isBase: levels.count == 1, backward: false) { begin(id) } else { pop() }
    }

    mutating func insert(_ id: Int, near other: Int, after: Bool, count: Int) {
        guard !all.contains(id), let level = levels.firstIndex(where: { $0.all.contains(other) }) else { return }
        put(id, level, Self.index(of: other, levels[level].all) + (after ? 1 : 0))
        (shown[id], repeats[id]) = (0, max(count, 1))
        failed.remove(id)
    }

    mutating func append(_ id: Int, count: Int) {
        guard !all.contains(id) else { return }
        let wasEmpty = levels[0].all.isEmpty
        levels[0].after.append(id)
        (shown[id], repeats[id]) = (0, max(count, 1))
        failed.remove(id)
        if wasEmpty {
            levels[0].isEnded = false
            if levels.count == 1 { begin(id) }
        }
    }

    private mutating func put(_ id: Int, _ level: Int, _ index: Int) {
        let count = levels[level].before.count
        let isBefore = levels[level].current == nil ? index < count : index <= count
        if isBefore {
            levels[level].before.insert(id, at: index)
        } else {
            levels[level].after.insert(id, at: index - count - (levels[level].current == nil ? 0 : 1))
        }
    }

    mutating func remove(_ gone: Set<Int>) {
        guard !gone.isDisjoint(with: all) else { return }
        for level in levels.indices {
            levels[level].before.removeAll(where: gone.contains)
            levels[level].after.removeAll(where: gone.contains)
            if let current = levels[level].current, gone.contains(current) {
                (levels[level].current, levels[level].pass, levels[level].place) = (nil, 0, nil)
            }
        }
        settle()
    }

    mutating func move(_ id: Int, near other: Int, after: Bool) {
        guard id != other, let level = levels.firstIndex(where: { $0.all.contains(id) }),
            levels[level].all.contains(other)
        else { return }
        if levels[level].current == id {
            let rest = levels[level].all.filter { $0 != id }
            let index = Self.index(of: other, rest) + (after ? 1 : 0)
            (levels[level].before, levels[level].after) = (Array(rest[..<index]), Array(rest[index...]))
        } else {
            levels[level].before.removeAll { $0 == id }
            levels[level].after.removeAll { $0 == id }
            put(id, level, Self.index(of: other, levels[level].all) + (after ? 1 : 0))
        }
    }

    mutating func replace(_ id: Int, _ new: Int) {
        guard let level = levels.firstIndex(where: { $0.all.contains(id) }) else { return }
        guard id != new else { return }
        guard !all.contains(new) else { return }
        repeats[new] = repeats[id]
        shown[new] = 0
        failed.remove(new)
        levels[level].before = levels[level].before.map { $0 == id ? new : $0 }
        levels[level].after = levels[level].after.map { $0 == id ? new : $0 }
        if levels[level].current == id {
            (levels[level].current, levels[level].pass, levels[level].place) = (nil, 0, nil)
            levels[level].after.insert(new, at: 0)
        }
        settle()
    }

    mutating func replaceAll(_ ids: [Int]) {
        guard Set(ids).count == ids.count, Set(ids).isDisjoint(with: levels.dropFirst().flatMap(\.all)) else { return }
        let old = levels[0]
        for id in ids where !old.all.contains(id) {
            (shown[id], repeats[id]) = (0, 1)
            failed.remove(id)
        }
        let start = ((old.current.map { [$0] } ?? []) + old.after).first(where: ids.contains) ?? ids.first
        let index = start.flatMap(ids.firstIndex) ?? 0
        levels[0].before = Array(ids[..<index])
        levels[0].after = Array(ids[index...])
        if let start, start == old.current {
            levels[0].after.removeFirst()
        } else {
            (levels[0].current, levels[0].pass, levels[0].place) = (nil, 0, nil)
            if !ids.isEmpty { levels[0].isEnded = false }
        }
        if old.all.isEmpty && ids.isEmpty && levels.count == 1 { return }
        if ids.isEmpty && levels.count == 1 && old.current == nil { return }
        settle()
    }

    mutating func removeAll() {
        let hadCurrent = top.current != nil || top.isEnded
        levels = [Level(isEnded: hadCurrent)]
    }

    mutating func restart(backward: Bool) {
        let whole = levels[0].all.filter { !failed.contains($0) }
        guard let id = backward ? whole.last : whole.first else { return }
        levels = [levels[0]]
        begin(id)
    }
}
