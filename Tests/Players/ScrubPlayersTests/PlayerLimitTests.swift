import ScrubBase
import ScrubMedia
import ScrubPlayers
import Testing

/// Amounts that cannot be meant: options of a player are refused with an error, all others are misuse and trap.
@Suite struct PlayerLimitTests {
    private func refusal(_ change: (inout Player.Options) -> Void) throws -> ScrubError? {
        var options = Player.Options()
        change(&options)
        do {
            _ = try Player([], options: options, timebase: .simulated(), resources: DecodingResources())
            return nil
        } catch { return error }
    }

    @Test func `options that cannot be meant are refused`() throws {
        let wrong: [(String, (inout Player.Options) -> Void)] = [
            ("bufferByteLimit", { $0.bufferByteLimit = -1 }), ("backwardByteLimit", { $0.backwardByteLimit = -1 }),
            ("preferredForwardBufferDuration", { $0.preferredForwardBufferDuration = .nanoseconds(-1) }),
            ("maximumFrameRate", { $0.maximumFrameRate = .zero }),
            ("maximumFrameRate", { $0.maximumFrameRate = Rational(-60) }),
            ("threadCount", { $0.threadCount = 0 }), ("threadCount", { $0.threadCount = -2 }),
        ]
        for (name, change) in wrong {
            let error = try #require(try refusal(change), "\(name)")
            #expect(error.code == .usage && error.cause.contains("Player.Options.\(name) is "), "\(error)")
            #expect(error.advice?.hasPrefix("use ") == true)
        }
        let right: [(inout Player.Options) -> Void] = [
            { ($0.bufferByteLimit, $0.backwardByteLimit) = (0, 0) },
            { $0.preferredForwardBufferDuration = .zero }, { $0.threadCount = 1 },
            { ($0.maximumFrameRate, $0.threadCount) = (nil, nil) },
        ]
        for change in right { #expect(try refusal(change) == nil) }
    }

    @Test func `with nothing to spare two pictures still are ahead, and all are shown`() async throws {
        var options = Player.Options()
        (options.bufferByteLimit, options.backwardByteLimit) = (0, 0)
        options.preferredForwardBufferDuration = .zero
        let player = try Player(
            [TestClips.item("rotate-0.mp4")], options: options, timebase: .simulated(), resources: DecodingResources())
        let presenter = Presenter()
        player.attach(presenter)
        player.play()
        await wait(player) { $0.state == .ended }
        #expect(presenter.counters.presentedCount == 8)
    }

    @Test func `a repeat count below one counts as one`() {
        var item = TestClips.item("rotate-0.mp4", playCount: -3)
        #expect(item.playCount == 1)
        item.playCount = 0
        #expect(item.playCount == 1)
        item.playCount = 7
        #expect(item.copy().playCount == 7)
    }

    @Test func `limits that cannot be meant trap`() async {
        await #expect(processExitsWith: .failure) { _ = DecoderPool(limit: 0) }
        await #expect(processExitsWith: .failure) { _ = AccessLog(entryLimit: -1) }
        await #expect(processExitsWith: .failure) { _ = ScrubBudget(byteLimit: 0) }
        await #expect(processExitsWith: .failure) { _ = DecodingResources(byteLimit: 0) }
        await #expect(processExitsWith: .failure) { _ = DecodingResources(byteLimit: 1, decoderLimit: 0) }
        await #expect(processExitsWith: .failure) { _ = PlayerControllerManager(controllerLimit: -1) }
        await #expect(processExitsWith: .failure) { _ = Player.Options.MaximumSize(width: 0, height: 1) }
        await #expect(processExitsWith: .failure) { await Timebase.manual().advance(by: .seconds(-1)) }
        await #expect(processExitsWith: .failure) { await Timebase.simulated().advance(by: .seconds(1)) }
        await #expect(processExitsWith: .success) {
            _ = (DecoderPool(limit: 1), AccessLog(entryLimit: 0), ScrubBudget(byteLimit: 1))
            _ = PlayerControllerManager(
                controllerLimit: 0, resources: DecodingResources(byteLimit: 1, decoderLimit: 1))
        }
    }
}
