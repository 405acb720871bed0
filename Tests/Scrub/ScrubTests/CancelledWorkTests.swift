import Foundation
import Scrub
import ScrubTestSupport
import Testing

/// Work that blocks ends between two packets when its task is cancelled, also where nothing was handed on.
@Suite struct CancelledWorkTests {
    private func film(in folder: TemporaryFolder) throws -> VideoAsset {
        let path = folder.path(of: "film.mp4")
        let made = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-nostdin", "-f", "lavfi", "-i", "mandelbrot=s=160x90:r=25", "-frames:v", "2000", "-c:v",
                "libx264", "-preset", "ultrafast", "-g", "1000", "-pix_fmt", "yuv420p", path,
            ])
        try #require(made.status == 0, "\(made.errors)")
        return try VideoAsset(path: path, options: OpenOptions(cache: .none))
    }

    /// The task is cancelled by the report of its first pictures: it goes no further than that.
    @Test func scenesAndPostersEnd() async throws {
        let folder = try TemporaryFolder()
        let video = try film(in: folder)
        let task = Handover<Task<Int, any Error>>(capacity: 1)
        let last = Locked(0)
        let work = Task {
            try await BlockingWork.run { _ in
                guard let own = task.pop() else { return 0 }
                return try video.scenes(.init()) { done, _ in
                    last.withLock { $0 = done }
                    if done == 8 { own.cancel() }
                }.scenes.count
            }
        }
        _ = task.push(work)
        await #expect(throws: CancellationError.self) { try await work.value }
        #expect((8..<200).contains(last.withLock { $0 }))
    }

    /// Sixteen that are cancelled make room: the seventeenth is answered.
    @Test func cancelledWorkBlocksNoOtherCall() async throws {
        let folder = try TemporaryFolder()
        let video = try film(in: folder)
        let looked = Locked(0)
        let tasks = (0..<16).map { number in
            Task {
                try await BlockingWork.run { _ in
                    var options = SceneOptions()
                    options.threadCount = 1
                    return number.isMultiple(of: 2)
                        ? try video.scenes(options) { _, _ in looked.withLock { $0 += 1 } }.scenes.count
                        : try video.posters().posters.count
                }
            }
        }
        for task in tasks { task.cancel() }
        #expect(try await BlockingWork.run { _ in 17 } == 17)
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        #expect(looked.withLock { $0 } < 8 * 2000)
    }
}
