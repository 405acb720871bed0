import Foundation
import ScrubPlayersLogic
import ScrubBase
import ScrubMedia
import ScrubTestSupport
import Testing

@testable import ScrubPlayers

/// Whatever is asked of a player: it never stops the program, and always comes to an end.
@Suite struct PlayerAbuseTests {
    private static let rates = [
        Rational(0), Rational(1, 3), Rational(-1, 3), Rational(16), Rational(-16), Rational(1), Rational(-1),
        Rational(.max),
        Rational(-.max), Rational(1, .max), Rational(-1, .max), Rational(.max, .max - 1), Rational(1_000_003, 999_983),
    ]
    private static let files = [
        "rotate-0.mp4", "h264-single.mp4", "vfr.mp4", "h264-lossless.mp4", "nothing-there.mp4", "refused-text.mp4",
        "damaged-h264.mp4",
        "h264-gray.mp4", "colour-pq.mp4", "damaged-flush.mp4",
    ]
    private static let positions: [FramePosition] = [
        .first, .last, .frame(0), .frame(7), .frame(1_000_000), .time(Rational(1, 3)), .time(Rational(.max)),
        .time(Rational(-.max)),
        .time(Rational(1, .max)), .time(Rational(-1, 7)),
    ]

    @Test(arguments: [PacePolicy.wait, .drop, .unpaced])
    func `random calls of everything end, and give everything back`(policy: PacePolicy) async throws {
        // What follows still depends on how threads meet.
        let seed = SplitMix.seed()
        var random = SplitMix(seed)
        for round in 0..<6 {
            let census = Census(
                DecodingResources(decoders: DecoderPool(limit: 1 + round % 3), budget: ScrubBudget(byteLimit: 96 << 20))
            )
            do {
                var options = Player.Options()
                (options.pacePolicy, options.threadCount, options.backwardByteLimit) = (policy, 1, 2 << 20)
                options.actionAtItemEnd = round % 4 == 3 ? .pause : .advance
                if round % 2 == 0 { options.preferredForwardBufferDuration = .seconds(Int64(random.next() % 3)) }
                let timebase: Timebase = round % 3 == 2 ? .realTime : .simulated()
                let player = try Player([], options: options, timebase: timebase, resources: census.resources)
                census.note(player)
                let sequence = Locked<[Int]>([])
                let shown = Locked<Set<PlayerItem.ID>>([])
                let presenters = (0..<3).map { _ in
                    Presenter { frame in
                        guard frame.kind == .presented else { return }
                        sequence.withLock { $0.append(frame.sequenceNumber) }
                        shown.withLock { _ = $0.insert(frame.item) }
                    }
                }
                var items: [PlayerItem] = []
                func some() -> PlayerItem.ID { items.randomElement(using: &random)?.id ?? PlayerItem.ID(-1) }
                func new() -> PlayerItem {
                    let item = TestClips.item(
                        Self.files[Int(random.next() % UInt64(Self.files.count))], playCount: Int(random.next() % 3))
                    items.append(item)
                    return item
                }
                player.attach(presenters[0])
                var seeks: [Task<Void, Never>] = []
                let endedSeeks = Locked(0)
                for _ in 0..<120 {
                    switch random.next() % 26 {
                    case 0, 1, 2: player.append(new())
                    case 3: player.insert(new(), before: some())
                    case 4: player.insert(new(), after: some())
                    case 5: player.remove(player.currentItem?.id ?? some())
                    case 6: player.remove(some())
                    case 7: player.move(some(), after: some())
                    case 8: player.replace(some(), with: new())
                    case 9: player.replaceItems(with: [new(), new()] + player.items.suffix(2))
                    case 10, 11: player.interrupt(with: [new(), new()])
                    case 12: player.rate = Self.rates[Int(random.next() % UInt64(Self.rates.count))]
                    case 13, 14:
                        let position = Self.positions[Int(random.next() % UInt64(Self.positions.count))]
                        seeks.append(
                            Task {
                                _ = try? await player.seek(to: position)
                                endedSeeks.withLock { $0 += 1 }
                            })
                    case 15: player.startSeek(to: Self.positions[Int(random.next() % UInt64(Self.positions.count))])
                    case 16: player.step(by: [1, -1, 100, .max, .min][Int(random.next() % 5)])
                    case 17: player.beginScrubbing()
                    case 18: player.endScrubbing()
                    case 19: player.repeatMode = [.off, .one, .all][Int(random.next() % 3)]
                    case 20: player.advanceToNextItem()
                    case 21: player.returnToPreviousItem()
                    case 22: player.setCurrentItem(some())
                    case 23: player.attach(presenters[Int(random.next() % 3)])
                    case 24: player.pause()
                    default:
                        player.play()
                        let before = player.counters.presentedCount
                        for _ in 0..<(random.next() % 400) where player.counters.presentedCount < before + 5 {
                            await Task.yield()
                        }
                    }
                    _ = (player.state, player.position, player.bufferedDuration, player.duration, player.error)
                }
                // In the end it ends.
                player.repeatMode = .off
                player.endScrubbing()
                player.attach(presenters[0])
                player.rate = Rational(16)
                let last = TestClips.item("rotate-0.mp4")
                player.append(last)
                player.play()
                // One that begins late goes back from the end.
                await until(
                    "seeks end, \(endedSeeks.withLock { $0 }) of \(seeks.count), seed \(seed), round \(round): \(player.summary)",
                    { endedSeeks.withLock { $0 } == seeks.count }, progress: { player.counters.presentedCount })
                // After one that went back from the end, the player stands still.
                player.play()
                var turns = 0
                await until(
                    "it ends, seed \(seed), round \(round): \(player.summary)",
                    {
                        switch player.state {
                        case .ended where options.actionAtItemEnd == .pause && turns < 500:
                            turns += 1
                            return !player.advanceToNextItem()
                        case .ended, .failed: return true
                        default: return false
                        }
                    }, progress: { player.counters.presentedCount })
                // Whatever was in the list: what was added last is reached.
                await until("the last item is shown, seed \(seed), round \(round): \(player.summary)") {
                    shown.withLock { $0.contains(last.id) }
                }
                #expect(player.pendingSeekCount == 0, "seed \(seed)")
                let numbers = sequence.withLock { $0 }
                #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "seed \(seed)")
                #expect(player.counters.presentedCount >= numbers.count, "seed \(seed)")
                if policy != .drop { #expect(player.counters.dropped.totalCount == 0, "seed \(seed)") }
                withExtendedLifetime(presenters) {}
            }
            await census.reachesZero()
        }
    }

    @Test func `each item is shown its number of times, whatever is edited around it at any moment`() async throws {
        // What follows still depends on how threads meet.
        let seed = SplitMix.seed()
        var random = SplitMix(seed)
        for round in 0..<8 {
            let census = Census()
            do {
                var options = Player.Options()
                options.pacePolicy = .wait
                // Pictures of 24 frames in a second; edits come before the end, with the look-ahead ready, at the
                // hand-over and after.
                let timebase = Timebase.manual()
                let player = try Player([], options: options, timebase: timebase, resources: census.resources)
                census.note(player)
                let log = FrameLog()
                let presenter = log.presenter()
                player.attach(presenter)
                var list = (0..<5).map { _ in
                    TestClips.item(
                        ["rotate-0.mp4", "h264-lossless.mp4", "h264-single.mp4"][Int(random.next() % 3)],
                        playCount: 1 + Int(random.next() % 2))
                }
                player.replaceItems(with: list)
                await wait(player) { $0.state == .paused }
                player.play()
                for _ in 0..<12 {
                    await timebase.advance(by: .milliseconds(Int64(random.next() % 300)))
                    guard let current = player.currentItem, player.state != .ended,
                        let place = list.firstIndex(where: { $0.id == current.id })
                    else { break }
                    // Only what comes later is edited: what was shown and what is shown stays.
                    let later = list.indices.filter { $0 > place }
                    let item = TestClips.item(["rotate-90.mp4", "h264-single.mp4"][Int(random.next() % 2)])
                    switch random.next() % 4 {
                    case 0:
                        #expect(player.insert(item, after: current.id))
                        list.insert(item, at: place + 1)
                    case 1:
                        guard let gone = later.randomElement(using: &random) else { break }
                        #expect(player.remove(list[gone].id))
                        list.remove(at: gone)
                    case 2:
                        guard let old = later.randomElement(using: &random) else { break }
                        #expect(player.replace(list[old].id, with: item))
                        list[old] = item
                    default:
                        guard
                            let (a, b) = later.randomElement(using: &random).flatMap({ a in
                                later.randomElement(using: &random).map { (a, $0) }
                            }), a != b
                        else { break }
                        #expect(player.move(list[a].id, before: list[b].id))
                        let (moved, target) = (list[a], list[b].id)
                        list.remove(at: a)
                        list.insert(moved, at: list.firstIndex { $0.id == target } ?? 0)
                    }
                    #expect(player.items.map(\.id) == list.map(\.id), "seed \(seed), round \(round)")
                }
                for _ in 0..<60 where player.state != .ended { await timebase.advance(by: .seconds(1)) }
                let expected = list.flatMap { item in
                    let frames = item.media.asset?.frames.count ?? 0
                    return (0..<item.playCount).flatMap { _ in (0..<frames).map { (item.id, $0) } }
                }
                let shown = log.presented
                #expect(shown.count == expected.count, "seed \(seed), round \(round)")
                #expect(
                    zip(shown, expected).allSatisfy { $0.item == $1.0 && $0.frame == $1.1 },
                    "seed \(seed), round \(round)")
                withExtendedLifetime(presenter) {}
            }
            await census.reachesZero()
        }
    }
}
