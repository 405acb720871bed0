import ScrubSourcesLogic
import Foundation
import ScrubMediaCache
import ScrubBase
import ScrubTestSupport
import Testing

/// A process is killed at each numbered step of the write path and of eviction: the bytes that are there afterwards are
/// right.
@Suite struct KillTests {
    /// Records, changes contents, runs into the limit: all steps come up, most of them many times.
    static func work(_ path: String, _ files: FaultyFiles) throws {
        var surroundings = MediaCache.Surroundings()
        surroundings.files = files
        surroundings.clock = { 1_700_000_000 }
        let cache = try MediaCache(path: path, limits: CacheBench.limits(bytes: 1 << 20), surroundings: surroundings)
        for round in 0..<6 {
            let name = "film\(round % 3)"
            let validator = Validator(entityTag: "\"\(round / 3)\"", lastModified: nil, date: nil)
            let medium = try cache.open(
                MediumKey(url: "https://example.org/\(name)"), total: 10_000_000, validator: validator)
            for part in 0..<4 {
                let start = Int64(part) * 1_100_000
                CacheBench.fill(medium, start..<start + 100_000, seed: seed(name, round / 3))
                if part % 2 == 1 { cache.flush() }
            }
            cache.flush()
        }
        _ = cache.prune()
        _ = cache.clear()
    }

    static func seed(_ name: String, _ version: Int) -> UInt64 {
        UInt64(name.utf8.last ?? 0) &* 1000 &+ UInt64(version)
    }

    /// Everything that is recorded is right, and the cache goes on.
    static func check(_ path: String, _ hint: String) throws {
        let bench = try CacheBench(at: path)
        let cache = try bench.cache(CacheBench.limits(bytes: 1 << 20))
        let verification = cache.verify()
        #expect(verification.isSound, "\(hint): \(verification.problems)")
        for number in 0..<3 {
            let name = "film\(number)"
            guard let medium = cache.medium(bench.key(name)) else { continue }
            let version = medium.validator.entityTag == "\"0\"" ? 0 : 1
            for range in medium.recorded(in: 0..<medium.total).ranges {
                let read = CacheBench.read(medium, range)
                #expect(read == CacheBench.bytes(range, of: seed(name, version)), "\(hint): \(range)")
            }
        }
        // Nothing that is left blocks the next process.
        let files = FaultyFiles()
        try work(path, files)
        #expect(cache.verify().isSound)
        #expect(bench.warnings.withLock { $0 } == [])
    }

    @Test(arguments: CacheStep.allCases) func atEachStep(_ step: CacheStep) async throws {
        let folder = try TemporaryFolder()
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = folder.path as String, name = step.rawValue as String] in
            let files = FaultyFiles()
            if let step = CacheStep(rawValue: name) { files.kill(at: step) }
            try KillTests.work(path, files)
        }
        try Self.check(folder.path, step.rawValue)
    }

    @Test func atAnyMoment() async throws {
        let folder = try TemporaryFolder()
        let counting = FaultyFiles()
        let other = try TemporaryFolder()
        try Self.work(other.path, counting)
        let count = counting.steps.count
        let seed = SplitMix.seed()
        print("kill test: seed \(seed), \(count) steps")
        var random = SplitMix(seed)
        // The same folder again and again: the next one finds the files that one leaves.
        for round in 0..<12 {
            let last = Int.random(in: 1...count, using: &random)
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String, last = last as Int] in
                let files = FaultyFiles()
                files.kill(afterSteps: last)
                // Fewer steps may be needed where much already exists.
                try KillTests.work(path, files)
                try KillTests.work(path, files)
                raise(SIGKILL)
            }
            try Self.check(folder.path, "seed \(seed), round \(round), step \(last)")
        }
    }
}
