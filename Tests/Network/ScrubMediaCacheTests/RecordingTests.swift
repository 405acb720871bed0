import ScrubSourcesLogic
import ScrubFileIO
import Foundation
import ScrubMediaCache
import ScrubBase
import ScrubTestSupport
import Testing

/// Recorded bytes are there, for this process and the next one, and nothing else is.
@Suite struct RecordingTests {
    @Test func fetchedBytesArePersistent() throws {
        let bench = try CacheBench()
        let range: Range<Int64> = 100_000..<3_500_000
        do {
            let cache = try bench.cache()
            #expect(cache.medium(bench.key("a")) == nil)
            let medium = try cache.open(bench.key("a"), total: 5_000_000, validator: CacheBench.validator)
            #expect(medium.generation == 1 && medium.total == 5_000_000 && medium.canRecord)
            #expect(CacheBench.fill(medium, range, seed: 1))
            cache.flush()
            #expect(medium.recorded(in: 0..<5_000_000).ranges == [range])
            #expect(CacheBench.read(medium, range) == CacheBench.bytes(range, of: 1))
            #expect(CacheBench.read(medium, 99_999..<100_100).isEmpty)
            #expect(CacheBench.read(medium, 3_499_990..<3_500_100).count == 10)
        }
        bench.set(now: 1_700_086_400)
        let cache = try bench.cache()
        let medium = try #require(cache.medium(bench.key("a")))
        #expect(medium.isFresh && medium.validator == CacheBench.validator && medium.generation == 1)
        #expect(medium.recorded(in: 0..<5_000_000).ranges == [range])
        #expect(CacheBench.read(medium, range) == CacheBench.bytes(range, of: 1))
        #expect(bench.warnings.withLock { $0 } == [])
    }

    /// A reader waits for what was finished before it came, again and again.
    @Test func catchingUpIsEnoughForAReader() throws {
        let bench = try CacheBench()
        let cache = try bench.cache()
        cache.catchUp()
        let medium = try cache.open(bench.key("a"), total: 5_000_000, validator: CacheBench.validator)
        for start in stride(from: 0 as Int64, to: 5_000_000, by: 500_000) {
            let range = start..<start + 500_000
            #expect(CacheBench.fill(medium, range, seed: 1))
            cache.catchUp()
            #expect(medium.recorded(in: range).ranges == [range])
        }
        cache.flush()
        cache.catchUp()
        #expect(medium.recorded(in: 0..<5_000_000).ranges == [0..<5_000_000])
    }

    /// Zero bytes, one byte, and as many as there can be.
    @Test(arguments: [0, 1, 1 << 20, (1 << 20) + 1, 1 << 40, 1 << 62]) func everyLengthIsTaken(_ total: Int64) throws {
        let bench = try CacheBench()
        let cache = try bench.cache()
        let medium = try cache.open(bench.key("a"), total: total, validator: CacheBench.validator)
        let tail = max(0, total - 100)..<total
        let isFilled = CacheBench.fill(medium, tail, seed: 2) && medium.canRecord
        cache.flush()
        #expect(isFilled || total == 0 || total == 1 << 62)
        if isFilled { #expect(CacheBench.read(medium, tail) == CacheBench.bytes(tail, of: 2)) }
        #expect(medium.recorded(in: 0..<Int64.max).byteCount == (isFilled ? Int64(tail.count) : 0))
        #expect(CacheBench.read(medium, 0..<0).isEmpty)
        for place in [-1, Int64.min, total, Int64.max] {
            var bytes: [UInt8] = [1, 2]
            #expect(bytes.withUnsafeMutableBytes { medium.read(at: place, into: $0) } == 0)
        }
        #expect(throws: ScrubError.self) {
            try cache.open(bench.key("b"), total: 1 << 62 + 1, validator: CacheBench.validator)
        }
        #expect(bench.warnings.withLock { $0 } == [])
    }
}
