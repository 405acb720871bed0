import CScrubFFmpeg
import Foundation
import Scrub
import ScrubBase
import ScrubTestClips
import Testing

/// FFmpeg's log, as a program has it that imports Scrub. Each test is a process of its own, for there is one log in it.
@Suite struct LibAVLogTests {
    private static func generator(_ clip: String) async throws -> FrameGenerator {
        let video = try await VideoAsset.open(
            path: Clip.folder + "/clips/" + clip, options: VideoAsset.OpenOptions(cache: .none))
        return try FrameGenerator(video)
    }

    private static func write(_ level: Int32, _ text: String) { withVaList([]) { av_vlog(nil, level, text, $0) } }

    @Test func levelsAreFFmpegs() {
        let levels = [
            AV_LOG_PANIC, AV_LOG_FATAL, AV_LOG_ERROR, AV_LOG_WARNING, AV_LOG_INFO, AV_LOG_VERBOSE, AV_LOG_DEBUG,
            AV_LOG_TRACE,
        ]
        #expect(LibAVLog.Level.allCases.map(\.rawValue) == levels)
        #expect(LibAVLog.Level.error < .warning)
    }

    @Test func aHandlerGetsMessagesOfScrubsAndOfTheProgramsOwn() async {
        await #expect(processExitsWith: .success) {
            let messages = Locked([LibAVLog.Message]())
            func take() -> [LibAVLog.Message] {
                messages.withLock { messages in
                    defer { messages = [] }
                    return messages
                }
            }
            LibAVLog.setHandler(upTo: .error) { message in messages.withLock { $0.append(message) } }
            LibAVLogTests.write(AV_LOG_ERROR, "the program's own\n")
            LibAVLogTests.write(AV_LOG_WARNING, "not wanted\n")
            let own = take()
            #expect(own.map(\.text) == ["the program's own"])
            #expect(own.first?.level == .error && own.first?.component == nil && own.first?.isFromScrub == false)

            let generator = try await LibAVLogTests.generator("damaged-h264.mp4")
            for number in 0..<generator.asset.frames.count { _ = try await generator.frame(at: .frame(number)) }
            let scrubs = take()
            #expect(scrubs.contains { $0.isFromScrub && $0.component == "h264" })
            #expect(scrubs.allSatisfy { $0.isFromScrub && $0.level <= .error && !$0.text.hasSuffix("\n") })

            LibAVLog.setHandler(nil)
            LibAVLogTests.write(AV_LOG_ERROR, "printed\n")
            #expect(take() == [])
        }
    }

    /// What a callback of the program's own gets Scrub does not hear, so nothing proves that a frame is exact.
    @Test func noVerdictIsExactWhileTheProgramHasTheCallback() async {
        await #expect(processExitsWith: .success) {
            let generator = try await LibAVLogTests.generator("h264-bf3.mp4")
            let first = try await generator.frame(at: .frame(10))
            #expect(first.verdict == .exact)
            av_log_set_callback { _, _, _, _ in }
            let others = try await LibAVLogTests.generator("h264-bf3.mp4")
            for generator in [generator, others] {
                let answer = try await generator.frame(at: .frame(60))
                #expect(answer.verdict != .exact && answer.verdict.reason?.contains("setHandler") == true)
                #expect(answer.picture != nil)
            }
            LibAVLog.setHandler(nil)
            let again = try await others.frame(at: .frame(80))
            #expect(again.verdict == .exact)
        }
    }
}
