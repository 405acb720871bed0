import Foundation
import ScrubFileIO
import ScrubIndex
import ScrubMedia
import ScrubPictures
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Previews count in the cache's limits while they grow, are listed, and are removed by the cache's upkeep.
@Suite struct PreviewLimitTests {
    private func large(_ pictures: Range<Int>) -> [(picture: Int, bytes: [UInt8])] {
        pictures.map { ($0, [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: 10_000)) }
    }

    @Test func whatGrowsRemovesWhatIsLongestUnused() throws {
        let bench = try PreviewBench()
        let limits: (Int64, Int64) = (200_000, 300_000)
        do {
            let other = try #require(
                bench.open(key: try PreviewBench.key(of: [9]), byteLimit: limits.0, totalLimit: limits.1))
            #expect(other.append(large(0..<8)))
        }
        let old = bench.name
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1000)], ofItemAtPath: bench.cache + "/" + old)
        for (name, age) in [("a.scrubindex", 500), ("b.scrubset", 2000)] {
            try bench.replace([UInt8](repeating: 1, count: 60_000), name)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: Double(age))], ofItemAtPath: bench.cache + "/" + name)
        }
        let file = try #require(bench.open(byteLimit: limits.0, totalLimit: limits.1))
        let own = try #require(
            TemporaryFolder.names(bench.cache).first { $0.hasSuffix(".scrubpreviews") && $0 != old })
        #expect(file.append(large(0..<8)))
        #expect(TemporaryFolder.names(bench.cache) == ["a.scrubindex", "b.scrubset", old, own].sorted())
        // Over the limit of previews: the other film's go.
        #expect(file.append(large(8..<14)))
        #expect(TemporaryFolder.names(bench.cache) == ["a.scrubindex", "b.scrubset", own].sorted())
        // Over the limit of all.
        #expect(file.append(large(14..<19)))
        #expect(TemporaryFolder.names(bench.cache) == ["b.scrubset", own].sorted())
        // More than previews may take: it stays as it is.
        let before = file.byteCount
        #expect(!file.append(large(19..<21)) && file.byteCount == before && file.count == 19)
        #expect(file.append([(20, [1])]))
    }

    @Test func fetchedMediaCountToo() throws {
        let bench = try PreviewBench()
        let file = try #require(bench.open(byteLimit: 1 << 30, totalLimit: 400_000))
        #expect(file.append(large(0..<5)))
        let folder = bench.cache + "/media-1/data-0123456789abcdef/01"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(repeating: 1, count: 300_000).write(to: URL(filePath: folder + "/1.1"))
        #expect(!file.append(large(5..<15)) && file.count == 5)
        #expect(file.append([(5, [1])]))
        try FileManager.default.removeItem(atPath: folder + "/1.1")
        #expect(file.append(large(6..<15)))
    }

    @Test func withoutALimitNothingIsMade() throws {
        let bench = try PreviewBench()
        #expect(bench.open(byteLimit: 0) == nil && bench.open(totalLimit: 0) == nil)
        #expect(!FileManager.default.fileExists(atPath: bench.cache))
        #expect(IndexStore(path: bench.cache, byteLimit: 0).previews.byteLimit == 0)
        #expect(IndexStore(path: bench.cache, totalLimit: 1000).previews.byteLimit == 500)
    }

    @Test func theCommandListsChecksAndRemovesThem() throws {
        let bench = try PreviewBench()
        let file = try #require(bench.open())
        #expect(file.append(PreviewBench.previews(0..<2000)))
        func run(_ words: String...) throws -> Tool.Result {
            try Tool.run(
                CommandTests.program, ["cache"] + words, environment: ["SCRUB_CACHE_DIR": bench.cache])
        }
        let rows = try run("list", "--json")
        let row = try #require(
            JSONSerialization.jsonObject(with: Data(rows.output.utf8)) as? [String: Any], "\(rows.output)")
        #expect(row["kind"] as? String == "previews" && row["name"] as? String == bench.name)
        #expect(row["bytes"] as? Int == Int(file.byteCount))
        #expect(try run("list").output.contains("1 index, set or preview file, "))
        #expect(try run("list", "--all").output.contains(bench.name))
        #expect(try run("stats").output.contains("1 index, set or preview file, "))
        // While another process appends, too.
        #expect(file.append(PreviewBench.previews(2000..<2100)))
        let sound = try run("verify", "--json")
        #expect(sound.status == 0 && sound.output.contains("\"savedFiles\":1"), "\(sound.output)")
        var bytes = try bench.contents()
        // An end that was not written out is not damage, a byte in the middle is.
        try bench.replace(bytes.dropLast(9), bench.name)
        #expect(try run("verify").status == 0)
        bytes[bytes.count / 2] ^= 1
        try bench.replace(bytes, bench.name)
        let damaged = try run("verify")
        #expect(damaged.status == 65 && damaged.output.contains("scrubpreviews is damaged"), "\(damaged.output)")
        #expect(bench.name.isEmpty)
        #expect(bench.open()?.append(PreviewBench.previews(0..<5)) == true)
        #expect(try run("clear", "--keep-indexes").status == 0 && !bench.name.isEmpty)
        let cleared = try run("clear", "--json")
        #expect(cleared.output.contains("\"savedFiles\":1") && bench.name.isEmpty, "\(cleared.output)")
        #expect(PreviewBench.right(file) == Set(0..<2100))
    }
}
