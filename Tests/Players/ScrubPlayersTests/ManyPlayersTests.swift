import Foundation
import ScrubPlayersLogic
import ScrubBase
import ScrubMedia
import ScrubTestSupport
import Testing

@testable import ScrubPlayers

/// Many media, few decoders.
@Suite struct ManyPlayersTests {
    private static let small = [
        "rotate-0.mp4", "rotate-90-mirror.mp4", "h264-gray.mp4", "vp9-10.webm", "av1-10.mp4", "h264-sar-4-3.mp4",
        "h264-single.mp4",
        "colour-pq.mp4", "h264-lossless.mp4", "hevc-444-12.mp4",
    ]

    /// Plays so many media at once and lets each present a number of frames.
    ///
    /// - Parameter isOneByOne: whether each shows its first frame before the next one is made.
    private func play(
        _ count: Int, on timebase: Timebase, _ policy: PacePolicy, frames: Int, rounds: Int = 1,
        byteLimit: Int = 128 << 20, isOneByOne: Bool = false
    ) async throws {
        let census = Census(
            DecodingResources(decoders: DecoderPool(limit: 4), budget: ScrubBudget(byteLimit: byteLimit)))
        let failures = Locked<[String]>([])
        do {
            var options = Player.Options()
            (options.pacePolicy, options.threadCount, options.backwardByteLimit) = (policy, 1, 4 << 20)
            var players: [(player: Player, log: FrameLog, presenter: Presenter, observation: Player.Observation)] = []
            for number in 0..<count {
                let player = try Player(
                    [TestClips.item(Self.small[number % Self.small.count])], options: options, timebase: timebase,
                    resources: census.resources)
                census.note(player)
                player.repeatMode = .all
                let log = FrameLog()
                let presenter = log.presenter()
                census.note(presenter)
                player.attach(presenter)
                let observation = player.observe(.failed) { event in
                    failures.withLock { $0.append("\(number): \(event)") }
                }
                players.append((player, log, presenter, observation))
                if isOneByOne {
                    await until("player \(number): \(player.summary)", { player.counters.presentedCount == 1 })
                }
            }
            for entry in players { entry.player.play() }
            for round in 1...rounds {
                await until(
                    "all advance, round \(round): \(players.map(\.player.counters.presentedCount)), the last is \(slowest(players.map(\.player)))",
                    {
                        players.allSatisfy { $0.player.counters.presentedCount >= frames * round }
                            || !failures.withLock { $0.isEmpty }
                    }, progress: { players.reduce(0) { $0 &+ $1.player.counters.presentedCount } })
            }
            // They advance in turn: none is shut out.
            #expect(failures.withLock { $0 } == [])
            for entry in players {
                let shown = entry.log.presented.map(\.frame)
                let total = entry.player.core.state.withLock { $0.loaded.values.first?.times.frameCount ?? 0 }
                if policy == .wait { #expect(shown == (0..<shown.count).map { $0 % total }) }
                #expect(entry.log.presented.allSatisfy { $0.hasPicture })
            }
            for entry in players { entry.player.pause() }
        }
        await census.reachesZero()
        let resources = census.resources
        #expect(resources.peakDecoderCount <= 4)
        if let budget = resources.budget { #expect(budget.peakByteCount <= budget.byteLimit) }
    }

    /// Returns the state of the player that presented the least.
    private func slowest(_ players: [Player]) -> String {
        players.min { $0.counters.presentedCount < $1.counters.presentedCount }?.summary ?? ""
    }

    @Test func `six media advance with four decoders`() async throws {
        try await play(6, on: .simulated(), .wait, frames: 60)
        try await play(6, on: .realTime, .drop, frames: 10)
    }

    @Test func `a hundred media advance in turn with four decoders, on simulated time`() async throws {
        try await play(100, on: .simulated(), .wait, frames: 12)
    }

    /// Their queues alone would take more than 100 MiB, and one picture on screen and an awaited one, of each, take 28.
    /// Pictures ahead of their time leave room for those, because time stands while anyone waits.
    @Test func `a hundred media advance in turn where memory is scarce`() async throws {
        try await play(100, on: .simulated(), .wait, frames: 12, byteLimit: 36 << 20)
    }

    /// The first players have decoded ahead as much as there is room for, and are paused. A player that comes later
    /// gets its picture from what they do not show yet; then all play.
    @Test(arguments: [Timebase.realTime, .simulated()])
    func `a player that comes later finds memory`(timebase: Timebase) async throws {
        try await play(40, on: timebase, .wait, frames: 12, byteLimit: 16 << 20, isOneByOne: true)
    }

    @Test func `a hundred media advance in turn with four decoders, in real time`() async throws {
        try await play(100, on: .realTime, .drop, frames: 6)
    }

    @Test func `nine small clips on one clock stay in step for a minute`() async throws {
        let census = Census(
            DecodingResources(decoders: DecoderPool(limit: 4), budget: ScrubBudget(byteLimit: 128 << 20)))
        do {
            let timebase = Timebase.manual()
            var options = Player.Options()
            (options.pacePolicy, options.threadCount) = (.wait, 1)
            let shown = Locked<[Int: [(frame: Int, at: Int64)]]>([:])
            var players: [Player] = []
            var presenters: [Presenter] = []
            // One clip of 12 frames, and all of them alike: at any moment all show the same frame.
            for number in 0..<9 {
                let player = try Player(
                    [TestClips.item("h264-lossless.mp4")], options: options, timebase: timebase,
                    resources: census.resources)
                census.note(player)
                player.repeatMode = .all
                let presenter = Presenter { [weak timebase] frame in
                    let now = timebase?.nanoseconds ?? 0
                    if frame.kind == .presented {
                        shown.withLock { $0[number, default: []].append((frame.frame.number, now)) }
                    }
                }
                player.attach(presenter)
                players.append(player)
                presenters.append(presenter)
            }
            for player in players { await wait(player) { $0.state == .paused } }
            for player in players { player.play() }
            for _ in 0..<60 { await timebase.advance(by: .seconds(1)) }
            let all = shown.withLock { $0 }
            let first = try #require(all[0])
            #expect(first.count > 1400)
            for number in 1..<9 {
                let other = try #require(all[number])
                #expect(other.map(\.frame) == first.map(\.frame))
                // Within half a frame of each other, on the clock: here exactly.
                #expect(other.map(\.at) == first.map(\.at))
            }
            #expect(players.allSatisfy { $0.counters.stallCount == 0 && $0.counters.dropped.totalCount == 0 })
            withExtendedLifetime(presenters) {}
        }
        await census.reachesZero()
        #expect(census.resources.peakDecoderCount <= 4)
    }
}
