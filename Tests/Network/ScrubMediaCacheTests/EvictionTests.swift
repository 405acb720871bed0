import ScrubSourcesLogic
import ScrubFileIO
import ScrubHashing
import Foundation
import ScrubMediaCache
import ScrubBase
import ScrubTestSupport
import Testing

/// The least recently used goes first, never an entry in use, and one budget holds for media and saved files.
@Suite struct EvictionTests {
    /// A medium with so many bytes recorded at a time.
    private func fill(_ cache: MediaCache, _ key: MediumKey, bytes: Int64 = 100_000) throws {
        let medium = try cache.open(key, total: 10_000_000, validator: CacheBench.validator)
        CacheBench.fill(medium, 0..<bytes, seed: 1)
        cache.flush()
    }

    @Test func theLongestUnusedGoesFirst() throws {
        let bench = try CacheBench()
        let cache = try bench.cache(CacheBench.limits(bytes: 450_000))
        for number in 0..<4 {
            bench.set(now: 1_700_000_000 + Int64(number) * 100)
            try fill(cache, bench.key("\(number)"))
        }
        // Reading is using.
        bench.set(now: 1_700_001_000)
        #expect(cache.medium(bench.key("0")) != nil)
        cache.flush()
        bench.set(now: 1_700_001_100)
        try fill(cache, bench.key("new"), bytes: 200_000)
        let left = cache.entries().map(\.name).sorted()
        #expect(left == ["https://example.org/0", "https://example.org/3", "https://example.org/new"])
        #expect(cache.statistics().evictions == 2)
        #expect(cache.statistics().allocatedBytes <= 450_000)
        #expect(bench.dataFiles.count == 3)
    }

    @Test func mediaInUseStay() throws {
        let bench = try CacheBench()
        let cache = try bench.cache(CacheBench.limits(bytes: 350_000))
        try fill(cache, bench.key("held"))
        bench.set(now: 1_700_000_100)
        try fill(cache, bench.key("other"))
        // Another process, as far as the locks know.
        let elsewhere = try bench.cache()
        var held = elsewhere.medium(bench.key("held"))
        bench.set(now: 1_700_000_200)
        try fill(cache, bench.key("new"), bytes: 200_000)
        #expect(cache.entries().map(\.name).sorted() == ["https://example.org/held", "https://example.org/new"])
        #expect(cache.entries().filter(\.isInUse).map(\.name) == ["https://example.org/held"])
        #expect(held.map { CacheBench.read($0, 0..<100_000) } == CacheBench.bytes(0..<100_000, of: 1))
        #expect(cache.clear().kept == 1)
        #expect(cache.entries().map(\.name) == ["https://example.org/held"])
        withExtendedLifetime(held) {}
        held = nil
        #expect(cache.clear().kept == 0)
        #expect(cache.entries().isEmpty && bench.dataFiles.isEmpty)
    }

    /// If all is in use nothing more is kept, and nothing fails.
    @Test func aFullCacheTakesNothing() throws {
        let bench = try CacheBench()
        let cache = try bench.cache(CacheBench.limits(bytes: 200_000))
        let medium = try cache.open(bench.key("a"), total: 1_000_000, validator: CacheBench.validator)
        #expect(CacheBench.fill(medium, 0..<150_000, seed: 1))
        #expect(!CacheBench.fill(medium, 150_000..<300_000, seed: 1))
        #expect(!medium.canRecord)
        cache.flush()
        #expect(CacheBench.read(medium, 0..<200_000) == CacheBench.bytes(0..<150_000, of: 1))
        #expect(bench.warnings.withLock { $0 } == [])
        // One claim that is larger than all is refused, and nothing is removed for it.
        bench.set(now: 1_700_000_100)
        #expect(!CacheBench.fill(medium, 300_000..<1_000_000, seed: 1))
        #expect(CacheBench.read(medium, 0..<1).count == 1)
    }

    @Test func thereAreOnlySoManyMedia() throws {
        let bench = try CacheBench()
        let cache = try bench.cache(CacheBench.limits(entries: 3))
        for number in 0..<7 {
            bench.set(now: 1_700_000_000 + Int64(number))
            try fill(cache, bench.key("\(number)"), bytes: 10)
        }
        #expect(cache.entries().map { $0.name.suffix(1) } == ["4", "5", "6"])
    }

    /// A medium of more than a quarter of the budget loses the bytes that were recorded first, not all.
    @Test func aHugeMediumShrinks() throws {
        let bench = try CacheBench()
        let cache = try bench.cache(CacheBench.limits(bytes: 1_000_000))
        do {
            let medium = try cache.open(bench.key("huge"), total: 100_000_000, validator: CacheBench.validator)
            for part in 0..<8 {
                bench.set(now: 1_700_000_000 + Int64(part))
                let start = Int64(7 - part) * 5_000_000
                CacheBench.fill(medium, start..<start + 100_000, seed: 1)
                cache.flush()
            }
        }
        bench.set(now: 1_700_000_100)
        try fill(cache, bench.key("new"), bytes: 300_000)
        let medium = try #require(cache.medium(bench.key("huge")))
        let left = medium.recorded(in: 0..<100_000_000)
        #expect((3...6).contains(left.ranges.count))
        // The last ones of the loop, which are the first of the film.
        #expect(left.contains(0) && !left.contains(35_000_000))
        for range in left.ranges { #expect(CacheBench.read(medium, range) == CacheBench.bytes(range, of: 1)) }
        #expect(cache.verify().isSound && cache.statistics().allocatedBytes <= 1_000_000)
    }

    @Test func theOldGoes() throws {
        let bench = try CacheBench()
        let cache = try bench.cache()
        try fill(cache, bench.key("old"))
        bench.set(now: 1_700_000_000 + 80 * 86_400)
        try fill(cache, bench.key("new"))
        #expect(cache.prune().media == 0)
        bench.set(now: 1_700_000_000 + 91 * 86_400)
        #expect(cache.medium(bench.key("old")) == nil)
        #expect(cache.prune().media == 1)
        #expect(cache.entries().map(\.name) == ["https://example.org/new"])
    }

    /// A clock that is set back makes nothing older, one that was ahead is forgotten.
    @Test func theClockMayJump() throws {
        let bench = try CacheBench()
        let cache = try bench.cache()
        try fill(cache, bench.key("a"))
        bench.set(now: 4_000_000_000)
        try fill(cache, bench.key("b"))
        bench.set(now: 1_000_000_000)
        let medium = try #require(cache.medium(bench.key("a")))
        #expect(medium.isFresh)
        #expect(try #require(cache.medium(bench.key("b"))).isFresh)
        #expect(cache.prune().media == 0)
        #expect(cache.entries().allSatisfy { $0.used <= 1_700_000_000 })
        bench.set(now: Int64.max)
        #expect(!medium.isFresh)
        bench.set(now: Int64.min)
        #expect(cache.prune().media == 0)
    }

    /// Indexes count, go by the same rule, and other people's files are never touched.
    @Test func oneBudgetForAll() throws {
        let bench = try CacheBench()
        let root = try #require(bench.folder)
        for (name, age) in [("a.scrubindex", 1), ("b.scrubdeps", 50), ("c.scrubcost", 200)] {
            try root.write([UInt8](repeating: 1, count: 100_000), to: name)
            try root.age(name, to: Double(1_700_000_000 + age))
        }
        let cache = try bench.cache(CacheBench.limits(bytes: 420_000))
        #expect(cache.statistics().bytes == 300_000 && cache.statistics().entries == 3)
        bench.set(now: 1_700_000_100)
        try fill(cache, bench.key("m"))
        bench.set(now: 1_700_000_300)
        try root.write([1, 2, 3], to: "notes.txt")
        try root.write([1, 2, 3], to: "media-1/notes.txt")
        let data = try #require(bench.dataFiles.first)
        let folder = URL(filePath: data).deletingLastPathComponent()
        try Data([1]).write(to: URL(filePath: data + ".bak"))
        try Data([1]).write(to: folder.appending(path: "007.1"))
        try fill(cache, bench.key("n"), bytes: 300_000)
        #expect(cache.entries().map(\.name) == ["c.scrubcost", "https://example.org/n"])
        #expect(cache.statistics().bytes == 400_000)
        let removal = cache.clear()
        #expect(removal.media == 1 && removal.savedFiles == 1)
        let names = ["notes.txt", "media-1/notes.txt"]
        #expect(names.allSatisfy { FileManager.default.fileExists(atPath: bench.path + "/" + $0) })
        #expect(Set(bench.dataFiles.map { URL(filePath: $0).lastPathComponent }).contains("007.1"))
    }

    /// Previews that grow in the same folder, in the same process.
    @Test func mediaGoForPreviews() throws {
        let bench = try CacheBench()
        let cache = try bench.cache(CacheBench.limits(bytes: 500_000))
        for number in 0..<4 {
            bench.set(now: 1_700_000_000 + Int64(number) * 100)
            try fill(cache, bench.key("\(number)"))
        }
        let directory = CacheDirectory(
            path: bench.path, suffix: ".scrubpreviews", byteLimit: 450_000, totalLimit: 500_000, freeSpaceFloor: 0)
        let opened = RecordPack.open(
            "a", in: directory, title: [1], below: 100, mayWrite: true, checksum: { xxh3($0, seed: $1) })
        let pack = try #require(opened)
        let record = [UInt8](repeating: 1, count: 10_000)
        #expect(pack.append((0..<15).map { ($0, record) }))
        let three = (1...3).map { "https://example.org/\($0)" }
        #expect(cache.entries().map(\.name) == three + ["a.scrubpreviews"])
        #expect(cache.entries().last?.kind == "previews")
        // The last one is in use.
        var held = cache.medium(bench.key("3"))
        #expect(!pack.append((15..<40).map { ($0, record) }) && pack.count == 15)
        #expect(cache.entries().map(\.name) == ["https://example.org/3", "a.scrubpreviews"])
        withExtendedLifetime(held) {}
        held = nil
        #expect(pack.append((15..<40).map { ($0, record) }))
        #expect(cache.entries().map(\.name) == ["a.scrubpreviews"] && cache.verify().isSound)
    }

    /// A generation ends while it is read: the reader finishes, and the bytes are never mixed.
    @Test func contentsAreNeverMixed() throws {
        let bench = try CacheBench()
        let cache = try bench.cache()
        var old: CachedMedium? = try cache.open(bench.key("a"), total: 1_000_000, validator: CacheBench.validator)
        let reader = try #require(old)
        CacheBench.fill(reader, 0..<300_000, seed: 1)
        cache.flush()
        let late = try #require(reader.beginFetch(400_000..<500_000))
        CacheBench.bytes(400_000..<500_000, of: 1).withUnsafeBytes { late.write($0, at: 400_000) }
        let other = try bench.cache()
        let changed = Validator(entityTag: "\"b\"", lastModified: nil, date: nil)
        let new = try other.open(bench.key("a"), total: 1_000_000, validator: changed)
        #expect(new.generation == reader.generation + 1)
        #expect(new.recorded(in: 0..<1_000_000).isEmpty)
        CacheBench.fill(new, 200_000..<450_000, seed: 2)
        other.flush()
        late.finish()
        cache.flush()
        #expect(CacheBench.read(reader, 0..<1_000_000) == CacheBench.bytes(0..<300_000, of: 1))
        #expect(reader.recorded(in: 400_000..<500_000).isEmpty)
        #expect(CacheBench.read(new, 200_000..<450_000) == CacheBench.bytes(200_000..<450_000, of: 2))
        #expect(new.recorded(in: 0..<1_000_000).ranges == [200_000..<450_000])
        #expect(bench.dataFiles.count == 2)
        // Another total is another content too.
        let longer = try cache.open(bench.key("a"), total: 1_000_001, validator: changed)
        #expect(longer.generation == new.generation + 1 && longer.recorded(in: 0..<1_000_001).isEmpty)
        withExtendedLifetime((old, late)) {}
        old = nil
        #expect(cache.verify().isSound)
    }

    /// Without a validator nothing is known to be the same after its time to live.
    @Test func nothingToCompareIsTheSameForAWhile() throws {
        let bench = try CacheBench()
        let cache = try bench.cache()
        func generation() throws -> Int64 {
            try cache.open(bench.key("a"), total: 10, validator: .none, timeToLive: 60).generation
        }
        #expect(try generation() == 1)
        bench.set(now: 1_700_000_059)
        #expect(try generation() == 1)
        bench.set(now: 1_700_000_119)
        #expect(try generation() == 2)
        bench.set(now: 1_700_000_170)
        #expect(try generation() == 2)
    }

    /// A different description of a medium may mean another content of the same length: no entry serves
    /// both.
    @Test func anotherKindOfValidatorIsAnotherContent() throws {
        let (date, later) = ("Thu, 01 Jan 2026 00:00:00 GMT", "Thu, 01 Jan 2026 00:01:00 GMT")
        let tag = Validator(entityTag: "\"a\"", lastModified: nil, date: nil)
        let weak = Validator(entityTag: "W/\"a\"", lastModified: nil, date: nil)
        let time = Validator(entityTag: nil, lastModified: date, date: later)
        let both = Validator(entityTag: "\"a\"", lastModified: date, date: later)
        // A pool of servers whose tags are their own: the time proves it, unless the content may have changed within
        // its second.
        let pool = Validator(entityTag: "\"b\"", lastModified: date, date: later)
        let quick = Validator(entityTag: "\"a\"", lastModified: date, date: date)
        let table: [(before: Validator, after: Validator, isSame: Bool)] = [
            (tag, tag, true), (weak, weak, true), (time, time, true), (tag, both, true), (time, both, true),
            (both, tag, true), (both, time, true), (both, pool, true), (.none, .none, true), (quick, pool, false),
            (tag, weak, false), (tag, time, false), (weak, time, false), (time, tag, false), (time, weak, false),
            (tag, .none, false), (time, .none, false), (both, .none, false), (.none, tag, false), (.none, time, false),
        ]
        let bench = try CacheBench()
        let cache = try bench.cache()
        for (number, row) in table.enumerated() {
            let key = bench.key("\(number)")
            let first = try cache.open(key, total: 1000, validator: row.before).generation
            let second = try cache.open(key, total: 1000, validator: row.after).generation
            #expect((first == second) == row.isSame, "\(row)")
        }
    }
}
