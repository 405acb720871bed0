import ScrubFileIO
import Foundation
import ScrubBase
import ScrubTestSupport
import Testing

@Suite struct CacheDirectoryTests {
    @Test(
        arguments: [
            (["SCRUB_CACHE_DIR": "/own", "XDG_CACHE_HOME": "/xdg", "HOME": "/home/a"], "/own"),
            (["SCRUB_CACHE_DIR": "own"], "own"),
            (["SCRUB_CACHE_DIR": "", "XDG_CACHE_HOME": "/xdg", "HOME": "/home/a"], "/xdg/scrub"),
            (["XDG_CACHE_HOME": "/xdg"], "/xdg/scrub"),
            (["XDG_CACHE_HOME": "relative", "HOME": "/home/a"], "/home/a/.cache/scrub"),
            (["XDG_CACHE_HOME": "", "HOME": "/home/a"], "/home/a/.cache/scrub"),
            (["HOME": "/home/a"], "/home/a/.cache/scrub"),
            (["HOME": ""], nil), (["HOME": "relative"], nil), ([:], nil), (["XDG_CACHE_HOME": "relative"], nil),
        ] as [([String: String], String?)])
    func theStandardPlace(environment: [String: String], expected: String?) {
        #expect(CacheDirectory.standardPath { environment[$0] } == expected)
    }

    @Test func storesLoadsAndRemoves() throws {
        let directory = try TemporaryFolder()
        let cache = CacheDirectory(path: directory.path(of: "deep/er/cache"), suffix: ".x", byteLimit: 1000)
        #expect(cache.load("a") == nil)
        #expect(cache.entries().isEmpty)
        try cache.store([1, 2, 3], as: "a")
        try cache.store([], as: "empty")
        #expect(cache.load("a") == [1, 2, 3])
        #expect(cache.load("empty") == [])
        #expect(cache.load("b") == nil)
        try cache.store([4], as: "a")
        #expect(cache.load("a") == [4])
        #expect(cache.path(of: "a") == directory.path(of: "deep/er/cache/a.x"))
        cache.remove("a")
        cache.remove("a")
        #expect(cache.load("a") == nil)
        #expect(cache.entries().map(\.name) == ["empty.x"])
    }

    @Test func aCacheThatCannotBeMadeIsAnError() throws {
        let directory = try TemporaryFolder()
        try directory.write([1], to: "file")
        let cache = CacheDirectory(path: directory.path(of: "file/cache"), suffix: ".x", byteLimit: 1000)
        let error = #expect(throws: ScrubError.self) { try cache.store([1], as: "a") }
        #expect(error?.code == .inputOutput)
        #expect(cache.load("a") == nil)
        #expect(directory.contents == ["file"])
    }

    @Test func anEntryAboveTheLimitIsNotStored() throws {
        let directory = try TemporaryFolder()
        let cache = CacheDirectory(path: directory.path, suffix: ".x", byteLimit: 100)
        try cache.store([UInt8](repeating: 1, count: 60), as: "kept")
        try cache.store([UInt8](repeating: 1, count: 101), as: "huge")
        #expect(directory.contents == ["kept.x"])
        try cache.store([UInt8](repeating: 1, count: 100), as: "whole")
        #expect(directory.contents == ["whole.x"])
    }

    /// An entry that is too large for the cache replaces the one under its name all the same.
    @Test func anEntryAboveTheLimitRemovesTheOldOne() throws {
        let directory = try TemporaryFolder()
        let cache = CacheDirectory(path: directory.path, suffix: ".x", byteLimit: 100)
        try cache.store([1], as: "a")
        try cache.store([2], as: "b")
        try cache.store([UInt8](repeating: 1, count: 101), as: "a")
        #expect(directory.contents == ["b.x"])
    }

    @Test func leftoversOfKilledProcessesAreRemovedAfterAnHour() throws {
        let directory = try TemporaryFolder()
        let cache = CacheDirectory(path: directory.path, suffix: ".x", byteLimit: 100)
        let foreign = ["a.x.tmp", "a.x.12.tmp", "a.y.12-34.tmp", "a.x.12-34", "a.x.b-34.tmp", "a.x.1-2-3.tmp", "tmp"]
        for name in foreign + ["a.x.12-4294967295.tmp", "b.x.7-0.tmp", "new.x.1-2.tmp"] {
            try directory.write([1], to: name)
            if name != "new.x.1-2.tmp" { try directory.age(name, to: Date().timeIntervalSince1970 - 3700) }
        }
        try cache.store([1], as: "kept")
        #expect(directory.contents == (foreign + ["kept.x", "new.x.1-2.tmp"]).sorted())
    }

    @Test func longAndStrangeNamesAreEntriesToo() throws {
        let directory = try TemporaryFolder()
        let cache = CacheDirectory(path: directory.path, suffix: ".x", byteLimit: 1000)
        let names = [String(repeating: "n", count: 230), "é字🎬", "a b"]
        for name in names { try cache.store([1], as: name) }
        #expect(Set(cache.entries().map(\.name)) == Set(names.map { $0 + ".x" }))
    }

    @Test func theLongestUnusedGoFirst() throws {
        let directory = try TemporaryFolder()
        let cache = CacheDirectory(path: directory.path, suffix: ".x", byteLimit: 350)
        for (number, name) in ["a", "b", "c"].enumerated() {
            try cache.store([UInt8](repeating: 1, count: 100), as: name)
            try directory.age("\(name).x", to: 1_000_000_000 + Double(number))
        }
        #expect(cache.entries().map(\.name) == ["a.x", "b.x", "c.x"])
        #expect(cache.entries().map(\.byteCount) == [100, 100, 100])
        // Using an entry makes it the newest.
        #expect(cache.load("a")?.count == 100)
        #expect(cache.entries().map(\.name) == ["b.x", "c.x", "a.x"])
        try cache.store([UInt8](repeating: 2, count: 100), as: "d")
        #expect(directory.contents == ["a.x", "c.x", "d.x"])
        try cache.store([UInt8](repeating: 2, count: 200), as: "e")
        #expect(Set(directory.contents).isSubset(of: ["a.x", "d.x", "e.x"]))
        #expect(cache.entries().reduce(0) { $0 + $1.byteCount } <= 350)
        #expect(cache.load("e")?.count == 200)
    }

    /// Even when its own clock makes the new entry look the oldest.
    @Test func theNewEntryIsNeverTrimmed() throws {
        let directory = try TemporaryFolder()
        let cache = CacheDirectory(path: directory.path, suffix: ".x", byteLimit: 100)
        try cache.store([UInt8](repeating: 1, count: 80), as: "future")
        try directory.age("future.x", to: 7_000_000_000)
        try cache.store([UInt8](repeating: 1, count: 80), as: "now")
        #expect(directory.contents == ["now.x"])
    }

    @Test func foreignFilesAreNeverTouched() throws {
        let directory = try TemporaryFolder()
        let cache = CacheDirectory(path: directory.path, suffix: ".x", byteLimit: 100)
        try directory.write([UInt8](repeating: 1, count: 5000), to: "notes.txt")
        try directory.age("notes.txt", to: 1)
        try FileManager.default.createDirectory(
            atPath: directory.path(of: "folder.x"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: directory.path(of: "link.x"), withDestinationPath: directory.path(of: "notes.txt"))
        for number in 0..<5 { try cache.store([UInt8](repeating: 1, count: 90), as: "\(number)") }
        #expect(directory.contents == ["4.x", "folder.x", "link.x", "notes.txt"])
        #expect(try directory.bytes("notes.txt").count == 5000)
    }

    /// Small entries are stored without a look at the directory, and several kinds share its limit.
    @Test func theLimitHoldsForManySmallEntries() throws {
        let directory = try TemporaryFolder()
        let kinds = [".scrubindex", ".scrubfacts", ".scrubcost"].map {
            CacheDirectory(path: directory.path, suffix: $0, byteLimit: 4000, totalLimit: 9000)
        }
        for number in 0..<500 {
            for (kind, cache) in kinds.enumerated() {
                try cache.store([UInt8](repeating: 1, count: 10 + kind), as: "\(number)")
                #expect(cache.load("\(number)")?.count == 10 + kind)
            }
            guard number % 10 == 0 else { continue }
            let sums = kinds.map { $0.entries().reduce(0) { $0 + $1.byteCount } }
            #expect(sums.allSatisfy { $0 <= 4000 } && sums.reduce(0, +) <= 9000, "\(sums)")
        }
    }

    /// After any sequence of stores the limit holds and the last entry is there.
    @Test(arguments: 0..<5)
    func theLimitAlwaysHolds(seed: Int) throws {
        var random = SplitMix(UInt64(seed))
        let directory = try TemporaryFolder()
        let cache = CacheDirectory(path: directory.path, suffix: ".x", byteLimit: 1000)
        for _ in 0..<40 {
            let name = "\(Int.random(in: 0..<12, using: &random))"
            let count = Int.random(in: 0...1000, using: &random)
            try cache.store([UInt8](repeating: 3, count: count), as: name)
            #expect(cache.load(name)?.count == count)
            #expect(cache.entries().reduce(0) { $0 + $1.byteCount } <= 1000)
        }
    }

    /// A look at all files after each store would make a library's films cost the square of their number.
    @Test func ofManyStoresInAFullFolderFewLookAtAllFiles() {
        let cache = CacheDirectory(path: "/none", suffix: ".x", byteLimit: 1 << 30, totalLimit: 1 << 29)
        func looks(_ byteCount: Int, _ folder: Int64) -> Int {
            (0..<10_000).count { cache.looksAtAll(after: "film-\($0)", byteCount: byteCount, inFolderOf: folder) }
        }
        #expect(looks(1000, 0) == 10_000)
        #expect(looks(1000, 15 << 10) == 10_000)
        // Of ten thousand files that have names of sixty bytes, and of ever so many.
        #expect((80...200).contains(looks(1000, 640 << 10)))
        #expect((2...25).contains(looks(1000, .max)))
        // Those of which few are large enough to fill it.
        #expect(looks((1 << 29) / 4096 + 1, .max) == 10_000)
    }

    @Test func inAFullFolderTheLimitsHoldAllButAFewPerCent() throws {
        let directory = try TemporaryFolder()
        let cache = CacheDirectory(path: directory.path, suffix: ".x", byteLimit: 60_000)
        // The folder's own list is long: one store in some fifteen looks. Which ones, the file system decides with it.
        for number in 0..<400 { try directory.write([], to: "\(number)-\(String(repeating: "n", count: 240)).y") }
        for number in 0..<600 { try directory.write([UInt8](repeating: 1, count: 100), to: "\(number).x") }
        var sums: [Int64] = []
        for number in 600..<800 {
            try cache.store([UInt8](repeating: 1, count: 100), as: "\(number)")
            if number % 10 == 0 { sums.append(cache.entries().reduce(0) { $0 + $1.byteCount }) }
        }
        #expect(sums.allSatisfy { $0 <= 75_000 } && sums.reduce(0, +) <= 66_000 * Int64(sums.count), "\(sums)")
        #expect(directory.contents.count { $0.hasSuffix(".y") } == 400)
    }

    /// This kind's limit is held first, so that what it removes is not removed once more for the limit of all.
    @Test func bothLimitsAreHeldByOneLook() throws {
        let directory = try TemporaryFolder()
        let facts = CacheDirectory(path: directory.path, suffix: ".scrubfacts", byteLimit: 100, totalLimit: 200)
        let costs = CacheDirectory(path: directory.path, suffix: ".scrubcost", byteLimit: 200, totalLimit: 200)
        for (number, name) in ["a", "b"].enumerated() {
            try costs.store([UInt8](repeating: 1, count: 50), as: name)
            try directory.age("\(name).scrubcost", to: 1_000_000_000 + Double(number))
        }
        for (number, name) in ["c", "d"].enumerated() {
            try facts.store([UInt8](repeating: 1, count: 50), as: name)
            try directory.age("\(name).scrubfacts", to: 1_100_000_000 + Double(number))
        }
        try facts.store([UInt8](repeating: 1, count: 60), as: "e")
        #expect(directory.contents == ["a.scrubcost", "b.scrubcost", "e.scrubfacts"])
    }
}
