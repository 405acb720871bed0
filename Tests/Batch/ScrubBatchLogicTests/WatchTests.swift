import ScrubBatchLogic
import Testing

struct FolderTreeTests {
    @Test func pathsFollowFoldersAndWatchesEndWithThem() {
        var tree = FolderTree()
        let root = tree.add(root: "/films")
        let (a, b) = (tree.add("a", in: root) ?? 0, tree.add("b\n", in: tree.add("a", in: root) ?? 0) ?? 0)
        tree.watch(root, as: 1)
        tree.watch(a, as: 2)
        tree.watch(b, as: 3)
        let known = tree.add("a", in: root)
        #expect(known == a)
        #expect(tree.path(b) == "/films/a/b\n" && tree.folder(watch: 3) == b)
        let ended = tree.remove(a)
        #expect(Set(ended) == [2, 3])
        #expect(tree.path(b) == nil && tree.folder(watch: 3) == nil && tree.count == 1)
        let (again, orphan) = (tree.remove(a), tree.add("c", in: a))
        #expect(again == [] && orphan == nil)
        // Names that read alike.
        let (one, other) = (tree.add("caf\u{E9}", in: root), tree.add("cafe\u{301}", in: root))
        #expect(one != other)
        let slash = tree.add(root: "/")
        let below = tree.add("x", in: slash) ?? 0
        #expect(tree.path(below) == "/x" && tree.path(slash) == "/")
    }

    /// One folder in two places has one watch (bind mounts): the newer place has it.
    @Test func aWatchIsOneFoldersOnly() {
        var tree = FolderTree()
        let root = tree.add(root: "r")
        let (a, b) = (tree.add("a", in: root) ?? 0, tree.add("b", in: root) ?? 0)
        tree.watch(a, as: 5)
        tree.watch(b, as: 5)
        #expect(tree.folder(watch: 5) == b && tree.node(a)?.watch == nil)
        let ended = tree.remove(a)
        #expect(ended == [])
        #expect(tree.folder(watch: 5) == b && tree.watchCount == 1)
    }
}

struct WatchScheduleTests {
    @Test func pollsEachMinuteAndWalksDaily() {
        var schedule = WatchSchedule(settle: 5_000, now: 0)
        var (polls, walks) = (0, 0)
        for second in Int64(0)...86_400 {
            for duty in schedule.due(now: second * 1_000) {
                if duty == .poll { polls += 1 }
                if duty == .walk { walks += 1 }
                #expect(duty != .sweep)
            }
        }
        #expect(polls == 1_440 && walks == 1)
    }

    /// A storm of wishes makes one walk, soon after its beginning, and another one for later wishes.
    @Test func wishesComeTogether() {
        var schedule = WatchSchedule(settle: 5_000, now: 0)
        var walks: [Int64] = []
        for second in Int64(100)...160 {
            if second <= 130 { schedule.requestWalk(now: second * 1_000) }
            if schedule.due(now: second * 1_000).contains(.walk) { walks.append(second) }
        }
        #expect(walks == [105, 115, 125, 135])
        let later = schedule.due(now: 3_600_000)
        #expect(later == [.poll])
    }

    @Test func sweepsAreAskedFor() {
        var schedule = WatchSchedule(settle: 5_000, now: 0)
        schedule.requestSweep(now: 1_000)
        schedule.requestSweep(now: 3_000)
        var found: [[WatchSchedule.Duty]] = []
        for now in [5_999, 6_000] as [Int64] { found.append(schedule.due(now: now)) }
        schedule.requestSweep(now: 6_500)
        for now in [15_999, 16_000] as [Int64] { found.append(schedule.due(now: now)) }
        #expect(found == [[], [.sweep], [], [.sweep]])
    }
}

struct GoneRuleTests {
    @Test func anUnmountedDiskIsNotAnEmptyLibrary() {
        func refusal(_ entries: Int?, _ known: Int, _ gone: Int) -> GoneRule.Refusal? {
            GoneRule.refusal(rootEntries: entries, known: known, gone: gone)
        }
        #expect(refusal(nil, 10, 10) == .rootIsMissing && refusal(0, 10, 1) == .rootIsEmpty)
        #expect(refusal(3, 10, 5) == nil && refusal(3, 10, 6) == .tooMany(gone: 6, known: 10))
        #expect(refusal(1, 3, 1) == nil && refusal(1, 3, 2) == .tooMany(gone: 2, known: 3))
        #expect(refusal(1, 1, 1) == .tooMany(gone: 1, known: 1))
        #expect(refusal(nil, 10, 0) == nil && refusal(1, .max, .max) == .tooMany(gone: .max, known: .max))
    }
}
