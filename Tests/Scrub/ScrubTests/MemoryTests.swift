import Foundation
import Scrub
import ScrubThumbnails
import ScrubTestClips
import ScrubTestSupport
import Testing

/// The memory of decoded pictures has a bound that can be told in advance.
///
/// At most: the cache's bytes. For each open decoder the 16 references that H.264 and HEVC allow (A.3.1, A.4.2), the
/// picture it works on, one for each further thread and two on their way out. And four released ones in reserve.
@Suite struct MemoryTests {
    private static func bound(_ options: FrameReader.Options, _ threads: Int, frameBytes: Int) -> Int {
        options.cacheByteLimit + options.decoderLimit * (17 + threads + 2) * frameBytes + 4 * frameBytes
    }

    /// Bytes that one picture of a video takes with its padding: the first one is decoded alone.
    private static func frameBytes(_ asset: VideoAsset) throws -> Int {
        var reader = FrameReader(asset, options: .threads(1))
        #expect(try reader.frame(numbered: 0).decodedPictureCount == 1)
        return reader.memory.cachedByteCount
    }

    /// Requests as people make them: jumps, and runs both ways at different speeds.
    private static func requests(_ count: Int, runs: Int, seed: UInt64) -> [Int] {
        var random = SplitMix(seed)
        return (0..<runs).flatMap { _ in
            let start = Int.random(in: 0..<count, using: &random)
            let step = Int.random(in: -3...3, using: &random)
            return (0..<Int.random(in: 1...10, using: &random)).map { start + $0 * step }
        }.filter { (0..<count).contains($0) }
    }

    private static func check(
        _ asset: VideoAsset, _ requests: [Int], cachedFrames: Int, decoders: Int, threads: Int
    ) throws {
        let frameBytes = try frameBytes(asset)
        let options = FrameReader.Options.threads(threads, decoders: decoders, cacheBytes: cachedFrames * frameBytes)
        let service = try FrameService(asset, options: options)
        for number in requests {
            #expect(try service.frame(numbered: number).verdict == .exact)
            #expect(service.memory.cachedByteCount <= options.cacheByteLimit, "#\(number)")
        }
        let memory = service.memory
        #expect(memory.peakByteCount <= bound(options, threads, frameBytes: frameBytes), "\(memory)")
        // The decoder's own pictures are counted at all.
        #expect(memory.peakByteCount >= frameBytes)
    }

    @Test(
        arguments: ["h264-bf3.mp4", "h264-one-key.mp4", "hevc-open-gop.mp4", "mpeg2-open.ts", "vp9-altref.webm"],
        [(0, 1, 1), (3, 1, 2), (12, 2, 2), (40, 4, 3)])
    func theBoundHolds(_ file: String, _ setting: (Int, Int, Int)) throws {
        let asset = try KnownClip(file).asset
        let requests = MemoryTests.requests(asset.frames.count, runs: 25, seed: UInt64(setting.0))
        try MemoryTests.check(
            asset, requests, cachedFrames: setting.0, decoders: setting.1, threads: setting.2)
    }

    /// Two seconds of 4K, or more.
    private static func largeFilm(
        in folder: TemporaryFolder, groupLength: Int, seconds: Int = 2
    ) throws -> VideoAsset {
        let path = folder.path + "/large.mp4"
        let made = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-nostdin", "-f", "lavfi", "-i", "testsrc2=size=3840x2160:rate=25:duration=\(seconds)",
                "-c:v",
                "libx264", "-preset", "ultrafast", "-bf", "2", "-g", "\(groupLength)", "-pix_fmt", "yuv420p", path,
            ])
        try #require(made.status == 0, "\(made.errors)")
        return try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
    }

    /// At a size where a picture too many would be felt.
    @Test func theBoundHoldsFor4K() throws {
        let folder = try TemporaryFolder()
        let asset = try MemoryTests.largeFilm(in: folder, groupLength: 16)
        let frameBytes = try MemoryTests.frameBytes(asset)
        let samples = 3840 * 2160 * 3 / 2
        #expect(frameBytes >= samples && frameBytes <= samples * 115 / 100)
        let requests = MemoryTests.requests(asset.frames.count, runs: 6, seed: 4)
        for (cached, decoders) in [(0, 1), (6, 2)] {
            try MemoryTests.check(asset, requests, cachedFrames: cached, decoders: decoders, threads: 2)
        }
    }

    /// Sheets of 10 x 10 thumbnails of a 4K film in five widths from one decoding. Only decoders hold large pictures,
    /// and at keyframe tolerance those hold one, with one that is made small and a reserve.
    @Test func theBoundHoldsForThumbnails() throws {
        let folder = try TemporaryFolder()
        let asset = try MemoryTests.largeFilm(in: folder, groupLength: 10, seconds: 4)
        let frameBytes = try MemoryTests.frameBytes(asset)
        for tolerance in [ThumbnailPlan.Request.Tolerance.exact, .keyframe] {
            var options = ThumbnailStrip.Options(ThumbnailPlan.Request(.count(100), tolerance: tolerance))
            (options.thumbnails.widths, options.thumbnails.threadCount) = ([48, 64, 96, 128, 160], 2)
            let report = try asset.writeStrip(into: folder.path + "/\(tolerance)", options: options)
            #expect(report.storyboards.count == 5)
            for board in report.storyboards {
                #expect(board.thumbnails.count == 100 && board.sheets.count == 1)
                #expect(
                    board.sheets[0].width == 10 * board.tileWidth && board.sheets[0].height == 10 * board.tileHeight)
            }
            let shown = Set(report.plan.slots.map(\.frameNumber)).count
            #expect(shown == (tolerance == .exact ? 100 : 10))
            let pictures = tolerance == .exact ? 2 * (17 + 1 + 2) + 4 : 2 * 3 + 4
            #expect(report.memory.peakByteCount <= pictures * frameBytes, "\(report.memory)")
            #expect(report.memory.peakByteCount >= frameBytes)
        }
    }

    /// The whole process's memory for a sheet does not grow with the number of thumbnails, except for the sheet itself.
    /// Measured are 10 and 400 of a 4K film in five widths, on sheets of 10 x 10, as the system counts it.
    @Test func aProcessDoesNotGrowWithItsThumbnails() throws {
        let folder = try TemporaryFolder()
        let asset = try MemoryTests.largeFilm(in: folder, groupLength: 10, seconds: 4)
        let frameBytes = try MemoryTests.frameBytes(asset)
        func peak(_ count: Int) throws -> Int {
            let output = folder.path + "/\(count)"
            let result = try Tool.run(
                "python3",
                [
                    "-c",
                    """
                    import resource, subprocess, sys
                    subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
                    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
                    """,
                    CommandTests.program, "strip", asset.path, "--count", "\(count)", "--width", "48,64,96,128,160",
                    "--tolerance", "keyframe", "--threads", "2", "--no-cache", "--output", output,
                ])
            try #require(result.status == 0, "\(result.errors)")
            return try #require(Int(result.output.trimmingCharacters(in: .whitespacesAndNewlines))) * 1024
        }
        let (few, many) = (try peak(10), try peak(400))
        // 10 x 10 of 160 x 90 in RGB: the canvas, its copy for the encoder and the file.
        let sheet = 1600 * 900 * 3
        #expect(many <= few + 3 * sheet + frameBytes, "\(few) \(many)")
        #expect(many >= frameBytes)
    }

    /// Pictures that callers keep are counted as long as they keep them, and no longer.
    @Test func picturesOfCallersAreCounted() throws {
        let asset = try KnownClip("h264-bf3.mp4").asset
        let frameBytes = try MemoryTests.frameBytes(asset)
        let service = try FrameService(asset, options: .threads(1, decoders: 1, cacheBytes: 0))
        var held: [FrameAnswer] = []
        for number in stride(from: 0, to: 100, by: 4) { held.append(try service.frame(numbered: number)) }
        #expect(service.memory.usedByteCount >= held.count * frameBytes)
        #expect(service.memory.cachedByteCount == 0)
        held = []
        #expect(
            service.memory.usedByteCount
                <= MemoryTests.bound(.threads(1, decoders: 1, cacheBytes: 0), 1, frameBytes: frameBytes))
    }
}
