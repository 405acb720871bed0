import Foundation
import ScrubThumbnails
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Long work ends with its task, counted in pictures and not in seconds, and keeps nothing else waiting.
///
/// One after the other: two of them take all threads that long calls have.
@Suite(.serialized) struct CancelledWorkTests {
    private func film(in folder: TemporaryFolder) throws -> VideoAsset {
        let path = folder.path(of: "film.mp4")
        let made = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-nostdin", "-f", "lavfi", "-i", "mandelbrot=s=160x90:r=25", "-frames:v", "2000", "-c:v",
                "libx264", "-preset", "ultrafast", "-g", "1000", "-pix_fmt", "yuv420p", path,
            ])
        try #require(made.status == 0, "\(made.errors)")
        return try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
    }

    /// Cancels a piece of work from its own progress, and tells how far it went.
    ///
    /// - Parameter stop: the report of progress that cancels it.
    /// - Returns: the number of the work's reports of progress.
    private func reports(
        cancelledAt stop: Int,
        _ work: @escaping @Sendable (_ told: @escaping @Sendable () -> Void) async throws -> Void
    ) async -> Int {
        let own = BoundedQueue<Task<Void, any Error>>(capacity: 1)
        let count = Locked(0)
        let task = Task {
            try await work {
                let now = count.withLock { count -> Int in
                    count += 1
                    return count
                }
                if now == stop { own.pop()?.cancel() }
            }
        }
        _ = own.push(task)
        await #expect(throws: CancellationError.self) { try await task.value }
        return count.withLock { $0 }
    }

    /// Pictures that were on their way when it was cancelled: some for each decoder, and not the film.
    private var onTheWay: Int { 8 * (Processors.count + 1) }

    @Test func longCallsGoNoFurther() async throws {
        let folder = try TemporaryFolder()
        let video = try film(in: folder)
        let scenes = await reports(cancelledAt: 8) { told in _ = try await video.scenes { _ in told() } }
        #expect((8...8 + onTheWay).contains(scenes))
        var many = Poster.Options()
        (many.count, many.candidateCount) = (200, 200)
        let posters = await reports(cancelledAt: 2) { [many] told in
            _ = try await video.posterReport(options: many) { _ in told() }
        }
        #expect((2...2 + onTheWay).contains(posters))
        let sheet = await reports(cancelledAt: 3) { told in _ = try await video.contactSheet { _ in told() } }
        #expect((3...3 + onTheWay).contains(sheet))
        let strip = await reports(cancelledAt: 3) { told in
            let options = ThumbnailStrip.Options(ThumbnailPlan.Request(.count(500)))
            _ = try await video.writeStrip(into: folder.path + "/strip", options: options) { _ in told() }
        }
        #expect((3...3 + onTheWay).contains(strip))
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/strip/manifest.json"))
    }

    /// Counting and proving look at one frame after the other: the next one is not begun.
    @Test func countsAndProofsStopAtOnce() async throws {
        let folder = try TemporaryFolder()
        let video = try film(in: folder)
        let info = await reports(cancelledAt: 2) { told in
            _ = try await video.info(includesSeekCost: true) { _ in told() }
        }
        #expect(info == 2)
        #expect(await reports(cancelledAt: 2) { told in _ = try await video.verify { _ in told() } } == 2)
        // A count that was broken off is not taken for the whole.
        #expect(try await video.info(includesSeekCost: true).seekCost.frameCount == 2000)
    }

    /// Sixteen scenes that have begun, and more that wait: everything else is answered meanwhile.
    @Test func longCallsKeepNothingWaiting() async throws {
        let folder = try TemporaryFolder()
        let video = try film(in: folder)
        let begun = BoundedAsyncQueue<Void>(capacity: 16)
        let gate = BoundedQueue<Void>(capacity: 1)
        defer { gate.close() }
        var options = VideoScene.Options()
        options.threadCount = 1
        let scenes = (0..<17).map { _ in
            Task { [options] in
                let isFirst = Locked(true)
                return try await video.scenes(options: options) { _ in
                    guard
                        isFirst.withLock({ first in
                            defer { first = false }; return first
                        })
                    else { return }
                    begun.push(())
                    _ = gate.pop()
                }
            }
        }
        for _ in 0..<16 { _ = await begun.next() }

        let again = try await VideoAsset.open(path: video.path, options: VideoAsset.OpenOptions(cache: .none))
        let generator = try FrameGenerator(again)
        #expect(try await generator.frame(at: .frame(700)).verdict == .exact)
        #expect(try await generator.image(at: .frame(701)).pixels.width == 160)
        #expect(try await again.info().frameCount == 2000)
        #expect(try await again.thumbnailPlan(for: ThumbnailPlan.Request(.count(10))).slots.count == 10)
        #expect(try await again.info().seekCost.frameCount > 0)

        // The seventeenth has no thread yet. Nothing of it is done, and its task does not wait.
        for task in scenes { task.cancel() }
        gate.close()
        for task in scenes { await #expect(throws: CancellationError.self) { try await task.value } }
        #expect(try await again.posterReport().posters.count == 1)
    }

    @Test func workThatWaitsEndsAtOnce() async throws {
        let begun = BoundedAsyncQueue<Void>(capacity: 16)
        let gate = BoundedQueue<Void>(capacity: 1)
        defer { gate.close() }
        let blockers = (0..<16).map { _ in
            Task {
                try await BlockingWork.run(.long) {
                    begun.push(())
                    _ = gate.pop()
                }
            }
        }
        for _ in 0..<16 { _ = await begun.next() }
        let waiting = Task { try await BlockingWork.run(.long) { Issue.record("it has begun") } }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        gate.close()
        for task in blockers { try await task.value }
    }

    /// A result that no other call has is returned, even to a task that was cancelled meanwhile.
    @Test func aKeptResultIsReturned() async throws {
        let begun = BoundedAsyncQueue<Void>(capacity: 1)
        let gate = BoundedQueue<Void>(capacity: 1)
        let threads = BlockingThreads(limit: 1)
        let task = Task {
            try await BlockingWork.run(on: threads, keepsResult: true) { () -> Bool in
                begun.push(())
                _ = gate.pop()
                return Cancellation.isCurrentCancelled
            }
        }
        _ = await begun.next()
        // What waits for the thread has no result.
        let waiting = Task { try await BlockingWork.run(on: threads, keepsResult: true) { Issue.record("begun") } }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        task.cancel()
        gate.close()
        #expect(try await task.value)
    }

    /// A set that is being written ends with its task, and the task gets a `CancellationError`.
    @Test func workEndsWithItsTask() async throws {
        let folder = try TemporaryFolder()
        let video = try await VideoAsset.open(
            path: Clip.folder + "/clips/h264-bf3.mp4", options: VideoAsset.OpenOptions(cache: .none))
        let begun = BoundedAsyncQueue<Void>(capacity: 1)
        let task = Task {
            try await BlockingWork.run(.long) {
                try video.writeStrip(
                    into: folder.path + "/set", options: ThumbnailStrip.Options(ThumbnailPlan.Request(.count(50)))
                ) {
                    _ in
                    begun.push(())
                    while !Cancellation.isCurrentCancelled {}
                }
            }
        }
        _ = await begun.next()
        begun.leave()
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/set/manifest.json"))
    }
}
