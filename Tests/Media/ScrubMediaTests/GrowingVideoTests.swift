import Foundation
import ScrubBase
import ScrubFileIO
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

    /// A recording in memory, whose reads a test can hold.
    private final class HeldRecording: GrowingMedium {
        /// A place at which reads wait.
        struct Hold: Sendable {
            /// Whether only a pass of libavformat waits, which has a thread of its own.
            let isForPasses: Bool
            let begun = BoundedAsyncQueue<Void>(capacity: 1)
            let gate = BoundedQueue<Void>(capacity: 1)
        }

        private struct Snapshot: ByteSource {
            let bytes: [UInt8]
            let count: Int
            let recording: HeldRecording

            var byteCount: Int64 { Int64(count) }

            func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
                recording.wait()
                guard offset < byteCount else { return 0 }
                let part = bytes[Int(offset)..<count].prefix(buffer.count)
                buffer.copyBytes(from: part)
                return part.count
            }
        }

        let path: String
        let idleTime = Duration.zero
        let isClosed = false
        private let bytes: [UInt8]
        private let count: Locked<Int>
        private let held = Locked<Hold?>(nil)

        /// A recording of which the first half is there.
        init(_ clip: String) throws {
            path = clip
            bytes = Array(try Data(contentsOf: URL(filePath: Clip.folder + "/clips/" + clip)))
            count = Locked(bytes.count / 2)
        }

        func snapshot() throws(ScrubError) -> MediaSource {
            let count = self.count.withLock { $0 }
            return try MediaSource(Snapshot(bytes: bytes, count: count, recording: self), name: path)
        }

        /// Adds the other half.
        func grow() {
            let whole = bytes.count
            count.withLock { $0 = whole }
        }

        /// Holds reads from now on.
        func hold(isForPasses: Bool) -> Hold {
            let hold = Hold(isForPasses: isForPasses)
            held.withLock { $0 = hold }
            return hold
        }

        /// Lets all reads go on.
        func release() { held.exchange(\.self, for: nil)?.gate.close() }

        private func wait() {
            guard let hold = held.withLock({ $0 }) else { return }
            if hold.isForPasses, Cancellation.current != nil { return }
            _ = hold.begun.offer(())
            _ = hold.gate.pop()
        }
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

    @Test func theUpdatesEnd() async throws {
        let recording = try Recording("h264-open-gop.mkv")
        defer { recording.remove() }
        try recording.write(0..<recording.bytes.count / 2)
        let video = try await GrowingVideo.open(path: recording.path, options: options)
        var seen = 0
        for try await step in video.updates(interval: .milliseconds(1), patience: nil) {
            #expect(step.frames.lowerBound == seen)
            if seen == 0 { try recording.write(recording.bytes.count / 2..<recording.bytes.count) }
            seen = step.frames.upperBound
        }
        #expect(seen == video.asset?.frames.count)
        #expect(video.isFinished)
        // A late reader gets all at once, and each iterator follows on its own.
        let updates = video.updates()
        var steps = 0
        for _ in 0..<2 {
            for try await step in updates {
                #expect(step.frames == 0..<seen)
                steps += 1
            }
        }
        #expect(steps == 2)
    }

    @Test func nothingForAWhileIsTheEnd() async throws {
        let recording = try Recording("h264-bf3.ts")
        defer { recording.remove() }
        try recording.write(0..<recording.bytes.count)
        let video = try await GrowingVideo.open(path: recording.path, options: options)
        var last: GrowingVideo.Update?
        for try await step in video.updates(interval: .milliseconds(1), patience: .milliseconds(5)) { last = step }
        #expect(last?.isFinished == true)
        #expect(last?.asset?.frames.count == (try KnownClip("h264-bf3.ts").hashes.count))
    }

    @Test func aFollowerCanBeCancelled() async throws {
        let recording = try Recording("h264-open-gop.mkv")
        defer { recording.remove() }
        try recording.write(0..<recording.bytes.count / 2)
        let video = try await GrowingVideo.open(path: recording.path, options: options)
        let task = Task {
            for try await _ in video.updates(interval: .seconds(3600), patience: nil) {}
        }
        task.cancel()
        // It ends, however long it would have slept.
        _ = await task.result
    }

    /// A part that was cancelled is reported by the next call, and by no other. A call that waits for it ends at once.
    @Test(arguments: ["h264-open-gop.mkv", "frag.mp4", "h264-bf3.ts"])
    func aCancelledPartIsReportedByTheNextCall(_ clip: String) async throws {
        let known = try KnownClip(clip)
        let recording = try HeldRecording(clip)
        let video = try GrowingVideo(recording, options: options)
        let first = video.asset?.frames.count ?? 0
        recording.grow()
        let hasPass = clip.hasSuffix(".ts")
        let hold = recording.hold(isForPasses: hasPass)
        let task = Task { try await video.extend() }
        _ = await hold.begun.next()
        let waiting = Task { try await video.extend() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { _ = try await waiting.value }
        task.cancel()
        // A pass of libavformat is not waited for; other reads end with the one that is held.
        if !hasPass { recording.release() }
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        recording.release()
        #expect(video.asset?.frames.count ?? 0 == first && !video.isFinished)
        let next = try await video.extend()
        #expect(next.frames.lowerBound == first && next.frames.upperBound > first && !next.isRevised)
        let last = try await video.finish()
        #expect(last.frames.lowerBound == next.frames.upperBound)
        #expect(last.frames.upperBound == known.hashes.count && last.isFinished)
        #expect(try await video.extend().frames.isEmpty)
        let asset = try #require(last.asset)
        for number in [0, first, known.hashes.count - 1] {
            let answer = try await FrameGenerator(asset).frame(at: .frame(number))
            #expect(try known.problem(answer) == nil)
        }
    }

    /// An end that was cancelled is not the end.
    @Test func aCancelledEndIsNotTheEnd() async throws {
        let known = try KnownClip("h264-bf3.ts")
        let recording = try HeldRecording("h264-bf3.ts")
        let video = try GrowingVideo(recording, options: options)
        let first = video.asset?.frames.count ?? 0
        recording.grow()
        let hold = recording.hold(isForPasses: true)
        let task = Task { try await video.finish() }
        _ = await hold.begun.next()
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        recording.release()
        #expect(!video.isFinished)
        let last = try await video.finish()
        #expect(last.frames == first..<known.hashes.count && last.isFinished)
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
