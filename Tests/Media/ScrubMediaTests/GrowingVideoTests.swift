import Foundation
import ScrubMedia
import ScrubTestClips
import Testing

/// Recordings that are followed through a file.
@Suite struct GrowingVideoTests {
    /// A file that is written piece by piece.
    private struct Recording {
        let path: String
        let bytes: [UInt8]

        init(_ clip: String) throws {
            bytes = Array(try Data(contentsOf: URL(filePath: Clip.folder + "/clips/" + clip)))
            path = NSTemporaryDirectory() + UUID().uuidString + "-" + clip
            try Data().write(to: URL(filePath: path))
        }

        func write(_ range: Range<Int>) throws {
            let file = try FileHandle(forWritingTo: URL(filePath: path))
            try file.seekToEnd()
            try file.write(contentsOf: bytes[range])
            try file.close()
        }

        func remove() { try? FileManager.default.removeItem(atPath: path) }
    }

    private let options = VideoAsset.OpenOptions(cache: .none)

    @Test(arguments: ["frag.mp4", "h264-open-gop.mkv", "hevc-open-gop.mkv", "live.webm", "av1-svt.mkv", "h264-bf3.ts"])
    func picturesOfSnapshotsAreThoseOfTheWholeFile(_ clip: String) throws {
        let known = try KnownClip(clip)
        let recording = try Recording(clip)
        defer { recording.remove() }
        let video = try GrowingVideo(path: recording.path, options: options)
        #expect(video.asset == nil)
        var (count, seen) = (0, 0)
        let piece = recording.bytes.count / 9 + 1
        while count < recording.bytes.count {
            let end = min(recording.bytes.count, count + piece)
            try recording.write(count..<end)
            count = end
            let step = count == recording.bytes.count ? try video.finish() : try video.extend()
            #expect(!step.isRevised)
            #expect(step.frames.lowerBound == seen)
            seen = step.frames.upperBound
            guard let asset = step.asset else { continue }
            var reader = FrameReader(asset)
            // The newest ones, and one that was known before.
            for number in Set(step.frames.suffix(3) + [seen / 2, 0]).sorted() {
                let answer = try reader.frame(numbered: number)
                #expect(answer.verdict == .exact)
                #expect(try answer.picture?.md5() == known.hashes[number], "\(clip) #\(number) of \(seen)")
            }
        }
        #expect(video.isFinished)
        #expect(seen == known.hashes.count)
        #expect(try video.extend().frames.isEmpty)
    }

    @Test func aFileThatIsCutReplacedOrRemovedIsAnError() throws {
        for harm in ["cut", "overwritten", "replaced", "removed"] {
            let recording = try Recording("frag.mp4")
            defer { recording.remove() }
            try recording.write(0..<25_000)
            let video = try GrowingVideo(path: recording.path, options: options)
            let asset = try #require(video.asset)
            let file = URL(filePath: recording.path)
            switch harm {
            case "cut": try Data(recording.bytes[..<9000]).write(to: file, options: [])
            case "overwritten":
                let handle = try FileHandle(forWritingTo: file)
                try handle.write(contentsOf: [UInt8](repeating: 7, count: 26_000))
                try handle.close()
            case "replaced": try Data(recording.bytes[..<26_000]).write(to: file, options: .atomic)
            default: try FileManager.default.removeItem(at: file)
            }
            let error = #expect(throws: ScrubError.self) { _ = try video.extend() }
            #expect(error?.description.contains(recording.path) == true)
            #expect(
                error?.description.contains("while it was being followed") == true || harm == "overwritten"
                    || harm == "cut")
            #expect(video.asset === asset)
        }
    }

    @Test func positionsAreCertainWhenNothingCanComeBefore() throws {
        let recording = try Recording("h264-open-gop.mkv")
        defer { recording.remove() }
        try recording.write(0..<recording.bytes.count / 2)
        let video = try GrowingVideo(path: recording.path, options: options)
        let count = try #require(video.asset?.frames.count)
        #expect(try video.certainFrame(at: .first)?.number == 0)
        #expect(try video.certainFrame(at: .last) == nil)
        #expect(try video.certainFrame(at: .fraction(Rational(1, 2))) == nil)
        #expect(try video.certainFrame(at: .frame(count - 1))?.number == count - 1)
        #expect(try video.certainFrame(at: .frame(count)) == nil)
        #expect(try video.certainFrame(at: .time(Rational(1_000_000))) == nil)
        try recording.write(recording.bytes.count / 2..<recording.bytes.count)
        #expect(try video.extend().isFinished)
        #expect(try video.certainFrame(at: .last) != nil)
    }

    @Test func theStreamOfExtensionsEnds() async throws {
        let recording = try Recording("h264-open-gop.mkv")
        defer { recording.remove() }
        try recording.write(0..<recording.bytes.count / 2)
        let video = try await GrowingVideo.open(path: recording.path, options: options)
        var seen = 0
        for try await step in video.extensions(interval: .milliseconds(1), patience: nil) {
            #expect(step.frames.lowerBound == seen)
            if seen == 0 { try recording.write(recording.bytes.count / 2..<recording.bytes.count) }
            seen = step.frames.upperBound
        }
        #expect(seen == video.asset?.frames.count)
        #expect(video.isFinished)
        // A late listener gets all at once.
        var steps = 0
        for try await step in video.extensions() {
            #expect(step.frames == 0..<seen)
            steps += 1
        }
        #expect(steps == 1)
    }

    @Test func nothingForAWhileIsTheEnd() async throws {
        let recording = try Recording("h264-bf3.ts")
        defer { recording.remove() }
        try recording.write(0..<recording.bytes.count)
        let video = try await GrowingVideo.open(path: recording.path, options: options)
        var last: GrowingVideo.Extension?
        for try await step in video.extensions(interval: .milliseconds(1), patience: .milliseconds(5)) { last = step }
        #expect(last?.isFinished == true)
        #expect(last?.asset?.frames.count == (try KnownClip("h264-bf3.ts").hashes.count))
    }

    @Test func aFollowerCanBeCancelled() async throws {
        let recording = try Recording("h264-open-gop.mkv")
        defer { recording.remove() }
        try recording.write(0..<recording.bytes.count / 2)
        let video = try await GrowingVideo.open(path: recording.path, options: options)
        let task = Task {
            for try await _ in video.extensions(interval: .seconds(3600), patience: nil) {}
        }
        task.cancel()
        // It ends, however long it would have slept.
        _ = await task.result
    }

    @Test func aFileWithoutVideoIsReportedAtTheEnd() throws {
        let path = NSTemporaryDirectory() + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(repeating: 65, count: 5000).write(to: URL(filePath: path))
        let video = try GrowingVideo(path: path, options: options)
        #expect(video.asset == nil)
        #expect(throws: ScrubError.self) { _ = try video.finish() }
        #expect(throws: ScrubError.self) { _ = try GrowingVideo(path: path + "-none", options: options) }
    }
}
