import Foundation
import Scrub
import ScrubThumbnails
import ScrubTestSupport
import Testing

/// A small file can claim pictures of any size; decoding stays within a limit that has a name.
@Suite struct PictureLimitTests {
    private func still(_ folder: TemporaryFolder, _ name: String, _ filter: String, _ arguments: [String]) throws
        -> String
    {
        let path = folder.path + "/" + name
        let made = try Tool.run(
            "ffmpeg", ["-v", "error", "-nostdin", "-f", "lavfi", "-i", filter] + arguments + ["-frames:v", "1", path])
        try #require(made.status == 0, "\(made.errors)")
        return path
    }

    @Test(arguments: ["png", "mp4", "webp"])
    func picturesBeyondTheLimitAreRefusedByName(_ kind: String) throws {
        let folder = try TemporaryFolder()
        let path = try still(
            folder, "large.\(kind)", "color=s=1600x1200:c=red", kind == "png" ? ["-pix_fmt", "rgba"] : [])
        // The frame and its padding.
        for (limit, isEnough) in [(1 << 20, false), (16 << 20, true)] {
            var options = VideoAsset.OpenOptions(cache: .none)
            options.pictureByteLimit = limit
            let asset = try VideoAsset(path: path, options: options)
            var reader = FrameReader(asset)
            let answer = try reader.frame(at: .first)
            #expect((answer.picture != nil) == isEnough, "\(kind), \(limit)")
            guard !isEnough else { continue }
            #expect(answer.verdict.reason?.contains("picture-bytes") == true, "\(answer.verdict)")
            let error = #expect(throws: ScrubError.self) { try asset.posterReport() }
            #expect(error?.code == .badData)
            #expect(error?.cause.contains("picture-bytes") == true, "\(error.map { "\($0)" } ?? "")")
        }
    }

    /// The limit is the reader's and not the file's: a saved index has none.
    @Test func theLimitIsNotSavedWithTheIndex() throws {
        let (folder, cache) = (try TemporaryFolder(), try TemporaryFolder())
        let path = try still(folder, "large.mp4", "color=s=1600x1200:c=red", [])
        for (limit, isEnough) in [(1 << 20, false), (16 << 20, true), (1 << 20, false)] {
            var options = VideoAsset.OpenOptions(cache: VideoAsset.IndexCache(path: cache.path))
            options.pictureByteLimit = limit
            var reader = FrameReader(try VideoAsset(path: path, options: options))
            #expect(try (reader.frame(at: .first).picture != nil) == isEnough)
        }
    }

    /// Costs of frames are counted: as many steps as there are frames, where every one is decoded from the first.
    // With all tests at once the limit counts waiting for a thread too.
    @Test(.timeLimit(.minutes(15))) func costsOfManyFramesAreLinear() throws {
        let folder = try TemporaryFolder()
        var gif = Array("GIF89a".utf8) + [64, 0, 64, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        let count = 40_000
        for _ in 0..<count {
            gif += [0x21, 0xF9, 4, 4, 10, 0, 0, 0, 0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]
        }
        let path = folder.path + "/many.gif"
        try Data(gif + [0x3B]).write(to: URL(filePath: path))
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
        #expect(asset.frames.count == count)
        let cost = try asset.seekCost()
        #expect(cost.max == count && cost.worstFrame == count - 1)
        #expect(cost.mean == Double(count + 1) / 2)
    }
}
