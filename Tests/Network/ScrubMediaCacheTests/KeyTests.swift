import ScrubSourcesLogic
import ScrubFileIO
import Foundation
import ScrubHashing
import ScrubMediaCache
import ScrubBase
import ScrubIndex
import ScrubTestSupport
import Testing

/// Keys, limits, reports and saved files.
@Suite struct KeyTests {
    /// The examples of FIPS 180-4.
    @Test func sha256IsTheStandards() {
        #expect(
            PlainText.hexadecimal(sha256("abc".utf8))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            PlainText.hexadecimal(sha256("".utf8))
                == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(
            PlainText.hexadecimal(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8))
                == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
        #expect(
            PlainText.hexadecimal(sha256([UInt8](repeating: 97, count: 1_000_000)))
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test func streamsOfBytesHaveTheSameChecksum() {
        let bytes = CacheBench.bytes(0..<100_000, of: 5)
        let stream = XXH3Stream()
        for start in stride(from: 0, to: bytes.count, by: 7001) {
            bytes[start..<min(bytes.count, start + 7001)].withUnsafeBytes { stream.append($0) }
        }
        #expect(stream.finish() == xxh3(bytes))
        #expect(stream.finish() == xxh3([]))
    }

    /// Other credentials see other entries, and no credential is on the disk.
    @Test func credentialsAreKeptApartAndOffTheDisk() throws {
        let bench = try CacheBench()
        let secret = "Hunter-2-of-2"
        let address = try RemoteURL(
            "https://ann:\(secret)@example.org/a.mp4?id=5&X-Amz-Signature=\(secret)&token=\(secret)")
        let keys = [
            MediumKey(address), MediumKey(url: address.key), MediumKey(url: address.key, identity: "tenant"),
            MediumKey(url: address.key, credentials: ["Authorization: Bearer \(secret)"]),
            MediumKey(url: address.key, credentials: ["Authorization: Bearer ", secret]),
            MediumKey(url: address.key + "1"),
        ]
        do {
            let cache = try bench.cache()
            for (place, key) in keys.enumerated() {
                let medium = try cache.open(key, total: 1000, validator: CacheBench.validator)
                CacheBench.fill(medium, 0..<1000, seed: UInt64(place))
            }
            cache.flush()
            for (place, key) in keys.enumerated() {
                let medium = try #require(cache.medium(key))
                #expect(CacheBench.read(medium, 0..<1000) == CacheBench.bytes(0..<1000, of: UInt64(place)))
            }
            #expect(cache.entries().first?.name == "https://example.org/a.mp4?id=5&X-Amz-Signature=...&token=...")
        }
        for name in TemporaryFolder.names(bench.mediaFolder) {
            let data = (try? Data(contentsOf: URL(filePath: bench.mediaFolder + "/" + name))) ?? Data()
            #expect(data.range(of: Data(secret.utf8)) == nil, "\(name)")
        }
    }

    @Test func sizesAsPeopleWriteThem() {
        for (text, bytes) in [
            ("0", 0), ("1073741824", 1 << 30), ("512M", 512 << 20), ("20G", 20 << 30), ("20GiB", 20 << 30),
            ("20gb", 20 << 30), ("3k", 3072), ("1T", 1 << 40), ("7B", 7),
        ] as [(String, Int64)] {
            #expect(CacheDirectory.byteCount(text) == bytes, "\(text)")
        }
        for text in ["", "G", "-1", "1.5G", "1X", "99999999999P", "9223372036854775808", "1 G", "0x10", "1IB", "٣"] {
            #expect(CacheDirectory.byteCount(text) == nil, "\(text)")
        }
        #expect(CacheDirectory.totalLimit { _ in "3M" } == 3 << 20)
        #expect(CacheDirectory.totalLimit { _ in "much" } == 10 << 30)
        #expect(CacheDirectory.totalLimit { _ in nil } == 10 << 30)
        #expect(MediaCacheLimits.standard { $0 == "SCRUB_CACHE_LIMIT" ? "1G" : nil }.byteLimit == 1 << 30)
    }

    /// All kinds of saved files share the limit, without the catalogue.
    @Test func savedFilesShareALimit() throws {
        let folder = try TemporaryFolder()
        let limit: Int64 = 250_000
        func kind(_ suffix: String) -> CacheDirectory {
            CacheDirectory(path: folder.path, suffix: suffix, byteLimit: 200_000, totalLimit: limit)
        }
        let bytes = [UInt8](repeating: 1, count: 100_000)
        for (place, suffix) in [".scrubindex", ".scrubdeps", ".scrubfacts"].enumerated() {
            try kind(suffix).store(bytes, as: "a")
            try folder.age("a" + suffix, to: Double(1000 + place))
        }
        #expect(folder.contents == ["a.scrubdeps", "a.scrubfacts"])
        try folder.write([UInt8](repeating: 1, count: 300_000), to: "mine.txt")
        try kind(".scrubcost").store(bytes, as: "b")
        #expect(folder.contents == ["a.scrubfacts", "b.scrubcost", "mine.txt"])
        let none = IndexStore(path: folder.path, totalLimit: 0)
        try none.directory.store(bytes, as: "c")
        #expect(folder.contents == ["a.scrubfacts", "b.scrubcost", "mine.txt"])
    }

    @Test func generatedSetsAreKeptByName() throws {
        let bench = try CacheBench()
        let sets = GeneratedSets(path: bench.path)
        let bytes = CacheBench.bytes(0..<5000, of: 1)
        #expect(sets.load("strip-1") == nil)
        try sets.save(bytes, as: "strip-1")
        #expect(sets.load("strip-1") == bytes)
        #expect(!FileManager.default.fileExists(atPath: bench.mediaFolder))
        let cache = try bench.cache()
        #expect(cache.entries().map(\.kind) == ["set"] && cache.verify().isSound)
        let file = try FileHandle(forUpdating: URL(filePath: bench.path + "/strip-1.scrubset"))
        try file.seek(toOffset: 1000)
        try file.write(contentsOf: [0, 0, 0])
        try file.close()
        let verification = cache.verify()
        #expect(verification.damaged == 1 && verification.savedFiles == 1)
        #expect(sets.load("strip-1") == nil)
    }

    @Test func reportsAreWhatTheContractSays() throws {
        let bench = try CacheBench()
        let cache = try bench.cache()
        let medium = try cache.open(bench.key("a\"b"), total: 1_000_000, validator: CacheBench.validator)
        CacheBench.fill(medium, 0..<300_000, seed: 1)
        medium.note(hits: 3, misses: 2, bytesFromCache: 400_000, bytesFetched: 300_000)
        CacheBench.fill(medium, 400_000..<400_010, seed: 1)
        cache.flush()
        let statistics = cache.statistics()
        #expect((statistics.entries, statistics.bytes, statistics.hits, statistics.misses) == (1, 300_010, 3, 2))
        #expect((statistics.bytesSaved, statistics.bytesFetched, statistics.evictions) == (400_000, 300_000, 0))
        #expect(statistics.allocatedBytes >= 300_010)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(statistics.json.text.utf8)) as? [String: Any])
        for name in ["entries", "bytes", "hits", "misses", "bytesSaved", "evictions", "limits"] {
            #expect(object[name] != nil, "\(name)")
        }
        let verification = cache.verify()
        // The catalogue and two pieces.
        #expect((verification.checked, verification.damaged, verification.bytes) == (3, 0, 300_010))
        #expect(verification.json.text.hasPrefix("{\"checked\":3,\"damaged\":0,"))
        let prometheus = statistics.prometheus(cache.entries())
        #expect(prometheus.contains("# TYPE scrub_cache_hits_total counter\nscrub_cache_hits_total 3\n"))
        #expect(prometheus.contains("scrub_cache_medium_hits_total{url=\"https://example.org/a\\\"b\"} 3\n"))
        #expect(statistics.text.contains("saved bytes total: 400000\n"))
        #expect(cache.entries().first?.json.text.contains("\"inUse\":true") == true)
    }
}
