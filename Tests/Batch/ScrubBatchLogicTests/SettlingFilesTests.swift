import ScrubBatchLogic
import ScrubTestSupport
import Testing

/// Marks are numbers here: another number, another state of the file.
struct SettlingFilesTests {
    /// Expectations take no mutating calls.
    final class Files {
        private var files: SettlingFiles<Int>

        init(_ rules: SettlingFiles<Int>.Rules = .init()) { files = SettlingFiles(rules) }

        var count: Int { files.count }
        var incompleteCount: Int { files.incompleteCount }
        func touch(_ path: String, _ mark: Int?, now: Int64) -> Bool { files.touch(path, mark, now: now) }
        func forget(below folder: String) { files.forget(below: folder) }
        func due(now: Int64, limit: Int = 4096) -> [String] { files.due(now: now, limit: limit) }
        func observe(_ path: String, _ mark: Int?, now: Int64) -> SettlingFiles<Int>.Sight {
            files.observe(path, mark, now: now)
        }
        func judge(_ path: String, complaint: String?, now: Int64) -> SettlingFiles<Int>.Decision {
            files.judge(path, complaint: complaint, now: now)
        }
    }

    /// A copy in pieces, with pauses, is handed on once, after the last piece.
    @Test func aCopyInPiecesIsHandedOnOnce() {
        let files = Files()
        var begun: [Int64] = []
        var (mark, now) = (0, Int64(1_000))
        // Pieces at these seconds; the file says that it is not whole until the last one.
        let pieces: Set<Int64> = [1, 3, 9, 40, 75]
        for second in Int64(1)...200 {
            now = second * 1_000
            if pieces.contains(second) {
                mark += 1
                #expect(files.touch("film", mark, now: now))
            }
            for path in files.due(now: now) {
                guard files.observe(path, mark, now: now) == .still else { continue }
                let complaint = second < 75 ? "it lacks bytes" : nil
                if files.judge(path, complaint: complaint, now: now) == .begin { begun.append(second) }
            }
        }
        #expect(begun == [80])
        #expect(files.count == 0)
    }

    /// The pieces cause no event: only the marks show them.
    @Test func growthIsSeenWithoutEvents() {
        let files = Files()
        #expect(files.touch("film", 0, now: 0))
        var begun: Int64?
        for second in Int64(1)...100 {
            let mark = Int(min(second, 50))
            for path in files.due(now: second * 1_000) where files.observe(path, mark, now: second * 1_000) == .still {
                if files.judge(path, complaint: nil, now: second * 1_000) == .begin { begun = second }
            }
        }
        // Looks at 5, 10 ... 50, 55: the mark of 50 is seen at 50.
        #expect(begun == 55)
    }

    @Test func incompleteFilesAreTakenAfterAnHour() {
        let files = Files()
        #expect(files.touch("film", 7, now: 0))
        var looks: [Int64] = []
        var decision = SettlingFiles<Int>.Decision.wait
        for second in Int64(0)...4_000 {
            for path in files.due(now: second * 1_000) {
                looks.append(second)
                #expect(files.observe(path, 7, now: second * 1_000) == .still)
                decision = files.judge(path, complaint: "no movie box", now: second * 1_000)
                if decision != .wait { #expect(second == 3_600) }
            }
        }
        #expect(decision == .beginAsItIs("no movie box"))
        // Less and less often.
        #expect(Array(looks.prefix(6)) == [5, 10, 20, 40, 80, 140])
        #expect(looks.count < 70)
        #expect(files.count == 0 && files.incompleteCount == 0)
    }

    /// An event that changed nothing does not begin the hour again; one that changed something does.
    @Test func patienceCountsFromTheLastChange() {
        for (mark, end) in [(7, Int64(3_600_000)), (8, 3_700_000)] {
            let files = Files()
            #expect(files.touch("film", 7, now: 0))
            #expect(files.touch("film", mark, now: 100_000))
            var ended: Int64?
            for second in Int64(100)...4_000 where ended == nil {
                for path in files.due(now: second * 1_000)
                where files.observe(path, mark, now: second * 1_000) == .still
                    && files.judge(path, complaint: "half", now: second * 1_000) != .wait
                {
                    ended = second * 1_000
                }
            }
            #expect(ended == end)
        }
    }

    @Test func removedFilesAreForgotten() {
        let files = Files()
        #expect(files.touch("a/film", 1, now: 0) && files.touch("ab", 1, now: 0) && files.touch("a/b/c", 1, now: 0))
        files.forget(below: "a")
        #expect(files.count == 1)
        #expect(files.due(now: 5_000) == ["ab"])
        #expect(files.observe("ab", nil, now: 5_000) == .gone)
        #expect(files.observe("never", 1, now: 5_000) == .gone)
        #expect(files.judge("never", complaint: nil, now: 5_000) == .wait)
        #expect(files.count == 0 && files.due(now: .max) == [])
    }

    /// The number of remembered files is bounded, and a refusal is reported.
    @Test func thereAreNoMoreThanTheLimit() {
        var rules = SettlingFiles<Int>.Rules()
        rules.limit = 3
        let files = Files(rules)
        #expect((0..<5).map { files.touch("\($0)", 1, now: 0) } == [true, true, true, false, false])
        #expect(files.touch("1", 2, now: 10))
        #expect(files.count == 3)
    }

    /// Two names that read alike and are other bytes are two files; so are odd ones.
    @Test func namesAreBytes() {
        let files = Files()
        let names = ["caf\u{E9}", "cafe\u{301}", "a\nb", "\u{10FF80}x", "../up", ""]
        for name in names { #expect(files.touch(name, 1, now: 0)) }
        #expect(files.count == names.count)
        #expect(Set(files.due(now: 5_000).map { Array($0.utf8) }) == Set(names.map { Array($0.utf8) }))
    }

    @Test func manyAreGivenInPartsTheOldestFirst() {
        let files = Files()
        for number in 0..<10 { #expect(files.touch("\(number)", 1, now: Int64(number))) }
        var seen: [String] = []
        while seen.count < 10 {
            let part = files.due(now: 10_000, limit: 4)
            #expect(part.count <= 4 && !part.isEmpty)
            for path in part {
                #expect(files.observe(path, 1, now: 10_000) == .still)
                #expect(files.judge(path, complaint: nil, now: 10_000) == .begin)
            }
            seen += part
        }
        #expect(seen == (0..<10).map(String.init))
        #expect(files.due(now: .max).isEmpty)
    }

    /// Whatever happens in whatever order: a file is begun only when its mark has been the same for the whole pause,
    /// and none is lost.
    @Test(arguments: 0..<40) func filesAreBegunAfterThePauseAndNoneIsLost(_ seed: Int) {
        var random = SplitMix(UInt64(seed))
        let files = Files()
        var changed: [String: (mark: Int, at: Int64)] = [:]
        var begun: [String: Int] = [:]
        var now: Int64 = 0
        for _ in 0..<2_000 {
            now += Int64(random.next() % 3_000)
            let name = "\(random.next() % 6)"
            if random.next() % 4 == 0, now < 3_000_000 {
                changed[name] = ((changed[name]?.mark ?? 0) + 1, now)
                // Now and then there is no event, once it is known.
                if begun[name] != nil || random.next() % 3 > 0 || changed[name]?.mark == 1 {
                    #expect(files.touch(name, changed[name]?.mark, now: now))
                    begun[name] = nil
                }
            }
            for path in files.due(now: now) {
                guard let known = changed[path] else { continue }
                guard files.observe(path, known.mark, now: now) == .still else { continue }
                #expect(now - known.at >= 5_000, "seed \(seed)")
                #expect(files.judge(path, complaint: nil, now: now) == .begin)
                begun[path] = known.mark
            }
        }
        for step in Int64(1)...4 {
            for path in files.due(now: now + step * 10_000) {
                guard files.observe(path, changed[path]?.mark, now: now + step * 10_000) == .still else { continue }
                _ = files.judge(path, complaint: nil, now: now + step * 10_000)
                begun[path] = changed[path]?.mark
            }
        }
        #expect(files.count == 0)
        for (name, known) in changed { #expect(begun[name] == known.mark, "\(name), seed \(seed)") }
    }

    @Test func integerEdges() {
        let files = Files()
        #expect(files.touch("a", 1, now: .max - 1))
        #expect(files.due(now: .max) == ["a"])
        #expect(files.observe("a", 1, now: .max) == .moving)
        var rules = SettlingFiles<Int>.Rules()
        (rules.settle, rules.patience) = (0, 0)
        let quick = Files(rules)
        #expect(quick.touch("a", 1, now: 5))
        #expect(quick.due(now: 5) == ["a"])
        #expect(quick.observe("a", 1, now: 5) == .still)
        #expect(quick.judge("a", complaint: "half", now: 5) == .beginAsItIs("half"))
    }
}
