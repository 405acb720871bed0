import Foundation
import ScrubBase
import ScrubPlayers
import Testing

@Suite struct AccessLogTests {
    private static let all: [AccessLog.Entry.Kind] = [
        .seek(
            .init(
                requestedFrame: 12, requestedTime: Rational(1001, 2500), actualFrame: 10,
                actualTime: Rational(1001, 3000), latencyNanoseconds: 7_000_000, decodedPictures: 3,
                redecodedPictures: 1)),
        .seek(
            .init(
                requestedFrame: 0, requestedTime: .zero, actualFrame: nil, actualTime: nil, latencyNanoseconds: 9,
                isCacheHit: true, isSuperseded: true)),
        .stall(.init(frame: 4, nanoseconds: 120_000_000)),
        .dropped(Player.DroppedFrames(late: 1, skippedBeforeDecoding: 2, jumped: 3)),
        .decoderAttached(waitedNanoseconds: 5), .decoderDetached(reason: .turnOver),
    ]

    private func entry(_ number: Int) -> AccessLog.Entry {
        AccessLog.Entry(time: Int64(number), item: PlayerItem.ID(1), kind: .stall(.init(frame: number, nanoseconds: 1)))
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
        #expect(log.droppedEntryCount == 2 && log.counters.stalls == 5 && log.counters.stalledNanoseconds == 5)
        let none = AccessLog(entryLimit: 0)
        none.append(entry(1))
        #expect(none.entries.isEmpty && none.counters.stalls == 1 && none.droppedEntryCount == 1)
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
        player?.claim(presenter)
        player?.play()
        if let player { await wait(player) { $0.state == .ended } }
        let counters = log.counters
        #expect(counters.presentedFrames == 108 && counters.decodedPictures >= 108 && counters.redecodedPictures == 0)
        let sizes = try items.map { Int64(try Data(contentsOf: URL(filePath: $0.media.name)).count) }
        #expect(counters.bytesRead > sizes.reduce(0, +) / 2, "\(counters.bytesRead) of \(sizes)")
        #expect(counters.decoderAttachments >= 2)
        player = nil
        await until("decoders are closed") { log.counters.decoderDetachments == log.counters.decoderAttachments }
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
        #expect((counters.seeks, counters.cacheHits, counters.supersededSeeks) == (2, 1, 1))
        #expect(counters.worstSeekNanoseconds == 7_000_000)
        #expect((counters.lateFrames, counters.skippedFrames, counters.jumpedFrames) == (1, 2, 3))
        // Seeks' pictures are among those that lanes count.
        #expect((counters.decodedPictures, counters.redecodedPictures, counters.presentedFrames) == (30, 4, 25))
        #expect((counters.decoderAttachments, counters.decoderDetachments, counters.bytesRead) == (1, 1, .max))

        let export = try JSONDecoder().decode(AccessLog.Snapshot.self, from: Data(log.json.utf8))
        #expect(export.counters == counters && export.droppedEntries == 0 && export.entries == log.entries)
        #expect(export == log.snapshot)
        let encoded = try JSONEncoder().encode(log.snapshot)
        #expect(try JSONDecoder().decode(AccessLog.Snapshot.self, from: encoded) == export)
        #expect(!log.json.contains("."), "integers only")
    }
}
