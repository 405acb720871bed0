import Foundation
import ScrubPlayersLogic
import ScrubBase
import ScrubMedia
import ScrubPlayers
import Testing

/// Frames that are decoded ahead, several videos at once, lists. docs/player-requirements.md says which row each test
/// shows.
@Suite struct SeedPlayingTests {
    private func player(
        _ items: [PlayerItem], _ options: Player.Options = .init(), timebase: Timebase = .manual(), decoders: Int = 4
    ) throws -> Player {
        try Player(
            items, options: options, timebase: timebase,
            resources: DecodingResources(decoders: DecoderPool(limit: decoders)))
    }

    // MARK: Decoded ahead

    @Test func `as much is decoded ahead as was preferred, within its bytes`() async throws {
        for (seconds, bytes, expected) in [(nil, 64 << 20, 8), (1, 64 << 20, 25), (2, 64 << 20, 50), (2, 1, 2)] {
            var options = Player.Options()
            options.preferredForwardBufferDuration = seconds.map { .seconds($0) }
            options.bufferByteLimit = bytes
            let player = try player([TestClips.item("h264-bf3.mp4")], options)
            #expect(!player.isLikelyToKeepUp)
            await until { player.bufferedDuration >= Rational(Int64(expected), 25) }
            #expect(player.isLikelyToKeepUp && player.bufferedDuration == Rational(Int64(expected), 25))
        }
    }

    @Test func `pictures are no larger than was preferred`() async throws {
        var options = Player.Options()
        options.preferredMaximumSize = .init(width: 80, height: 80)
        let player = try player([TestClips.item("h264-bf3.mp4")], options)
        let sizes = Locked<[Int]>([])
        let presenter = Presenter { frame in
            sizes.withLock { $0.append(max(frame.picture?.width ?? .max, frame.picture?.height ?? .max)) }
        }
        player.attach(presenter)
        player.play()
        await player.timebase.advance(by: .seconds(5))
        #expect(sizes.withLock { $0 } == Array(repeating: 80, count: 100))
        withExtendedLifetime(presenter) {}
    }

    // MARK: Several at once

    @Test func `nine go in step, with four decoders`() async throws {
        let timebase = Timebase.manual()
        let decoders = DecoderPool(limit: 4)
        let players = try (0..<9).map { _ in
            try Player(
                [TestClips.item("h264-bf3.mp4")], timebase: timebase, resources: DecodingResources(decoders: decoders))
        }
        let log = FrameLog()
        let presenters = players.map { player in
            let presenter = log.presenter()
            player.attach(presenter)
            return presenter
        }
        let group = PlayerGroup(players)
        try await group.play()
        await timebase.advance(by: .seconds(10))
        // The first frames were there before; from then on all show a frame before any shows the next one.
        let shown = log.presented.filter { $0.frame > 0 }.map(\.frame)
        #expect(shown == (1..<100).flatMap { Array(repeating: $0, count: 9) })
        #expect(presenters.allSatisfy { $0.counters.presentedCount == 100 })
        #expect(decoders.peakAttachedCount <= 4)
    }

    @Test func `players of one clock are independent`() async throws {
        let timebase = Timebase.manual()
        let (one, two) = (
            try player([TestClips.item("h264-bf3.mp4")], timebase: timebase),
            try player([TestClips.item("h264-bf3.mp4")], timebase: timebase)
        )
        let presenters = (Presenter(), Presenter())
        one.attach(presenters.0)
        two.attach(presenters.1)
        await wait(one) { $0.isLikelyToKeepUp }
        await wait(two) { $0.isLikelyToKeepUp }
        two.rate = Rational(2)
        one.play()
        two.play()
        await timebase.advance(by: .seconds(1))
        #expect(one.currentFrameNumber == 25 && two.currentFrameNumber == 50)
        one.pause()
        await timebase.advance(by: .milliseconds(500))
        #expect(one.currentFrameNumber == 25 && one.state == .paused && two.currentFrameNumber == 75)
        try await one.seek(to: .frame(3))
        #expect(one.currentFrameNumber == 3 && two.currentFrameNumber == 75 && two.state == .playing)
        withExtendedLifetime(presenters) {}
    }

    @Test func `a loop has no gap`() async throws {
        let player = try player([TestClips.item("rotate-0.mp4")])
        player.repeatMode = .one
        let log = FrameLog()
        let presenter = log.presenter()
        player.attach(presenter)
        await wait(player) { $0.isLikelyToKeepUp }
        let duration = try #require(player.duration)
        player.play()
        await player.timebase.advance(by: .seconds(20))
        let shown = log.presented
        #expect(shown.count > 24 && shown.enumerated().allSatisfy { $1.frame == $0 % 8 })
        for (first, again) in zip(shown, shown.dropFirst(8)) { #expect(again.time == first.time.adding(duration)) }
        #expect(player.counters.maximumTransitionTime == .zero && player.counters.dropped.totalCount == 0)
        withExtendedLifetime(presenter) {}
    }

    @Test func `a poster is shown until the first picture`() async throws {
        let still = TestClips.media("rotate-90.mp4")
        try await still.load(.poster)
        let source = try ClosedSource("h264-bf3.mp4")
        let media = PlayerMedia(
            source: source, name: "late.mp4", poster: still.poster, options: TestClips.options)
        for claimsFirst in [true, false] {
            let player = try player([PlayerItem(TestClips.media("h264-single.mp4")), PlayerItem(media)])
            let log = FrameLog()
            let presenter = log.presenter()
            if claimsFirst { player.attach(presenter) }
            player.advanceToNextItem()
            if !claimsFirst { player.attach(presenter) }
            await until { log.all.last?.kind == .poster }
            #expect(presenter.frame?.kind == .poster && presenter.frame?.picture != nil)
            #expect(player.state == .preparing)
            if claimsFirst { continue }
            source.open()
            await wait(player) { $0.state == .paused }
            #expect(presenter.frame?.kind == .presented && presenter.frame?.verdict == .exact)
            #expect(log.presented.map(\.frame) == [0] && presenter.counters.presentedCount == 1)
        }
    }

    @Test func `advertisements play, and then the film continues where it was`() async throws {
        let film = TestClips.item("h264-bf3.mp4")
        let advertisement = TestClips.item("rotate-0.mp4")
        let player = try player([film])
        let log = FrameLog()
        let presenter = log.presenter()
        player.attach(presenter)
        await wait(player) { $0.isLikelyToKeepUp }
        player.play()
        await player.timebase.advance(by: .milliseconds(1210))
        #expect(player.currentFrameNumber == 30)
        #expect(player.interrupt(with: [advertisement]))
        #expect(!player.interrupt(with: [advertisement]))
        #expect(player.items.map(\.id) == [film.id])
        await player.timebase.advance(by: .seconds(10))
        let shown = log.presented
        #expect(shown.filter { $0.item == advertisement.id }.map(\.frame) == Array(0..<8))
        // The frame that was on screen comes again, and then the rest.
        #expect(shown.filter { $0.item == film.id }.map(\.frame) == Array(0...30) + Array(30..<100))
        #expect(player.state == .ended)
        withExtendedLifetime(presenter) {}
    }

    // MARK: Where bytes come from

    @Test func `a source of one's own plays, and what is encrypted says so`() async throws {
        let source = try ClosedSource("h264-bf3.mp4")
        source.open()
        let own = PlayerItem(PlayerMedia(source: source, name: "own.mp4", options: TestClips.options))
        let player = try player([own, TestClips.item("refused-encrypted.mp4")], timebase: .simulated())
        let failures = Locked<[ScrubError]>([])
        let observation = player.observe(.failed) { event in
            if case .failed(_, let error) = event { failures.withLock { $0.append(error) } }
        }
        let log = FrameLog()
        let presenter = log.presenter()
        player.attach(presenter)
        player.play()
        await wait(player) { $0.state == .ended }
        #expect(log.presented.map(\.frame) == Array(0..<100))
        let error = try #require(failures.withLock { $0.first })
        #expect(error.code == .badData && "\(error)".contains("encrypted"))
        withExtendedLifetime((presenter, observation)) {}
    }
}

/// The bytes of a clip, which cannot be read before it is opened.
final class ClosedSource: ByteSource {
    private let bytes: [UInt8]
    private let isOpen = NSCondition()
    private let flag = Locked(false)

    init(_ name: String) throws {
        bytes = Array(try Data(contentsOf: URL(filePath: TestClips.folder + "/" + name)))
    }

    var byteCount: Int64 { Int64(bytes.count) }

    func open() {
        isOpen.lock()
        flag.withLock { $0 = true }
        isOpen.broadcast()
        isOpen.unlock()
    }

    func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        isOpen.lock()
        while !flag.withLock({ $0 }) { isOpen.wait() }
        isOpen.unlock()
        let piece = bytes[Int(offset)...].prefix(buffer.count)
        buffer.copyBytes(from: piece)
        return piece.count
    }
}
