import ScrubBase
import ScrubLibAV
import ScrubMedia
import Testing

@testable import ScrubPlayers

/// The pictures that players drop while memory is scarce.
@Suite struct PlayerMemoryTests {
    @Test func `pressure lets go of what is ahead, and plenty brings it back`() async throws {
        let timebase = Timebase.manual()
        let manager = PlayerControllerManager(timebase: timebase)
        let controller = try manager.controller(for: TestClips.media("h264-bf3.mp4"))
        let player = controller.player
        let log = FrameLog()
        let presenter = log.presenter()
        controller.attach(presenter)
        func ahead() -> Int { player.core.state.withLock { $0.machine.situation(at: $0.lastNow).bufferedFrames } }
        await until("it is ready") { ahead() == 8 }
        let before = manager.resources.budget?.usedByteCount ?? 0
        let levels = Locked<[MemoryPressureMonitor.Level]>([])
        let observation = player.observe(.memoryPressure) { event in
            if case .memoryPressure(let level) = event { levels.withLock { $0.append(level) } }
        }
        manager.respond(to: .warning)
        #expect(ahead() == 2 && presenter.frame?.picture != nil)
        await until("its pictures are let go of") { manager.resources.openDecoderCount == 0 }
        #expect((manager.resources.budget?.usedByteCount ?? 0) < before)
        manager.respond(to: .normal)
        await until("it decodes ahead again") { ahead() == 8 }
        await until("both are told") { levels.withLock { $0 } == [.warning, .normal] }
        controller.play()
        await timebase.advance(by: .milliseconds(500))
        manager.respond(to: .critical)
        #expect(ahead() <= 2)
        await timebase.advance(by: .seconds(10))
        await until("all are told") { log.presented.count >= 100 }
        #expect(log.presented.map(\.frame) == Array(0..<100), "no frame is lost")
        withExtendedLifetime(observation) {}
    }

    @Test func `held is what the app holds, not what waits to be shown`() async throws {
        let manager = PlayerControllerManager(timebase: .manual())
        let budget = try #require(manager.resources.budget)
        let controller = try manager.controller(for: TestClips.media("h264-bf3.mp4"))
        let player = controller.player
        let presenter = Presenter()
        controller.attach(presenter)
        func ahead() -> Int { player.core.state.withLock { $0.machine.situation(at: $0.lastNow).bufferedFrames } }
        await until("it is ready") { ahead() == 8 && presenter.frame?.kind == .presented }
        let one = try #require(presenter.frame?.picture).shared.byteCount
        #expect(budget.heldByteCount == one && budget.usedByteCount >= 9 * one)
        // An app that keeps a frame holds it, when the screen has gone on, too.
        var kept = presenter.frame
        controller.play()
        await player.timebase.advance(by: .milliseconds(100))
        await until("two are held") { budget.heldByteCount == 2 * one }
        #expect(kept?.frame.number == 0)
        kept = nil
        await until("one is held") { budget.heldByteCount == one }
        presenter.resign()
        manager.removeAllControllers()
    }
}
