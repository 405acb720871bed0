import Foundation
import Glibc
import ScrubBase
import ScrubLibAV
import ScrubMedia
import ScrubPlayersLogic
import ScrubTestSupport
import Testing

@testable import ScrubPlayers

/// Kept previews as players get them: of the very frame, never exact, and counted in the budget as long as they are
/// held.
@Suite struct PreviewPicturesTests {
    private typealias News = PipelineUpdate<FramePicture>

    private func film(_ folder: TemporaryFolder, keeps: Bool = true) throws -> VideoAsset {
        let bytes = try Data(contentsOf: URL(filePath: Repository.clips + "/h264-bf3.mp4"))
        let path = try folder.write(bytes, to: "film.mp4")
        try folder.age("film.mp4", to: 1_000_000_000)
        let cache = VideoAsset.IndexCache(path: folder.path(of: "cache"))
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: cache))
        if keeps { _ = try asset.keepPreviews() }
        return asset
    }

    @Test func aFrameHasItsPreviewInTheBudget() async throws {
        let folder = try TemporaryFolder()
        let asset = try film(folder)
        let budget = ScrubBudget()
        let (stream, continuation) = AsyncStream.makeStream(of: (Int, News).self)
        let pictures = PreviewPictures(asset, inside: nil, budget: budget) { ticket, news in
            continuation.yield((ticket, news))
            return true
        }
        #expect(budget.usedByteCount == 0, "nothing is opened before one is asked for")
        var answers = stream.makeAsyncIterator()
        for frame in [3, 40] {
            pictures.show(frame, ticket: frame + 1)
            let (ticket, news) = try #require(await answers.next())
            guard case .placeholder(let fed) = news, let image = fed.image else {
                Issue.record("\(news)")
                return
            }
            #expect(ticket == frame + 1 && fed.frame == frame && fed.verdict.name == "approximate")
            #expect(budget.bytes.lentByteCount == image.shared.byteCount && budget.heldByteCount == 0)
            image.handOut()
            #expect(budget.heldByteCount == image.shared.byteCount)
            // The decoded frame is near: the preview is of that number and no other.
            #expect(try difference(image, try exact(frame, asset)) < 3, "frame \(frame)")
        }
        #expect(budget.bytes.lentByteCount == 0)
        pictures.close()
        pictures.show(5, ticket: 9)
        for _ in 0..<200_000 where budget.usedByteCount > 0 { usleep(50) }
        #expect(budget.usedByteCount == 0)
        continuation.finish()
        #expect(await answers.next() == nil)
    }

    private func exact(_ frame: Int, _ asset: VideoAsset) throws -> FramePicture {
        var reader = FrameReader(asset)
        return try #require(try reader.frame(numbered: frame).picture)
    }

    private func difference(_ one: FramePicture, _ other: FramePicture) throws -> Double {
        let (a, b) = (try one.streamBytes(), try other.streamBytes())
        try #require(a.count == b.count && !a.isEmpty)
        return Double(zip(a, b).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }) / Double(a.count)
    }

    @Test func itFitsIntoTheSizeThatIsAskedFor() async throws {
        let folder = try TemporaryFolder()
        let (stream, continuation) = AsyncStream.makeStream(of: News.self)
        let pictures = PreviewPictures(try film(folder), inside: (64, 64), budget: nil) { _, news in
            continuation.yield(news)
            return true
        }
        pictures.show(5, ticket: 1)
        var answers = stream.makeAsyncIterator()
        guard case .placeholder(let fed) = await answers.next() else {
            Issue.record("no preview came")
            return
        }
        let image = try #require(fed.image)
        #expect(image.width <= 64 && image.height <= 64 && image.width > 32)
    }

    @Test func withoutKeptOnesThatIsTheAnswer() async throws {
        let folder = try TemporaryFolder()
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let pictures = PreviewPictures(try film(folder, keeps: false), inside: nil, budget: ScrubBudget()) { _, news in
            if case .withoutPreview(let frame) = news { continuation.yield(frame) }
            return true
        }
        var answers = stream.makeAsyncIterator()
        for frame in [5, 6, 7] {
            pictures.show(frame, ticket: 1)
            #expect(await answers.next() == frame)
        }
    }

    /// They are looked for beside the player; what is asked for meanwhile or later comes of the same file.
    @Test func theyAreOpenedBeforeTheFirstLateFrame() async throws {
        let folder = try TemporaryFolder()
        let budget = ScrubBudget()
        let (stream, continuation) = AsyncStream.makeStream(of: News.self)
        let pictures = PreviewPictures(try film(folder), inside: nil, budget: budget) { _, news in
            continuation.yield(news)
            return true
        }
        #expect(!pictures.isPrepared)
        for _ in 0..<2 { pictures.prepare() }
        while !pictures.isPrepared { await Task.yield() }
        #expect(budget.usedByteCount == 0, "nothing is made before one is asked for")
        try FileManager.default.removeItem(atPath: folder.path(of: "cache"))
        pictures.show(7, ticket: 1)
        var answers = stream.makeAsyncIterator()
        guard case .placeholder(let fed) = await answers.next() else {
            Issue.record("no preview came")
            return
        }
        #expect(fed.frame == 7)
    }

    /// They are for eyes: a small size asks for them at every rate, and a player's options may leave them out.
    @Test func theOptionsSayWhen() {
        var options = Player.Options()
        #expect(options.previewUse == .whenHard)
        options.preferredMaximumSize = .init(width: 640, height: 360)
        #expect(options.previewUse == .always)
        options.preferredMaximumSize = .init(width: 1280, height: 360)
        #expect(options.previewUse == .whenHard)
        options.showsKeptPreviews = false
        #expect(options.previewUse == .never)
    }
}
