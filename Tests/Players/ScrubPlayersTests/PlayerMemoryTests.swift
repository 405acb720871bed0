import ScrubBase
import ScrubMedia
import Testing

@testable import ScrubPlayers

/// What players let go of while memory is scarce.
@Suite struct PlayerMemoryTests {
    @Test func `pressure lets go of what is ahead, and plenty brings it back`() async throws {
        let timebase = Timebase.manual()
        let manager = PlayerControllerManager(timebase: timebase)
        let controller = try manager.controller(for: TestClips.media("h264-bf3.mp4"))
        let player = controller.player
        let log = FrameLog()
        let presenter = log.presenter()
        controller.claim(presenter)
        func ahead() -> Int { player.core.state.withLock { $0.machine.situation(at: $0.lastNow).bufferedFrames } }
        await until("it is ready") { ahead() == 8 }
        let before = manager.resources.budget?.heldByteCount ?? 0
        let levels = Locked<[MemoryPressureLevel]>([])
        let observation = player.observe(.memoryPressure) { event in
            if case .memoryPressure(let level) = event { levels.withLock { $0.append(level) } }
        }
        manager.respond(to: .warning)
        #expect(ahead() == 2 && presenter.frame?.picture != nil)
        await until("its pictures are let go of") { manager.resources.decoders.attachedCount == 0 }
        #expect((manager.resources.budget?.heldByteCount ?? 0) < before)
        manager.respond(to: .normal)
        await until("it decodes ahead again") { ahead() == 8 }
        #expect(levels.withLock { $0 } == [.warning, .normal])
        controller.play()
        await timebase.advance(by: .milliseconds(500))
        manager.respond(to: .critical)
        #expect(ahead() <= 2)
        await timebase.advance(by: .seconds(10))
        #expect(log.presented.map(\.frame) == Array(0..<100), "no frame is lost")
        withExtendedLifetime(observation) {}
    }
}
