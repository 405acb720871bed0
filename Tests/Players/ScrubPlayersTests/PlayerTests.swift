import ScrubPlayersLogic
import ScrubBase
import ScrubMedia
import ScrubPlayers
import Testing

@Suite struct PlayerTests {
    private static let ten = [
        ("h264-bf3.mp4", 100), ("hevc-open-gop.mkv", 100), ("av1-svt.webm", 120), ("vp9-altref.webm", 100),
        ("mpeg2-open.ts", 60),
        ("vfr.mp4", 60), ("h264-single.mp4", 1), ("mjpeg.mov", 15), ("rotate-90.mp4", 8), ("anim.gif", 30),
    ]

    @Test func `ten clips of different kinds play through, every frame once and in order`() async throws {
        let items = Self.ten.map { TestClips.item($0.0) }
        let player = try Player(items, timebase: .simulated(), resources: DecodingResources())
        let log = FrameLog()
        let presenter = log.presenter()
        player.attach(presenter)
        player.play()
        await wait(player) { $0.state == .ended }
        let expected = zip(items, Self.ten).flatMap { item, clip in (0..<clip.1).map { (item.id, $0) } }
        let shown = log.presented
        #expect(shown.count == expected.count)
        #expect(zip(shown, expected).allSatisfy { $0.item == $1.0 && $0.frame == $1.1 && $0.hasPicture })
        #expect(zip(shown, shown.dropFirst()).allSatisfy { $0.time <= $1.time })
        #expect(player.counters.dropped.totalCount == 0)
        #expect(player.counters.maximumTransitionTime == .zero)
        #expect(presenter.counters.presentedCount == expected.count)
        withExtendedLifetime(presenter) {}
    }

    @Test func `a loop of one clip shows it again and again`() async throws {
        let item = TestClips.item("h264-lossless.mp4", playCount: 100)
        let player = try Player([item], timebase: .simulated(), resources: DecodingResources())
        let log = FrameLog()
        let presenter = log.presenter()
        player.attach(presenter)
        player.play()
        await wait(player) { $0.state == .ended }
        #expect(log.presented.map(\.frame) == (0..<100).flatMap { _ in 0..<12 })
        withExtendedLifetime(presenter) {}
    }

    @Test func `a new list shows each item as often as it says`() async throws {
        let player = try Player(timebase: .simulated(), resources: DecodingResources())
        let log = FrameLog()
        let presenter = log.presenter()
        player.attach(presenter)
        let items = [
            TestClips.item("h264-lossless.mp4", playCount: 3), TestClips.item("rotate-90.mp4"),
            TestClips.item("h264-single.mp4", playCount: 2),
        ]
        #expect(player.replaceItems(with: items))
        player.play()
        await wait(player) { $0.state == .ended }
        let expected = zip(items, [12, 8, 1]).flatMap { item, count in
            (0..<item.playCount).flatMap { _ in (0..<count).map { _ in item.id } }
        }
        #expect(log.presented.map(\.item) == expected)
        withExtendedLifetime(presenter) {}
    }

    @Test func `an item begins where it says the first time, and at its beginning the second`() async throws {
        var item = TestClips.item("h264-lossless.mp4", playCount: 3)
        item.start = .frame(9)
        let player = try Player([item], timebase: .simulated(), resources: DecodingResources())
        let log = FrameLog()
        let presenter = log.presenter()
        player.attach(presenter)
        player.play()
        await wait(player) { $0.state == .ended }
        #expect(log.presented.map(\.frame) == Array(9..<12) + Array(0..<12) + Array(0..<12))
        withExtendedLifetime(presenter) {}
    }

    @Test func `it starts paused on the first frame, and seeks exactly`() async throws {
        let player = try Player(
            [TestClips.item("h264-bf3.mp4")], timebase: .simulated(), resources: DecodingResources())
        let log = FrameLog()
        let presenter = log.presenter()
        player.attach(presenter)
        await wait(player) { $0.state == .paused }
        #expect(player.currentFrameNumber == 0)
        #expect(try await player.seek(to: .frame(57)) == .landed)
        #expect(player.currentFrameNumber == 57)
        player.step(by: -1)
        await wait(player) { $0.currentFrameNumber == 56 }
        #expect(try await player.seek(to: .last) == .landed)
        #expect(log.presented.map(\.frame) == [0, 57, 56, 99])
        await #expect(throws: ScrubError.self) { try await player.seek(to: .frame(100)) }
        withExtendedLifetime(presenter) {}
    }

    @Test func `backward it shows the same frames, reversed`() async throws {
        let player = try Player(
            [TestClips.item("h264-open-gop.mp4")], timebase: .simulated(), resources: DecodingResources())
        let log = FrameLog()
        let presenter = log.presenter()
        await wait(player) { $0.state == .paused || $0.state == .preparing }
        player.rate = Rational(-1)
        _ = try await player.seek(to: .last)
        player.attach(presenter)
        player.play()
        await wait(player) { $0.state == .ended }
        #expect(log.presented.map(\.frame) == (0..<100).reversed().map { $0 })
        withExtendedLifetime(presenter) {}
    }

    @Test func `an item that cannot be played is told and passed over`() async throws {
        let items = [
            TestClips.item("h264-single.mp4"), TestClips.item("nothing-there.mp4"), TestClips.item("rotate-0.mp4"),
        ]
        let player = try Player(items, timebase: .simulated(), resources: DecodingResources())
        let failed = Locked<[PlayerItem.ID]>([])
        let observation = player.observe(.failed) { event in
            if case .failed(let item, _) = event { failed.withLock { $0.append(item) } }
        }
        let log = FrameLog()
        let presenter = log.presenter()
        player.attach(presenter)
        player.play()
        await wait(player) { $0.state == .ended }
        #expect(failed.withLock { $0 } == [items[1].id])
        #expect(log.presented.count == 9)
        withExtendedLifetime((presenter, observation)) {}
    }

    @Test func `edits while playing leave the current item alone`() async throws {
        let items = ["rotate-0.mp4", "rotate-90.mp4", "rotate-180.mp4"].map { TestClips.item($0) }
        let timebase = Timebase.manual()
        let player = try Player(items, timebase: timebase, resources: DecodingResources())
        let log = FrameLog()
        let presenter = log.presenter()
        player.attach(presenter)
        await wait(player) { $0.state == .paused }
        player.play()
        await timebase.advance(by: .milliseconds(100))
        let extra = TestClips.item("h264-single.mp4")
        #expect(player.insert(extra, after: items[0].id))
        #expect(!player.insert(extra, after: items[0].id))
        #expect(player.remove(items[1].id))
        #expect(player.currentItem?.id == items[0].id)
        await timebase.advance(by: .seconds(10))
        await wait(player) { $0.state == .ended }
        let shown = log.presented
        #expect(
            shown.map(\.item) == Array(repeating: items[0].id, count: 8) + [extra.id]
                + Array(repeating: items[2].id, count: 8))
        withExtendedLifetime(presenter) {}
    }
}
