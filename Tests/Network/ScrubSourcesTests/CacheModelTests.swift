import Foundation
import ScrubTestSupport
import Testing

/// Random walks over sources and their cache. `SCRUB_MODEL_STEPS` and `SCRUB_MODEL_SEED` choose; the seed is printed.
@Suite struct CacheModelTests {
    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    @Test func everyByteIsOfTheRightContent() throws {
        let steps = Self.number("SCRUB_MODEL_STEPS") ?? 4000
        let seed = SplitMix.seed("SCRUB_MODEL_SEED")
        print("cache model: \(steps) steps, SCRUB_MODEL_SEED=\(seed)")
        let walk = try CacheWalk(seed: seed)
        for step in 0..<steps {
            do {
                try walk.step()
            } catch {
                Issue.record("step \(step), SCRUB_MODEL_SEED=\(seed): \(error)")
                return
            }
        }
        try walk.check()
        print("cache model: \(walk.counts.sorted { $0.key < $1.key }), factor \(walk.factor)")
    }
}
