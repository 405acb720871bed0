import Foundation
import Scrub
import ScrubThumbnails
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Small files with large claims are refused by a limit that has a name. The error gives the value that was found, and
/// the option that raises it.
@Suite struct LimitTests {
    private func refused(
        _ path: String, _ name: String, _ change: (inout MediaLimits) -> Void = { _ in },
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var options = VideoAsset.OpenOptions(cache: .none)
        change(&options.limits)
        let error = #expect(throws: ScrubError.self, sourceLocation: sourceLocation) {
            var reader = FrameReader(try VideoAsset(path: path, options: options))
            let answer = try reader.frame(at: .last)
            // A frame that is refused alone has the reason in its verdict.
            guard let reason = answer.verdict.reason else { return }
            throw ScrubError(.badData, reason, file: path, advice: reason)
        }
        guard let error else { return }
        #expect(error.code == .badData, sourceLocation: sourceLocation)
        #expect(
            MediaLimits.Name(rawValue: name).map { error.description.contains("MediaLimits.\($0.member)") } == true,
            "\(error)", sourceLocation: sourceLocation)
        #expect(error.file == path, sourceLocation: sourceLocation)
    }

    private func clip(_ folder: TemporaryFolder, _ name: String, _ arguments: [String] = []) throws -> String {
        let path = folder.path + "/" + name
        let made = try Tool.run(
            "ffmpeg",
            ["-v", "error", "-nostdin", "-f", "lavfi", "-i", "testsrc2=s=320x240:d=1:r=25"] + arguments + [path])
        try #require(made.status == 0, "\(made.errors)")
        return path
    }

    @Test(arguments: ["mp4", "mkv", "ts", "h264"]) func eachLimitRefusesByName(_ kind: String) throws {
        let folder = try TemporaryFolder()
        let path = try clip(folder, "small.\(kind)", ["-c:v", "libx264"])
        // With the defaults it opens, and with its own numbers.
        var options = VideoAsset.OpenOptions(cache: .none)
        (options.limits.maximumPictureCount, options.limits.maximumPixelCount) = (25, 320 * 240)
        #expect(try VideoAsset(path: path, options: options).frames.count == 25)
        refused(path, "pictures") { $0.maximumPictureCount = 24 }
        refused(path, "pixels") { $0.maximumPixelCount = 320 * 240 - 1 }
        refused(path, "picture-bytes") { $0.maximumPictureByteCount = 100_000 }
        refused(path, "decoder-bytes") { $0.maximumDecoderByteCount = 200_000 }
        refused(path, "request-time") { $0.maximumRequestTime = .nanoseconds(1) }
        refused(path, "picture-time") { $0.maximumPictureTime = .nanoseconds(1) }
        if kind == "mp4" { refused(path, "table-bytes") { $0.maximumTableByteCount = 500 } }
    }

    @Test func tracksAreCountedBeforeTheyAreRead() throws {
        let folder = try TemporaryFolder()
        let track = Data([0, 0, 0, 8]) + Data("trak".utf8)
        let header =
            Data([0, 0, 0, 108]) + Data("mvhd".utf8) + Data(count: 12) + Data([0, 0, 3, 0xE8]) + Data(count: 84)
        let count = 1001
        let size = UInt32(8 + header.count + count * track.count).bigEndian
        var movie = Data([0, 0, 0, 16]) + Data("ftypisom".utf8) + Data(count: 4)
        withUnsafeBytes(of: size) { movie += Data($0) }
        movie += Data("moov".utf8) + header
        for _ in 0..<count { movie += track }
        let path = folder.path + "/tracks.mp4"
        try movie.write(to: URL(filePath: path))
        refused(path, "streams")
    }

    /// Streams of transport streams come on the way. Half an index would be saved, and be all of the film from then on.
    @Test(arguments: ["audio.ts", "audio-first.webm"]) func streamsAreCountedWhereverTheyCome(_ name: String) throws {
        let path = Clip.folder + "/clips/" + name
        refused(path, "streams") { $0.maximumStreamCount = 1 }
        let cache = try TemporaryFolder()
        var options = VideoAsset.OpenOptions(cache: .init(path: cache.path))
        options.limits.maximumStreamCount = 1
        #expect(throws: ScrubError.self) { try VideoAsset(path: path, options: options) }
        options.limits = .init()
        #expect(try VideoAsset(path: path, options: options).frames.count == 100)
    }

    /// The end of a coded picture is looked for in memory, in files that may be nothing but a hole.
    @Test func aPictureWithoutAnEndIsNotRead() throws {
        let folder = try TemporaryFolder()
        let path = try clip(folder, "hole.h264", ["-c:v", "libx264", "-frames:v", "1"])
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.truncate(atOffset: 1 << 30)
        try file.close()
        refused(path, "coded-bytes") { $0.maximumCodedPictureByteCount = 1 << 20 }
    }

    /// A set is refused before a picture of it is decoded, and leaves nothing; with enough room it is made.
    @Test func outputsHaveALimit() throws {
        let folder = try TemporaryFolder()
        let path = try clip(folder, "small.mp4")
        // 25 pictures of 64x48, before they are encoded.
        for (limit, passes) in [(25 * 64 * 48 * 3, true), (25 * 64 * 48 * 3 - 1, false)] {
            var options = VideoAsset.OpenOptions(cache: .none)
            options.limits.maximumOutputByteCount = limit
            let asset = try VideoAsset(path: path, options: options)
            var strip = ThumbnailStrip.Options(ThumbnailPlan.Request(.count(25)))
            strip.thumbnails.widths = [64]
            let out = folder.path + "/set-\(limit)"
            guard !passes else {
                _ = try asset.writeStrip(into: out, options: strip)
                continue
            }
            let error = #expect(throws: ScrubError.self) { try asset.writeStrip(into: out, options: strip) }
            #expect(
                error?.code == .badData
                    && error?.description.contains("MediaLimits.maximumOutputByteCount to 230400") == true)
            #expect(error?.file == path)
            #expect(!FileManager.default.fileExists(atPath: out))
        }
    }

    /// Pictures that are written one by one are counted; those before the limit stay, and are whole.
    @Test func aRangeEndsAtTheLimit() throws {
        let folder = try TemporaryFolder()
        let path = try clip(folder, "small.mp4")
        let made = try Tool.run(
            CommandTests.program,
            ["seek", path, "f0..f9", "--no-cache", "-o", folder.path + "/out/%d.rgb", "--limit", "output-bytes=700000"])
        #expect(made.status == 65 && made.errors.contains("--limit output-bytes="), "\(made.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/out").sorted()
        #expect(names == ["0.rgb", "1.rgb", "2.rgb"])
        for name in names {
            #expect(try Data(contentsOf: URL(filePath: folder.path + "/out/" + name)).count == 320 * 240 * 3)
        }
    }

    /// A canvas of any size is in two bytes.
    @Test func aLargeCanvasIsRefusedBeforeItIsMade() throws {
        let folder = try TemporaryFolder()
        var gif = Array("GIF89a".utf8) + [0x98, 0x3A, 0x98, 0x3A, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        for _ in 0..<50 {
            gif += [0x21, 0xF9, 4, 4, 10, 0, 0, 0, 0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]
        }
        let path = folder.path + "/canvas.gif"
        try Data(gif + [0x3B]).write(to: URL(filePath: path))
        refused(path, "pixels")
    }

    /// The size in the stream counts, whatever the container says: it may change on the way.
    @Test func aSizeThatGrowsOnTheWayIsRefusedThere() throws {
        let folder = try TemporaryFolder()
        let small = try clip(folder, "small.h264", ["-c:v", "libx264", "-frames:v", "5"])
        let large = try clip(folder, "large.h264", ["-c:v", "libx264", "-frames:v", "5", "-vf", "scale=640:480"])
        let path = folder.path + "/grows.h264"
        let bytes = try Data(contentsOf: URL(filePath: small)) + Data(contentsOf: URL(filePath: large))
        try bytes.write(to: URL(filePath: path))
        var options = VideoAsset.OpenOptions(cache: .none)
        options.limits.maximumPixelCount = 320 * 240
        var reader = FrameReader(try VideoAsset(path: path, options: options))
        #expect(try reader.frame(numbered: 4).verdict == .exact)
        let answer = try reader.frame(numbered: 9)
        #expect(answer.picture == nil)
        #expect(answer.verdict.reason?.contains("MediaLimits.maximumPixelCount") == true, "\(answer.verdict)")
    }

    @Test func theCommandRefusesWith65AndTakesTheOptionItNames() throws {
        let folder = try TemporaryFolder()
        let path = try clip(folder, "small.mp4", ["-c:v", "libx264"])
        for (limit, status) in [("pixels=1", 65), ("pixels=1M", 0), ("pictures=24", 65), ("picture-bytes=1G", 0)] {
            let run = try Tool.run(CommandTests.program, ["seek", path, "f3", "--no-cache", "--limit", limit])
            #expect(run.status == status, "\(limit): \(run.errors)")
            if status == 65 { #expect(run.errors.contains("raise the limit with --limit"), "\(run.errors)") }
        }
        for limit in ["pixels", "pixels=0", "pixels=-1", "pixels=99999999999999999999", "height=5", "request-time=1G"] {
            let run = try Tool.run(CommandTests.program, ["seek", path, "f3", "--no-cache", "--limit", limit])
            #expect(run.status == 64, "\(limit)")
        }
    }
}
