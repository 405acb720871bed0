import ScrubPlayersLogic
import ScrubBase
import ScrubMedia
import Testing

@testable import ScrubPlayers

/// Every clip of the test data through a player: the very pictures of ffmpeg's linear decode, each once.
@Suite struct PlayerClipTests {
    private func play(_ clip: ManifestClip, backward: Bool) async throws -> [CollectingSink.Record] {
        let census = Census()
        let sink = CollectingSink()
        do {
            var options = Player.Options()
            (options.pacePolicy, options.threadCount) = (.wait, 2)
            let timebase = Timebase.simulated()
            let player = try Player([], options: options, timebase: timebase, resources: census.resources)
            census.note(player)
            if backward { player.rate = Rational(-1) }
            player.append(PlayerItem(clip.media))
            let output = try SinkOutput(sink, of: player)
            player.play()
            try await output.waitUntilFinished()
            #expect(player.state == .ended)
            #expect(player.counters.dropped.totalCount == 0 && player.counters.stallCount == 0)
        }
        await census.reachesZero()
        return sink.records
    }

    private func check(_ part: Int, backward: Bool) async throws {
        for (number, clip) in ManifestClip.good.enumerated() where number % 4 == part {
            let hashes = try clip.hashes()
            let records = try await play(clip, backward: backward)
            let order = backward ? Array((0..<clip.frames).reversed()) : Array(0..<clip.frames)
            #expect(records.map(\.frame) == order, "\(clip.file)")
            #expect(records.map(\.hash) == order.map { $0 < hashes.count ? hashes[$0] : nil }, "\(clip.file)")
            #expect(
                zip(records, records.dropFirst()).allSatisfy { $0.presentationTime <= $1.presentationTime },
                "\(clip.file)")
            #expect(records.allSatisfy { $0.verdict == .exact }, "\(clip.file)")
        }
    }

    @Test(arguments: 0..<4) func `forward each clip's frames are ffmpeg's`(part: Int) async throws {
        #expect(ManifestClip.good.count > 190)
        try await check(part, backward: false)
    }

    @Test(arguments: 0..<4) func `backward they are the same, reversed`(part: Int) async throws {
        try await check(part, backward: true)
    }

    @Test func `damaged and refused clips end, and say why`() async throws {
        for clip in ManifestClip.all where clip.kind != "good" {
            for backward in [false, true] {
                let census = Census()
                do {
                    var options = Player.Options()
                    options.pacePolicy = .wait
                    let player = try Player([], options: options, timebase: .simulated(), resources: census.resources)
                    census.note(player)
                    if backward { player.rate = Rational(-1) }
                    let media = clip.media
                    player.append(PlayerItem(media))
                    let log = FrameLog()
                    let presenter = log.presenter()
                    player.attach(presenter)
                    player.play()
                    await wait(player) { player in
                        switch player.state {
                        case .ended, .failed: true
                        default: false
                        }
                    }
                    if clip.kind == "damaged" {
                        #expect(player.state == .ended, "\(clip.file)")
                        let frames = try #require(media.asset).frames.indices
                        #expect(
                            log.presented.map(\.frame) == (backward ? frames.reversed() : Array(frames)), "\(clip.file)"
                        )
                    } else if player.state == .ended {
                        Issue.record("\(clip.file) was played")
                    }
                    withExtendedLifetime(presenter) {}
                }
                await census.reachesZero()
            }
        }
    }
}
