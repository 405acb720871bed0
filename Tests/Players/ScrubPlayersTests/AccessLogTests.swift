import Foundation
import ScrubBase
import ScrubPlayers
import Testing

@Suite struct AccessLogTests {
    private static let all: [AccessLog.Entry.Kind] = [
        .seek(
            .init(
                requestedFrame: 12, requestedTime: Rational(1001, 2500), actualFrame: 10,
                actualTime: Rational(1001, 3000), latency: .milliseconds(7), decodedPictureCount: 3,
                redecodedPictureCount: 1)),
        .seek(
            .init(
                requestedFrame: 0, requestedTime: .zero, actualFrame: nil, actualTime: nil, latency: .nanoseconds(9),
                isCacheHit: true, isSuperseded: true)),
        .stall(.init(frame: 4, duration: .milliseconds(120))),
        .dropped(Player.DroppedFrames(lateCount: 1, skippedBeforeDecodingCount: 2, jumpedCount: 3)),
        .decoderAttached(waited: .nanoseconds(5)), .decoderDetached(reason: .turnEnded),
    ]

    private func entry(_ number: Int) -> AccessLog.Entry {
        AccessLog.Entry(
            time: Int64(number), item: PlayerItem.ID(1), kind: .stall(.init(frame: number, duration: .nanoseconds(1))))
    }

    @Test(arguments: all) func writtenEntriesAreReadBack(_ kind: AccessLog.Entry.Kind) throws {
        for item in [nil, PlayerItem.ID(3)] {
            let entry = AccessLog.Entry(time: .max, item: item, kind: kind)
            #expect(try JSONDecoder().decode(AccessLog.Entry.self, from: Data(entry.json.utf8)) == entry)
            let encoded = try JSONEncoder().encode(entry)
            #expect(try JSONDecoder().decode(AccessLog.Entry.self, from: encoded) == entry)
        }
        #expect(throws: (any Error).self) {
            let text = #"{"event":"seek","ns":1,"requested":1,"requestedTime":"1/0"}"#
            _ = try JSONDecoder().decode(AccessLog.Entry.self, from: Data(text.utf8))
        }
    }

    @Test func keepsTheNewestAndCountsAll() throws {
        let log = AccessLog(entryLimit: 3)
        for number in 0..<5 { log.append(entry(number)) }
        #expect(log.entries == [entry(2), entry(3), entry(4)])
        #expect(log.droppedEntryCount == 2 && log.counters.stallCount == 5)
        #expect(log.counters.stalledDuration == .nanoseconds(5))
        let none = AccessLog(entryLimit: 0)
        none.append(entry(1))
        #expect(none.entries.isEmpty && none.counters.stallCount == 1 && none.droppedEntryCount == 1)
    }

    @Test func `the access log counts what playing costs`() async throws {
        let items = [TestClips.item("h264-bf3.mp4"), TestClips.item("rotate-0.mp4")]
        let resources = DecodingResources(decoders: DecoderPool(limit: 2))
        var player: Player? = try Player(items, timebase: .simulated(), resources: resources)
        let log = try #require(player).accessLog
        let heard = Locked<Set<PlayerItem.ID>>([])
        let observation = player?.observe(.itemEnded) { event in
            if case .itemEnded(let item) = event { heard.withLock { _ = $0.insert(item) } }
        }
        let presenter = Presenter()
        player?.attach(presenter)
        player?.play()
        if let player { await wait(player) { $0.state == .ended } }
        let counters = log.counters
        #expect(counters.presentedFrameCount == 108 && counters.decodedPictureCount >= 108)
        #expect(counters.redecodedPictureCount == 0)
        let sizes = try items.map { Int64(try Data(contentsOf: URL(filePath: $0.media.name)).count) }
        #expect(counters.readByteCount > sizes.reduce(0, +) / 2, "\(counters.readByteCount) of \(sizes)")
        #expect(counters.decoderAttachmentCount >= 2)
        player = nil
        await until("decoders are closed") {
            log.counters.decoderDetachmentCount == log.counters.decoderAttachmentCount
        }
        // The log names items as events do.
        let attached = log.entries.filter { if case .decoderAttached = $0.kind { true } else { false } }
        #expect(heard.withLock { $0 } == Set(items.map(\.id)))
        #expect(Set(attached.compactMap(\.item)) == Set(items.map(\.id)))
        withExtendedLifetime((observation, presenter)) {}
    }

    @Test func countsEachKind() throws {
        let log = AccessLog()
        for kind in AccessLogTests.all { log.append(AccessLog.Entry(time: 0, item: nil, kind: kind)) }
        log.countPresented(25)
        log.countDecoded(30, again: 4)
        log.countRead(.max)
        log.countRead(.max)
        let counters = log.counters
        #expect((counters.seekCount, counters.cacheHitCount, counters.supersededSeekCount) == (2, 1, 1))
        #expect(counters.maximumSeekLatency == .milliseconds(7))
        #expect((counters.lateFrameCount, counters.skippedFrameCount, counters.jumpedFrameCount) == (1, 2, 3))
        // Seeks' pictures are among those that lanes count.
        #expect((counters.decodedPictureCount, counters.redecodedPictureCount) == (30, 4))
        #expect((counters.presentedFrameCount, counters.readByteCount) == (25, .max))
        #expect((counters.decoderAttachmentCount, counters.decoderDetachmentCount) == (1, 1))

        let export = try JSONDecoder().decode(AccessLog.Snapshot.self, from: Data(log.json.utf8))
        #expect(export.counters == counters && export.droppedEntryCount == 0 && export.entries == log.entries)
        #expect(export == log.snapshot)
        let encoded = try JSONEncoder().encode(log.snapshot)
        #expect(try JSONDecoder().decode(AccessLog.Snapshot.self, from: encoded) == export)
        #expect(!log.json.contains("."), "integers only")
    }
}
