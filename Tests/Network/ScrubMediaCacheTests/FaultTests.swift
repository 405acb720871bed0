import ScrubSourcesLogic
import Foundation
import ScrubMediaCache
import ScrubBase
import ScrubTestSupport
import Testing

/// A disk that is full, broken or read-only: one warning, and earlier records are still right.
@Suite struct FaultTests {
    private static let faults: [(FaultyFiles.Call, Int32)] = [
        (.reserve, ENOSPC), (.reserve, EDQUOT), (.reserve, EROFS), (.reserve, EIO), (.write, ENOSPC), (.write, EDQUOT),
        (.write, EROFS), (.write, EIO), (.synchronize, EIO), (.synchronize, ENOSPC), (.folder, EIO), (.record, ENOSPC),
        (.lock, ENOLCK),
    ]

    @Test(arguments: faults) func aFaultTurnsWritingOff(_ call: FaultyFiles.Call, _ number: Int32) throws {
        let bench = try CacheBench()
        let files = FaultyFiles()
        let cache = try bench.cache(files: files)
        if call == .folder { files.fail(call, with: number) }
        let medium = try cache.open(bench.key("a"), total: 10_000_000, validator: CacheBench.validator)
        let (first, second): (Range<Int64>, Range<Int64>) = (0..<200_000, 300_000..<500_000)
        CacheBench.fill(medium, first, seed: 1)
        cache.flush()
        files.fail(call, with: number)
        CacheBench.fill(medium, second, seed: 1)
        cache.flush()
        #expect(!cache.isWriting && !medium.canRecord)
        #expect(bench.warnings.withLock { $0.count } == 1)
        #expect(medium.recorded(in: second).isEmpty)
        if call != .folder { #expect(CacheBench.read(medium, first) == CacheBench.bytes(first, of: 1)) }
        // It stays off, also when the disk is well again, and it is reported once.
        files.fail(call, with: nil)
        #expect(medium.beginFetch(second) == nil)
        #expect(bench.warnings.withLock { $0.count } == 1)
        // The next run begins again and finds what was recorded before, and nothing of the rest.
        let next = try bench.cache()
        let again = try #require(next.medium(bench.key("a")))
        #expect(again.recorded(in: 0..<10_000_000).ranges == (call == .folder ? [] : [first]))
        #expect(next.verify().isSound)
        #expect(CacheBench.fill(again, second, seed: 1))
        next.flush()
        #expect(CacheBench.read(again, second) == CacheBench.bytes(second, of: 1))
    }

    /// A request never waits for the disk: blocks are set aside when the first bytes come, and not when their fetch
    /// begins.
    @Test func blocksAreSetAsideWithTheFirstBytes() throws {
        let bench = try CacheBench()
        let files = FaultyFiles()
        let cache = try bench.cache(files: files)
        let medium = try cache.open(bench.key("a"), total: 10_000_000, validator: CacheBench.validator)
        files.fail(.reserve, with: EIO)
        let range: Range<Int64> = 0..<200_000
        let claim = try #require(medium.beginFetch(range))
        #expect(claim.missing == ByteRanges(range) && cache.isWriting)
        CacheBench.bytes(0..<1000, of: 1).withUnsafeBytes { claim.write($0, at: 0) }
        #expect(!cache.isWriting && medium.beginFetch(200_000..<300_000) == nil)
        // One that ends without bytes has no blocks to give back, and does the cache no harm.
        files.fail(.reserve, with: nil)
        let next = try bench.cache(files: files)
        let again = try next.open(bench.key("a"), total: 10_000_000, validator: CacheBench.validator)
        try #require(again.beginFetch(range)).abandon()
        #expect(CacheBench.fill(again, range, seed: 1))
        next.flush()
        #expect(CacheBench.read(again, range) == CacheBench.bytes(range, of: 1))
    }

    /// Writes that take less than they were given are gone on with.
    @Test func shortWritesAreContinued() throws {
        let bench = try CacheBench()
        let files = FaultyFiles()
        files.writeLittle()
        let cache = try bench.cache(files: files)
        let medium = try cache.open(bench.key("a"), total: 3_000_000, validator: CacheBench.validator)
        CacheBench.fill(medium, 0..<3_000_000, seed: 3, part: 700_001)
        cache.flush()
        #expect(CacheBench.read(medium, 0..<3_000_000) == CacheBench.bytes(0..<3_000_000, of: 3))
    }

    /// A piece that cannot be read, or differs from the written one, is not there; the next fetch has it again.
    @Test func wrongBytesAreNeverGiven() throws {
        let bench = try CacheBench()
        let files = FaultyFiles()
        let cache = try bench.cache(files: files)
        let whole: Range<Int64> = 0..<(3 << 20)
        do {
            let medium = try cache.open(bench.key("a"), total: 3 << 20, validator: CacheBench.validator)
            CacheBench.fill(medium, whole, seed: 4)
            cache.flush()
        }
        let name = try #require(bench.dataFiles.first)
        let file = try FileHandle(forUpdating: URL(filePath: name))
        try file.seek(toOffset: 1_500_000)
        try file.write(contentsOf: [1, 2, 3])
        try file.close()
        let medium = try #require(cache.medium(bench.key("a")))
        // The first piece is whole, the second is not.
        #expect(CacheBench.read(medium, whole) == CacheBench.bytes(0..<(1 << 20), of: 4))
        #expect(medium.recorded(in: whole).ranges == [0..<(1 << 20), (2 << 20)..<(3 << 20)])
        CacheBench.fill(medium, whole, seed: 4)
        cache.flush()
        #expect(CacheBench.read(medium, whole) == CacheBench.bytes(whole, of: 4))
        // A disk that fails at reading: the same.
        let other = try #require(try bench.cache(files: files).medium(bench.key("a")))
        files.fail(.read, with: EIO)
        #expect(CacheBench.read(other, whole).isEmpty)
        files.fail(.read, with: nil)
        #expect(CacheBench.read(other, (2 << 20)..<(3 << 20)).count == 1 << 20)
    }

    /// A file that was cut, and one that is gone.
    @Test(arguments: [true, false]) func lostFilesAreFetchedAgain(_ isGone: Bool) throws {
        let bench = try CacheBench()
        do {
            let cache = try bench.cache()
            let medium = try cache.open(bench.key("a"), total: 500_000, validator: CacheBench.validator)
            CacheBench.fill(medium, 0..<500_000, seed: 5)
            cache.flush()
        }
        let name = try #require(bench.dataFiles.first)
        if isGone { unlink(name) } else { truncate(name, 100_000) }
        let cache = try bench.cache()
        #expect((cache.medium(bench.key("a")) == nil) == isGone)
        let medium = try cache.open(bench.key("a"), total: 500_000, validator: CacheBench.validator)
        #expect(CacheBench.read(medium, 0..<500_000).isEmpty)
        CacheBench.fill(medium, 0..<500_000, seed: 5)
        cache.flush()
        #expect(CacheBench.read(medium, 0..<500_000) == CacheBench.bytes(0..<500_000, of: 5))
        #expect(bench.warnings.withLock { $0 } == [])
    }

    /// A disk that is nearly full takes nothing, and that is said once.
    @Test func theFloorIsKept() throws {
        let bench = try CacheBench()
        let files = FaultyFiles()
        files.set(free: 3 << 30)
        var limits = CacheBench.limits
        limits.freeSpaceFloor = nil
        let cache = try bench.cache(limits, files: files)
        let old = bench.key("old")
        CacheBench.fill(
            try cache.open(old, total: 1000, validator: CacheBench.validator), 0..<1000, seed: 1)
        cache.flush()
        #expect(bench.warnings.withLock { $0 } == [])
        files.set(free: 1 << 30)
        let medium = try cache.open(bench.key("a"), total: 1000, validator: CacheBench.validator)
        #expect(!CacheBench.fill(medium, 0..<1000, seed: 2))
        #expect(!medium.canRecord && bench.warnings.withLock { $0.count } == 1)
        // The entry that was unused for longest went first.
        #expect(cache.medium(old) == nil)
        // There is room again a little later.
        files.set(free: 3 << 30)
        bench.set(now: 1_700_000_011)
        #expect(medium.canRecord && CacheBench.fill(medium, 0..<1000, seed: 2))
        #expect(bench.warnings.withLock { $0.count } == 1)
    }

    /// A small disk has a smaller floor.
    @Test func aSmallDiskHasASmallFloor() throws {
        let bench = try CacheBench()
        let files = FaultyFiles()
        files.set(free: 1 << 20, size: 8 << 20)
        let cache = try bench.cache(MediaCacheLimits(), files: files)
        let medium = try cache.open(bench.key("a"), total: 1 << 20, validator: CacheBench.validator)
        #expect(CacheBench.fill(medium, 0..<600_000, seed: 1))
        files.set(free: 800_000, size: 8 << 20)
        #expect(!CacheBench.fill(medium, 600_000..<1_048_576, seed: 1))
    }
}
