import ScrubSourcesLogic
import Foundation
import Glibc
import ScrubMediaCache
import ScrubBase
import ScrubTestSupport
import Testing

/// Two caches over one folder do whatever comes: read, record, change contents, run full, grow old, lose the power with
/// and without the last commits. Bytes that are read are always of the reader's own generation.
@Suite struct ModelTests {
    private static let total: Int64 = 1_500_000
    private static let limit: Int64 = 1_200_000

    private struct Handle {
        let medium: CachedMedium
        let cache: Int
        /// Which content it is of.
        let seed: UInt64
        /// The ranges that it was seen to have; it never has less until the power goes.
        var seen = ByteRanges()
    }

    @Test func whateverComes() throws {
        let steps = ProcessInfo.processInfo.environment["SCRUB_MODEL_STEPS"].flatMap(Int.init) ?? 1000
        let seed = SplitMix.seed("SCRUB_MODEL_SEED")
        print("cache model: seed \(seed), \(steps) steps")
        var random = SplitMix(seed)
        let bench = try CacheBench()
        let files = LossyFiles()
        var all: [MediaCache] = []
        func opened() throws -> MediaCache {
            all.append(try bench.cache(CacheBench.limits(bytes: Self.limit), files: files))
            return all[all.count - 1]
        }
        // Until commits were lost with the power: after that, bytes in the catalogue may be gone from the disk.
        var isStrict = true
        var caches: [MediaCache] = [try opened(), try opened()]
        var versions = [0, 0, 0, 0]
        var handles: [Handle] = []
        var now: Int64 = 1_700_000_000
        var snapshot: [String: Data] = [:]
        var (reads, recorded, losses) = (0, Int64(0), 0)

        func validator(_ film: Int) -> Validator {
            Validator(entityTag: "\"\(versions[film])\"", lastModified: nil, date: nil)
        }
        func range() -> Range<Int64> {
            let start = Int64.random(in: 0..<Self.total, using: &random)
            let length = Int64.random(in: 1...(random.isOne(in: 20) ? 600_000 : 60_000), using: &random)
            return start..<min(Self.total + 10, start + length)
        }
        func catalogueFiles() -> [String] {
            ["catalogue.sqlite", "catalogue.sqlite-wal"].map { bench.mediaFolder + "/" + $0 }
        }

        for step in 0..<steps {
            let hint = Comment("seed \(seed), step \(step)")
            let film = Int.random(in: 0..<4, using: &random)
            let cache = Int.random(in: 0..<2, using: &random)
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<12:
                let key = bench.key("film\(film)")
                if handles.count > 5 { handles.remove(at: Int.random(in: 0..<handles.count, using: &random)) }
                if random.isOne(in: 3), let known = caches[cache].medium(key) {
                    // Its own validator tells whose content it is.
                    let version = UInt64(known.validator.entityTag?.dropFirst().dropLast() ?? "") ?? 0
                    handles.append(Handle(medium: known, cache: cache, seed: UInt64(film) << 32 | version))
                } else {
                    let medium = try caches[cache].open(key, total: Self.total, validator: validator(film))
                    handles.append(
                        Handle(medium: medium, cache: cache, seed: UInt64(film) << 32 | UInt64(versions[film])))
                }
            case 12..<50 where !handles.isEmpty:
                let handle = handles[Int.random(in: 0..<handles.count, using: &random)]
                let wanted = range()
                guard let claim = handle.medium.beginFetch(wanted) else { break }
                for hole in claim.missing.ranges {
                    let part =
                        random.isOne(in: 8) ? hole.lowerBound..<(hole.lowerBound + hole.upperBound + 1) / 2 : hole
                    CacheBench.bytes(part, of: handle.seed).withUnsafeBytes { claim.write($0, at: part.lowerBound) }
                    recorded += Int64(part.count)
                }
                if !random.isOne(in: 6) { claim.finish() }
                if random.isOne(in: 2) { caches[handle.cache].flush() }
            case 50..<80 where !handles.isEmpty:
                let place = Int.random(in: 0..<handles.count, using: &random)
                let handle = handles[place]
                let wanted = range()
                let there = handle.medium.recorded(in: wanted)
                // A medium in use is not taken away.
                let before = handle.seen.intersection(wanted)
                if isStrict { #expect(before.subtracting(there).isEmpty, hint) }
                handles[place].seen.formUnion(there)
                let first = there.ranges.first ?? wanted
                let read = CacheBench.read(handle.medium, first)
                if isStrict, !there.isEmpty { #expect(read.count == first.count, hint) }
                let end = first.lowerBound + Int64(read.count)
                guard read == CacheBench.bytes(first.lowerBound..<end, of: handle.seed) else {
                    Issue.record("\(hint): wrong bytes in \(first)")
                    return
                }
                reads += 1
            case 80..<85: versions[film] += 1
            case 85..<88: now += Int64.random(in: -100_000...1_000_000, using: &random); bench.set(now: now)
            case 88..<90: _ = caches[cache].prune()
            case 90..<92 where !handles.isEmpty: handles.removeAll()
            case 92..<94:
                all.forEach { $0.flush() }
                snapshot = [:]
                for path in catalogueFiles() { snapshot[path] = try? Data(contentsOf: URL(filePath: path)) }
            case 94: caches[cache] = try opened()
            case 95:
                // The power goes. Pictures of the catalogue are whole, but may be older than the last commits.
                losses += 1
                all.forEach { $0.flush() }
                let present = Dictionary(
                    uniqueKeysWithValues: catalogueFiles().map { ($0, try? Data(contentsOf: URL(filePath: $0))) })
                (handles, caches, all) = ([], [], [])
                files.losePower(&random)
                let isOlder = random.isOne(in: 2) && !snapshot.isEmpty
                if isOlder { isStrict = false }
                let back = isOlder ? snapshot.mapValues { Optional($0) } : present
                unlink(bench.mediaFolder + "/catalogue.sqlite-shm")
                for path in catalogueFiles() {
                    unlink(path)
                    if let data = back[path] ?? nil { try data.write(to: URL(filePath: path)) }
                }
                snapshot = [:]
                caches = [try opened(), try opened()]
            default: break
            }
            if step % 500 == 499 {
                all.forEach { $0.flush() }
                #expect(caches[0].statistics().allocatedBytes <= Self.limit + 200_000, hint)
            }
        }
        handles = []
        print("cache model: \(reads) reads, \(recorded) bytes recorded, power lost \(losses) times")
        _ = caches[0].prune()
        #expect(caches[0].statistics().allocatedBytes <= Self.limit)
        #expect(bench.warnings.withLock { $0 } == [])
    }
}
