import Foundation
import ScrubMedia
import ScrubTestClips
import ScrubTestSupport
import Testing

/// A saved index belongs to a state of a file, not to its name, and is never trusted further than its checksum.
@Suite struct CacheTests {
    private func copy(_ clip: String, to folder: TemporaryFolder) throws -> String {
        let path = folder.path + "/" + clip
        try FileManager.default.copyItem(atPath: Clip.folder + "/clips/" + clip, toPath: path)
        return path
    }

    private func open(_ path: String, _ cache: TemporaryFolder, limit: Int64 = 1 << 20) throws -> VideoAsset {
        try VideoAsset(
            path: path,
            options: VideoAsset.OpenOptions(cache: VideoAsset.IndexCache(path: cache.path, byteLimit: limit)))
    }

    @Test(arguments: [
        "h264-bf3.mp4", "h264-bf3.ts", "h264-open-gop.mkv", "multi-stsd.mp4", "vfr.mp4", "h264-paff.h264",
    ])
    func aSavedIndexSaysTheSame(_ clip: String) throws {
        let (files, cache) = (try TemporaryFolder(), try TemporaryFolder())
        let path = try copy(clip, to: files)
        let first = try open(path, cache)
        let second = try open(path, cache)
        #expect(first.openReport.indexOrigin == .built)
        #expect(second.openReport.indexOrigin == .saved)
        #expect(Array(first.frames) == Array(second.frames))
        var reader = FrameReader(second)
        #expect(try reader.frame(at: .last).verdict == .exact)
    }

    @Test func aRenamedFileKeepsItsIndex() throws {
        let (files, cache) = (try TemporaryFolder(), try TemporaryFolder())
        let path = try copy("h264-bf3.mp4", to: files)
        _ = try open(path, cache)
        try FileManager.default.moveItem(atPath: path, toPath: files.path + "/other name.mp4")
        #expect(try open(files.path + "/other name.mp4", cache).openReport.indexOrigin == .saved)
    }

    @Test func aChangedFileIsIndexedAgain() throws {
        let (files, cache) = (try TemporaryFolder(), try TemporaryFolder())
        let path = try copy("h264-bf3.mp4", to: files)
        _ = try open(path, cache)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_000_000)], ofItemAtPath: path)
        #expect(try open(path, cache).openReport.indexOrigin == .built)
    }

    @Test func aDamagedIndexIsMadeAgain() throws {
        let (files, cache) = (try TemporaryFolder(), try TemporaryFolder())
        let path = try copy("h264-bf3.mp4", to: files)
        let saved = try #require(try open(path, cache).openReport.savedIndexPath)
        var bytes = try #require(FileManager.default.contents(atPath: saved))
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: URL(filePath: saved))
        #expect(try open(path, cache).openReport.indexOrigin == .built)
        #expect(try open(path, cache).openReport.indexOrigin == .saved)
    }

    @Test func theCacheStaysUnderItsLimit() throws {
        let (files, cache) = (try TemporaryFolder(), try TemporaryFolder())
        let limit: Int64 = 12_000
        for clip in ["h264-bf3.mp4", "h264-bf3.mkv", "h264-bf3.ts", "vfr.mp4", "hevc-closed.mp4"] {
            _ = try open(try copy(clip, to: files), cache, limit: limit)
            let total = try cache.contents.reduce(Int64(0)) { sum, name in
                let facts = try FileManager.default.attributesOfItem(atPath: cache.path + "/" + name)
                return sum + (facts[.size] as? Int64 ?? Int64(facts[.size] as? Int ?? 0))
            }
            #expect(total <= limit)
        }
        #expect(!cache.contents.isEmpty)
    }

    @Test func withoutACacheNothingIsWritten() throws {
        let asset = try VideoAsset(
            path: Clip.folder + "/clips/h264-bf3.mp4", options: VideoAsset.OpenOptions(cache: .none))
        #expect(asset.openReport.savedIndexPath == nil)
    }

    /// An index that a thread of its own saves is there when the report is, and when the video is gone.
    @Test(arguments: ["h264-bf3.mp4", "h264-bf3.mkv", "h264-bf3.ts"])
    func anIndexThatIsSavedBeside(_ clip: String) throws {
        let (files, cache, other) = (try TemporaryFolder(), try TemporaryFolder(), try TemporaryFolder())
        let path = try copy(clip, to: files)
        func openBeside(_ folder: String) throws -> VideoAsset {
            try VideoAsset(
                path: path, options: VideoAsset.OpenOptions(cache: VideoAsset.IndexCache(path: folder)),
                savesBeside: true)
        }
        let asset = try openBeside(cache.path)
        let saved = try #require(asset.openReport.savedIndexPath)
        #expect(asset.openReport.indexOrigin == .built && asset.openReport.cacheProblem == nil)
        let bytes = try #require(FileManager.default.contents(atPath: saved))
        _ = try openBeside(other.path)
        let plain = try open(path, other)
        #expect(plain.openReport.indexOrigin == .saved)
        #expect(FileManager.default.contents(atPath: try #require(plain.openReport.savedIndexPath)) == bytes)
        #expect(try openBeside(cache.path).openReport.indexOrigin == .saved)
        // No folder can be made below a file.
        let report = try openBeside(path).openReport
        let same = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: VideoAsset.IndexCache(path: path)))
            .openReport
        #expect(report.cacheProblem != nil && report.cacheProblem == same.cacheProblem)
        #expect(report.savedIndexPath == nil && same.savedIndexPath == nil && report.indexOrigin == .built)
    }

    /// Cutting, emptying or overwriting a saved index while it is in use changes nothing for its readers: a
    /// mapped one would end the process (SIGBUS).
    @Test(arguments: [0, 100, 4096])
    func aSavedIndexThatIsCutWhileItIsInUse(_ length: Int) throws {
        let (files, cache) = (try TemporaryFolder(), try TemporaryFolder())
        let path = try copy("h264-bf3.mp4", to: files)
        let expected = Array(try open(path, cache).frames)
        let asset = try open(path, cache)
        #expect(asset.openReport.indexOrigin == .saved)
        let saved = try #require(asset.openReport.savedIndexPath)
        #expect(truncate(saved, length) == 0)
        let handle = try FileHandle(forWritingTo: URL(filePath: saved))
        try handle.write(contentsOf: Data(repeating: 0xFF, count: length))
        try handle.close()
        #expect(Array(asset.frames) == expected)
        var reader = FrameReader(asset)
        #expect(try reader.frame(at: .last).verdict == .exact)
        // The next opening sees that it is no longer one.
        #expect(try open(path, cache).openReport.indexOrigin == .built)
    }
}
