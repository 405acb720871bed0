import ScrubSourcesLogic
import Foundation
import GRDB
import Glibc
import ScrubMediaCache
import ScrubBase
import ScrubTestSupport
import Testing

/// A catalogue that is damaged or another program's is never believed, and many may begin one at once.
@Suite struct CatalogueTests {
    private static let range: Range<Int64> = 0..<200_000

    private func fill(_ cache: MediaCache, _ key: MediumKey, seed: UInt64 = 1) throws -> CachedMedium {
        let medium = try cache.open(key, total: 1_000_000, validator: CacheBench.validator)
        CacheBench.fill(medium, Self.range, seed: seed)
        cache.flush()
        return medium
    }

    private static let harms: [(String, @Sendable (String) throws -> Void)] = [
        ("noise", { try Data((0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 7) }).write(to: URL(filePath: $0)) }),
        ("text", { try Data("SQLite format 3, or so".utf8).write(to: URL(filePath: $0)) }),
        ("cut", { truncate($0, 4096) }),
        ("empty", { truncate($0, 0) }),
        ("another program's", { try DatabaseQueue(path: $0).writeNow("PRAGMA application_id=77") }),
        ("of another version", { try DatabaseQueue(path: $0).writeNow("PRAGMA user_version=2") }),
        ("without its tables", { try DatabaseQueue(path: $0).writeNow("DROP TABLE media; DROP TABLE pieces") }),
        ("without its name", { try DatabaseQueue(path: $0).writeNow("UPDATE cache SET epoch='../../../../tmp'") }),
        ("of other types", { try DatabaseQueue(path: $0).writeNow("UPDATE media SET total='much', id=id") }),
        ("of pieces that cannot be", { try DatabaseQueue(path: $0).writeNow("UPDATE pieces SET end=start+99999999") }),
        ("of lengths that cannot be", { try DatabaseQueue(path: $0).writeNow("UPDATE media SET total=-5") }),
    ]

    @Test(arguments: harms.indices) func aBrokenCatalogueIsReplaced(_ number: Int) throws {
        let (name, harm) = Self.harms[number]
        let bench = try CacheBench()
        _ = try fill(try bench.cache(), bench.key("a"))
        let catalogue = bench.mediaFolder + "/catalogue.sqlite"
        // It is closed: the journal is gone or is empty.
        try harm(catalogue)
        let cache = try bench.cache()
        if let medium = cache.medium(bench.key("a")) {
            #expect(CacheBench.read(medium, 0..<1000).isEmpty, "\(name)")
        }
        let medium = try fill(cache, bench.key("a"), seed: 2)
        // If it was found out late, the first try was lost.
        CacheBench.fill(medium, Self.range, seed: 2)
        cache.flush()
        let last = try cache.medium(bench.key("a")) ?? fill(cache, bench.key("a"), seed: 2)
        CacheBench.fill(last, Self.range, seed: 2)
        cache.flush()
        #expect(CacheBench.read(last, Self.range) == CacheBench.bytes(Self.range, of: 2), "\(name)")
        let verification = cache.verify()
        #expect(verification.isSound, "\(name): \(verification.problems)")
        withExtendedLifetime((medium, last)) {}
    }

    /// Eight processes find no folder, and each records something of its own.
    @Test func eightProcessesBeginAtOnce() async throws {
        let bench = try CacheBench()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    await #expect(processExitsWith: .success) { [path = bench.path as String, number = number as Int] in
                        let cache = try CacheBench(at: path).cache()
                        let medium = try cache.open(
                            MediumKey(url: "https://example.org/\(number)"), total: 200_000,
                            validator: CacheBench.validator)
                        let shared = try cache.open(
                            MediumKey(url: "https://example.org/shared"), total: 800_000,
                            validator: CacheBench.validator)
                        let part = Int64(number) * 100_000
                        let isDone =
                            CacheBench.fill(medium, 0..<200_000, seed: UInt64(number))
                            && CacheBench.fill(shared, part..<part + 100_000, seed: 99)
                        cache.flush()
                        exit(isDone && medium.recorded(in: 0..<200_000).byteCount == 200_000 ? 0 : 1)
                    }
                }
            }
        }
        let cache = try bench.cache()
        #expect(cache.entries().count == 9)
        #expect(cache.verify().isSound)
        let shared = try #require(cache.medium(bench.key("shared")))
        #expect(CacheBench.read(shared, 0..<800_000) == CacheBench.bytes(0..<800_000, of: 99))
        #expect(shared.generation == 1)
    }

    /// The same with threads, which meet more closely, many times.
    @Test func eightThreadsBeginAtOnce() throws {
        for _ in 0..<10 {
            let bench = try CacheBench()
            let failures = Locked<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 8) { number in
                do {
                    let cache = try bench.cache()
                    let medium = try cache.open(bench.key("a"), total: 800_000, validator: CacheBench.validator)
                    let part = Int64(number) * 100_000
                    if !CacheBench.fill(medium, part..<part + 100_000, seed: 1) {
                        failures.withLock { $0.append("\(number) records nothing") }
                    }
                    cache.flush()
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
            #expect(failures.withLock { $0 } == [])
            let medium = try #require(try bench.cache().medium(bench.key("a")))
            #expect(medium.generation == 1)
            #expect(CacheBench.read(medium, 0..<800_000) == CacheBench.bytes(0..<800_000, of: 1))
            #expect(bench.warnings.withLock { $0 } == [])
        }
    }

    /// A process that holds the catalogue for too long costs the bytes that would have been recorded, and nothing else.
    @Test func aBusyCatalogueIsNotWaitedForForEver() throws {
        let bench = try CacheBench()
        let cache = try bench.cache(busyTimeout: 0)
        let medium = try fill(cache, bench.key("a"))
        let other = try DatabaseQueue(path: bench.mediaFolder + "/catalogue.sqlite")
        try other.inDatabase { database in
            try database.execute(sql: "BEGIN IMMEDIATE")
            CacheBench.fill(medium, 300_000..<400_000, seed: 1)
            cache.flush()
            #expect(medium.recorded(in: 300_000..<400_000).isEmpty)
            #expect(CacheBench.read(medium, Self.range) == CacheBench.bytes(Self.range, of: 1))
            try database.execute(sql: "COMMIT")
        }
        #expect(cache.isWriting && bench.warnings.withLock { $0 } == [])
        CacheBench.fill(medium, 300_000..<400_000, seed: 1)
        cache.flush()
        #expect(CacheBench.read(medium, 300_000..<400_000) == CacheBench.bytes(300_000..<400_000, of: 1))
    }

    /// No process, this or another, fetches bytes that another fetch brings.
    @Test func onlyOneFetches() throws {
        let bench = try CacheBench()
        let (one, two) = (try bench.cache(), try bench.cache())
        let first = try one.open(bench.key("a"), total: 1_000_000, validator: CacheBench.validator)
        let second = try two.open(bench.key("a"), total: 1_000_000, validator: CacheBench.validator)
        var claim = first.beginFetch(100_000..<200_000)
        #expect(claim != nil)
        for range: Range<Int64> in [0..<100_001, 150_000..<160_000, 199_999..<300_000, 0..<1_000_000] {
            #expect(second.beginFetch(range) == nil && first.beginFetch(range) == nil)
        }
        for range: Range<Int64> in [0..<100_000, 200_000..<300_000] {
            let next = second.beginFetch(range)
            #expect(next != nil)
            next?.abandon()
        }
        // Released without an end: it was abandoned.
        claim = nil
        let whole = try #require(second.beginFetch(0..<300_000))
        #expect(whole.missing.ranges == [0..<300_000])
        CacheBench.bytes(120_000..<130_000, of: 1).withUnsafeBytes { whole.write($0, at: 120_000) }
        // Bytes outside, bytes that came before, and invalid places.
        CacheBench.bytes(129_000..<131_000, of: 1).withUnsafeBytes { whole.write($0, at: 129_000) }
        CacheBench.bytes(299_999..<300_010, of: 1).withUnsafeBytes { whole.write($0, at: 299_999) }
        CacheBench.bytes(0..<10, of: 7).withUnsafeBytes {
            whole.write($0, at: -5)
            whole.write($0, at: Int64.max - 3)
            whole.write(UnsafeRawBufferPointer(rebasing: $0[..<0]), at: 0)
        }
        whole.finish()
        whole.finish()
        whole.abandon()
        two.flush()
        #expect(first.recorded(in: 0..<1_000_000).ranges == [120_000..<131_000, 299_999..<300_000])
        #expect(CacheBench.read(first, 120_000..<131_000) == CacheBench.bytes(120_000..<131_000, of: 1))
        // Bytes that are there are not missing.
        let rest = try #require(first.beginFetch(110_000..<140_000))
        #expect(rest.missing.ranges == [110_000..<120_000, 131_000..<140_000])
    }

    /// Folders that others could write into, and links, are not used.
    @Test func onlyAFolderOfOnesOwnIsUsed() throws {
        let bench = try CacheBench()
        func refusal() -> String? {
            do throws(any Error) {
                _ = try bench.cache()
                return nil
            } catch {
                return "\(error)"
            }
        }
        let manager = FileManager.default
        try manager.createDirectory(atPath: bench.path + "/elsewhere", withIntermediateDirectories: false)
        symlink(bench.path + "/elsewhere", bench.mediaFolder)
        #expect(refusal()?.contains("media-1") == true)
        unlink(bench.mediaFolder)
        try Data().write(to: URL(filePath: bench.mediaFolder))
        #expect(refusal() != nil)
        unlink(bench.mediaFolder)
        #expect(refusal() == nil)
        for mode: mode_t in [0o770, 0o707, 0o777] {
            chmod(bench.mediaFolder, mode)
            #expect(refusal()?.contains("other users can write") == true)
        }
        chmod(bench.mediaFolder, 0o700)
        #expect(refusal() == nil)
        // Only root can give a folder away.
        if geteuid() == 0, chown(bench.mediaFolder, 65_534, 65_534) == 0 {
            #expect(refusal()?.contains("another user") == true)
            chown(bench.mediaFolder, 0, 0)
        }
        // A link to the whole cache directory is the user's own matter.
        let link = try TemporaryFolder()
        symlink(bench.path, link.path + "/cache")
        let cache = try CacheBench(at: link.path + "/cache").cache()
        #expect(cache.entries().isEmpty && TemporaryFolder.names(bench.path + "/elsewhere").isEmpty)
    }
}

extension DatabaseQueue {
    /// Runs statements, then closes.
    fileprivate func writeNow(_ sql: String) throws {
        try inDatabase { try $0.execute(sql: sql) }
        try close()
    }
}
