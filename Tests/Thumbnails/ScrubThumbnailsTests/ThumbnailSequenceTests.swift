import Foundation
import ScrubBase
import ScrubPictures
import ScrubTestClips
import ScrubTestSupport
import Testing

@testable import ScrubThumbnails

/// Thumbnails in memory: a strip's pictures, in its order, and no more of them than the reader takes.
@Suite struct ThumbnailSequenceTests {
    /// The bytes of a film, which count what is read of them.
    private final class CountedSource: ByteSource {
        private let bytes: [UInt8]
        private let count = Locked(0)

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        var byteCount: Int64 { Int64(bytes.count) }
        var readByteCount: Int { count.withLock { $0 } }

        func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            let part = bytes[Int(offset)...].prefix(buffer.count)
            buffer.copyBytes(from: part)
            count.withLock { $0 += part.count }
            return part.count
        }
    }

    /// A film of key pictures alone: in decode order they are in their own.
    private func film(in folder: TemporaryFolder, frames: Int) throws -> String {
        let path = folder.path(of: "film.mp4")
        let made = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-nostdin", "-f", "lavfi", "-i", "mandelbrot=s=320x180:r=25", "-frames:v", "\(frames)",
                "-c:v", "libx264", "-preset", "ultrafast", "-g", "1", "-pix_fmt", "yuv420p", path,
            ])
        try #require(made.status == 0, "\(made.errors)")
        return path
    }

    private static func pixels(_ path: String) throws -> [UInt8] {
        [UInt8](
            try Tool.run("ffmpeg", ["-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]).bytes)
    }

    /// The pixels are those of a strip's sheets, in every size, and all other facts are the strip's too.
    @Test(
        arguments: ["h264-bf3.mp4", "h264-open-gop.mp4", "hevc-open-gop.mp4", "h264-one-key.mp4", "rotate-90.mp4"],
        [ThumbnailPlan.Request.Tolerance.exact, .keyframe])
    func picturesAreThoseOfAStrip(_ file: String, _ tolerance: ThumbnailPlan.Request.Tolerance) async throws {
        let clip = try KnownClip(file)
        let request = ThumbnailPlan.Request(.count(13), tolerance: tolerance)
        let scratch = TemporaryFolder.unmade()
        var options = ThumbnailStrip.Options(request)
        options.thumbnails.sizes = [.width(48), .width(32)]
        // A column of thumbnails is their bytes, one after another.
        (options.sheets.columns, options.sheets.rows, options.sheets.format) = (1, 13, .png)
        let strip = try await clip.asset.writeStrip(into: scratch.path, options: options)
        var columns: [[UInt8]] = []
        for (size, board) in zip(options.thumbnails.sizes, strip.storyboards) {
            let sheet = try #require(board.sheets.first)
            columns.append(try Self.pixels("\(scratch.path)/\(size.name)/\(sheet.name)"))
        }
        var slots: [ThumbnailPlan.Slot] = []
        for try await thumbnail in clip.asset.thumbnails(for: request, options: options.thumbnails, layout: .rgb8) {
            let number = thumbnail.slot.index
            slots.append(thumbnail.slot)
            #expect(thumbnail.images.count == 2 && !thumbnail.isFromPreview)
            #expect(thumbnail.verdict.name == strip.storyboards[0].thumbnails[number].verdict, "\(number)")
            for (image, column) in zip(thumbnail.images, columns) {
                let count = 3 * image.width * image.height
                #expect(image.layout == .rgb8 && image.bytes.count == count)
                #expect(column.dropFirst(number * count).prefix(count).elementsEqual(image.bytes), "\(number)")
            }
        }
        #expect(slots == strip.plan.slots)
    }

    /// Thumbnails of one frame are one picture, and each iteration is the same.
    @Test func repeatsAreEqual() async throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let request = ThumbnailPlan.Request(.every(Rational(1, 8)), tolerance: .keyframe)
        let thumbnails = clip.asset.thumbnails(for: request)
        var last: Thumbnails.Element?
        var (bytes, repeats) = ([[UInt8]](), 0)
        for try await thumbnail in thumbnails {
            let image = try #require(thumbnail.images.first)
            #expect(image.layout == .rgba8 && image.width == 320)
            if thumbnail.slot.isRepeat {
                repeats += 1
                #expect(image.bytes == last?.images.first?.bytes)
            }
            bytes.append(image.bytes)
            last = thumbnail
        }
        #expect(repeats > 0)
        var again: [[UInt8]] = []
        for try await thumbnail in thumbnails { again += thumbnail.images.map(\.bytes) }
        #expect(again == bytes)
    }

    /// However the frames arrive, thumbnails are in their slots' order, and only what is still needed is held.
    @Test func slotsAreInTheirOrder() {
        var random = SplitMix(7)
        for _ in 0..<60 {
            let count = Int.random(in: 1...14, using: &random)
            let frames = (0..<count).map { _ in Int.random(in: 0..<20, using: &random) }
            let slots = frames.enumerated().map { number, frame in
                ThumbnailPlan.Slot(
                    index: number, requestedTime: .zero, start: .zero, end: .zero, requestedFrameNumber: frame,
                    frameNumber: frame,
                    time: .zero, isOutside: false, isRepeat: false)
            }
            var queue = ThumbnailSlotQueue(slots[...])
            #expect(queue.frames == Set(frames).sorted())
            var order: [Int] = []
            for frame in queue.frames.shuffled(using: &random) {
                let image = RasterImage(
                    width: 1, height: 1, channels: 3, bitDepth: 8, bytes: [UInt8(frame), 0, 0], color: .sRGB)
                let answer = ThumbnailAnswer(frame: frame, verdict: .exact, images: [image], hash: nil, warnings: [])
                queue.take(frame, ThumbnailSlotQueue.Made(answer, .rgb8))
                while let thumbnail = queue.next() {
                    #expect(thumbnail.images.first?.bytes.first == UInt8(thumbnail.slot.frameNumber))
                    order.append(thumbnail.slot.index)
                }
            }
            #expect(order == Array(frames.indices) && queue.heldCount == 0)
        }
    }

    /// The decoder makes what the reader has room for, and waits.
    @Test(arguments: [1, 3]) func aSlowReaderMakesTheDecoderWait(_ threadCount: Int) async throws {
        let folder = try TemporaryFolder()
        let video = try VideoAsset.opened(try film(in: folder, frames: 200))
        var options = ThumbnailPlan.Options()
        (options.sizes, options.threadCount) = ([.width(64)], threadCount)
        let request = ThumbnailPlan.Request(.count(100))
        var thumbnails = video.thumbnails(for: request, options: options).makeAsyncIterator()
        #expect(thumbnails.madeCount == 0, "nothing is decoded before it is wanted")
        var taken = 0
        while try await thumbnails.next() != nil {
            taken += 1
            // Those that were taken, two that wait, and one that finds no room.
            let most = min(100, taken + ThumbnailSeriesWork.ahead + 1)
            while thumbnails.madeCount < most { await Task.yield() }
            for _ in 0..<5 { await Task.yield() }
            #expect(thumbnails.madeCount == most)
        }
        #expect(taken == 100)
    }

    /// When the iterator goes, its decoders stop reading, and nothing keeps the video.
    @Test func leavingStopsTheDecoders() async throws {
        let folder = try TemporaryFolder()
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: try film(in: folder, frames: 200))))
        /// The bytes that are read before the loop is left, and after it.
        func readByteCounts(taking limit: Int) async throws -> (before: Int, after: Int) {
            var options = ThumbnailPlan.Options()
            (options.sizes, options.threadCount) = ([.width(64)], 1)
            let source = CountedSource(bytes)
            weak var left: VideoAsset?
            var (opened, before) = (0, 0)
            do {
                let video = try await VideoAsset.open(source: source, name: "film", options: .init(cache: .none))
                left = video
                opened = source.readByteCount
                var taken = 0
                for try await _ in video.thumbnails(for: ThumbnailPlan.Request(.count(200)), options: options) {
                    taken += 1
                    if taken == limit { break }
                }
                before = source.readByteCount
                #expect(taken == limit)
            }
            // Its thread is the last to hold it.
            while left != nil { await Task.yield() }
            return (before - opened, source.readByteCount - before)
        }
        // Planning reads headers all over the film. What counts is what is read after the loop was left.
        let whole = try await readByteCounts(taking: 200)
        let part = try await readByteCounts(taking: 3)
        #expect(part.before < whole.before && part.after < whole.before / 4, "\(part) of \(whole)")
    }

    @Test func itEndsWithItsTask() async throws {
        let folder = try TemporaryFolder()
        let video = try VideoAsset.opened(try film(in: folder, frames: 200))
        let taken = Locked(0)
        let task = Task {
            for try await _ in video.thumbnails(for: ThumbnailPlan.Request(.count(200))) {
                let isThird = taken.withLock { taken in
                    taken += 1
                    return taken == 3
                }
                if isThird { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(taken.withLock { $0 } == 3)
    }

    /// Each series has a thread of its own: however many readers have stopped reading, others get their thumbnails.
    @Test func readersThatPauseKeepNoneWaiting() async throws {
        let video = try KnownClip("h264-bf3.mp4").asset
        var options = ThumbnailPlan.Options()
        options.threadCount = 1
        let request = ThumbnailPlan.Request(.count(20))
        let thumbnails = video.thumbnails(for: request, options: options)
        var paused = (0..<20).map { _ in thumbnails.makeAsyncIterator() }
        for place in paused.indices {
            let first = try await paused[place].next()
            #expect(first?.slot.index == 0)
        }
        var count = 0
        for try await _ in thumbnails { count += 1 }
        #expect(count == 20)
        #expect(try await video.scenes().isEmpty == false)
        for place in paused.indices {
            let second = try await paused[place].next()
            #expect(second?.slot.index == 1)
        }
    }

    /// A frame without a picture has its place, and says why; a wrong request is an error.
    @Test func whatCannotBeMade() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "large.mp4")
        let made = try Tool.run(
            "ffmpeg",
            ["-v", "error", "-nostdin", "-f", "lavfi", "-i", "color=s=1600x1200:c=red", "-frames:v", "1", path])
        try #require(made.status == 0, "\(made.errors)")
        var limited = VideoAsset.OpenOptions(cache: .none)
        limited.pictureByteLimit = 1 << 20
        let video = try await VideoAsset.open(path: path, options: limited)
        var verdicts: [Verdict] = []
        for try await thumbnail in video.thumbnails(for: ThumbnailPlan.Request(.count(1))) {
            #expect(thumbnail.images.isEmpty)
            verdicts.append(thumbnail.verdict)
        }
        #expect(verdicts.map(\.name) == ["undecodable"])
        var thumbnails = video.thumbnails(for: ThumbnailPlan.Request(.count(0))).makeAsyncIterator()
        do {
            _ = try await thumbnails.next()
            Issue.record("no thumbnails are a request")
        } catch let error as ScrubError {
            #expect(error.code == .usage)
        }
        #expect(try await thumbnails.next() == nil)
    }
}

extension VideoAsset {
    /// Opens a file without a saved index.
    fileprivate static func opened(_ path: String) throws -> VideoAsset {
        try VideoAsset(path: path, options: OpenOptions(cache: .none))
    }
}
