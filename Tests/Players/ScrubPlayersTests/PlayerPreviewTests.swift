import Foundation
import ScrubBase
import ScrubMedia
import ScrubMediaLogic
import ScrubPlayersLogic
import ScrubTestSupport
import Testing

@testable import ScrubPlayers

/// A player whose decoder is always late, with the film's kept previews, on a clock that the test moves.
@Suite struct PlayerPreviewTests {
    /// A lane that has the exact picture of the frame that it begins at, and of no other. Previews are the real ones.
    private final class LateLane: PlayerPipeline {
        private let asset: VideoAsset
        private let deliver: PlayerPipelineFactory.Deliver
        private let previews: PreviewPictures

        /// - Parameter made: told the frames whose previews were delivered.
        init(
            _ asset: VideoAsset, deliver: @escaping PlayerPipelineFactory.Deliver,
            made: @escaping @Sendable (Int) -> Void
        ) {
            (self.asset, self.deliver) = (asset, deliver)
            previews = PreviewPictures(asset, inside: nil, budget: nil) { ticket, news in
                let goesOn = deliver(ticket, news)
                if case .placeholder(let fed) = news { made(fed.frame) }
                return goesOn
            }
        }

        func start(ticket: Int, at frame: Int, _ direction: PlaybackDirection, stride: Int, isLookAhead: Bool) {
            previews.prepare()
            let (asset, deliver) = (asset, deliver)
            Task.detached {
                let answer = try await FrameGenerator(asset).frame(at: .frame(frame))
                _ = deliver(
                    ticket,
                    .frame(FedPicture(frame: frame, image: answer.picture, verdict: answer.verdict, decodedCount: 1)))
            }
        }

        func preview(ticket: Int, of frame: Int) { previews.show(frame, ticket: ticket) }
        func close() { previews.close() }
        func promote() {}
        func resume(ticket: Int, isAhead: Bool) {}
        func stop() {}
        func detach() {}
    }

    /// Backward each frame's own preview is on screen at its time; the pause brings the exact picture of the last one.
    @Test func lateFramesBackwardAreShownAsTheirPreviews() async throws {
        let folder = try TemporaryFolder()
        let asset = try film(folder)
        let (made, makes) = AsyncStream.makeStream(of: Int.self)
        let (shown, shows) = AsyncStream.makeStream(of: PlayerFrame.self)
        var (previews, frames) = (made.makeAsyncIterator(), shown.makeAsyncIterator())
        let clock = ScrubTransport.ManualClock(nanoseconds: 1_000_000_000)
        let timebase = Timebase(clock: clock)
        func move(to time: Int64) {
            clock.advance(by: .nanoseconds(time - clock.nanoseconds))
            // It looks at the clock.
            timebase.perform { _ in }
        }
        let player = try Player(
            [], options: .init(), timebase: timebase, resources: DecodingResources(),
            laneMaker: PlayerPipelineFactory { asset, _, _, _, deliver in
                LateLane(asset, deliver: deliver) { makes.yield($0) }
            })
        let presenter = Presenter { shows.yield($0) }
        player.rate = -1
        player.attach(presenter)
        #expect(player.replaceItems(with: [PlayerItem(PlayerMedia(asset))]))
        player.play()
        let last = asset.frames.count - 1
        let first = try #require(await frames.next())
        #expect(first.frame.number == last && first.kind == .presented && first.verdict == .exact)

        let start = clock.nanoseconds
        for number in (last - 12..<last).reversed() {
            // A frame is on screen from the beginning of the one after it, seen backward.
            let span = try #require(
                Rational(asset.frames[last].offset - asset.frames[number].offset)
                    .multiplied(by: asset.frames[last].timeBase)?.multiplied(by: Rational(1_000_000_000)))
            let due = start + span.numerator / span.denominator
            move(to: due - 11_000_000)
            #expect(await previews.next() == number)
            move(to: due + 1_000)
            let preview = try #require(await frames.next())
            #expect(preview.frame.number == number && preview.kind == .nearest)
            #expect(preview.verdict.name == "approximate")
            let (own, other) = (try exact(number, asset), try exact(number - 20, asset))
            let image = try #require(preview.picture)
            let (near, far) = (try difference(image, own), try difference(image, other))
            #expect(near < 3 && near < far, "frame \(number)")
        }
        player.pause()
        let still = try #require(await frames.next())
        #expect(still.frame.number == last - 12 && still.kind == .presented && still.verdict == .exact)
        #expect(try still.picture?.md5() == exact(last - 12, asset).md5())
        #expect(player.currentFrameNumber == last - 12)
        let counters = player.counters
        #expect(counters.previewCount == 12 && counters.presentedCount == 2 && counters.stallCount == 0)
        #expect(
            counters.dropped.totalCount == 0 && counters.unseenCount == 0
                && counters.maximumLateness <= .nanoseconds(1_001))
        withExtendedLifetime(presenter) {}
    }

    private func film(_ folder: TemporaryFolder) throws -> VideoAsset {
        let bytes = try Data(contentsOf: URL(filePath: Repository.clips + "/h264-bf3.mp4"))
        let path = try folder.write(bytes, to: "film.mp4")
        try folder.age("film.mp4", to: 1_000_000_000)
        let cache = VideoAsset.IndexCache(path: folder.path(of: "cache"))
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: cache))
        _ = try asset.keepPreviews()
        return asset
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
}
