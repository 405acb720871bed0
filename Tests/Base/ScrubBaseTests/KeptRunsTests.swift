import Foundation
import ScrubBase
import Testing

@testable import ScrubTestSupport

/// The key of a run of ffmpeg.
@Suite struct KeptRunsTests {
    private let folder = try? TemporaryFolder()

    private func key(_ program: String, _ words: [String]) throws -> String? {
        CommandLineFiles(program, words, in: try #require(folder).path)?.key(version: "1")
    }

    @Test func bytesCountAndPlacesDoNot() throws {
        let folder = try #require(folder)
        let words = ["-map", "0:v:0", "-f", "framemd5", "-"]
        let one = try folder.write([1, 2, 3], to: "a.mp4")
        let same = try folder.write([1, 2, 3], to: "b.mp4")
        let other = try folder.write([1, 2, 4], to: "c.mp4")
        let renamed = try folder.write([1, 2, 3], to: "a.mkv")
        let first = try #require(try key("ffmpeg", ["-i", one] + words))
        #expect(try key("ffmpeg", ["-i", same] + words) == first)
        #expect(try key("ffmpeg", ["-i", "a.mp4"] + words) == first)
        for changed in [
            ["-i", other] + words, ["-i", renamed] + words, ["-i", one, "-an"] + words,
            ["-threads", "1", "-i", one] + words,
        ] {
            let found = try #require(try key("ffmpeg", changed))
            #expect(found != first, "\(changed)")
        }
        #expect(CommandLineFiles("ffmpeg", ["-i", one] + words, in: folder.path)?.key(version: "2") != first)
        #expect(try key("ffprobe", ["-show_streams", one]) != nil)
    }

    @Test func whatCannotBeToldIsRunEachTime() throws {
        let folder = try #require(folder)
        let film = try folder.write([1], to: "a.mp4")
        try folder.write([2], to: "list.txt")
        try folder.write([3], to: "index.m3u8")
        try folder.write([4], to: "there.mp4")
        for words in [
            ["-i", "nothing.mp4", "b.mp4"], ["-f", "concat", "-i", "list.txt", "-c", "copy", "b.mp4"],
            ["-i", "index.m3u8", "b.mp4"], ["-i", film, "-f", "hls", "b.m3u8"], ["-i", film, "%03d.png"],
            ["-i", film, folder.path(of: "c.mp4"), folder.path(of: "b.mp4")],
            ["-i", film, "-attach", "list.txt", "b.mkv"],
            ["-f", "lavfi", "-i", "movie=a.mp4", "b.mp4"], ["-i", film, "there.mp4"], ["-y", "-i", film, film],
            ["-i", film, "crypto:b.mp4"],
        ] {
            #expect(try key("ffmpeg", words) == nil, "\(words)")
        }
        #expect(try key("ffmpeg", ["-y", "-i", film, "there.mp4"]) != nil)
    }

    /// Several that want one clip at once all have it, and so has who comes later, in another place.
    @Test func manyThatWantTheSame() throws {
        let folder = try #require(folder)
        // A title that no other run has.
        let words = ["-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=5:d=1", "-metadata", "title=\(UUID())"]
        let found = Locked<[Data?]>([])
        DispatchQueue.concurrentPerform(iterations: 6) { number in
            let path = folder.path(of: "\(number)/film.mkv")
            try? FileManager.default.createDirectory(
                atPath: folder.path(of: "\(number)"), withIntermediateDirectories: true)
            let result = try? Tool.run("ffmpeg", words + ["-c:v", "ffv1", "-bitexact", path])
            let bytes = result?.status == 0 ? FileManager.default.contents(atPath: path) : nil
            found.withLock { $0.append(bytes) }
        }
        let all = found.withLock { $0 }
        #expect(all.count == 6 && all.allSatisfy { $0 != nil && $0 == all[0] && $0?.isEmpty == false })
        // A file from before is not silently written over, and failures are not kept.
        let path = folder.path(of: "0/film.mkv")
        #expect(try Tool.run("ffmpeg", words + ["-c:v", "ffv1", "-bitexact", path]).status != 0)
        #expect(try Tool.run("ffmpeg", ["-v", "error", "-i", path, "-c:v", "nonsense", path + ".mkv"]).status != 0)
        #expect(try Tool.run("ffmpeg", words + ["-y", "-c:v", "ffv1", "-bitexact", path]).status == 0)
    }
}
