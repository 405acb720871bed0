import Foundation
import ScrubBase
import ScrubPlayers
import Testing

@Suite struct AccessLogTests {
    private static let all: [AccessLogEntry.Kind] = [
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
        .dropped(DroppedFrames(late: 1, skippedBeforeDecoding: 2, jumped: 3)),
        .decoderAttached(waitedNanoseconds: 5), .decoderDetached(reason: .turnOver),
    ]

    private func entry(_ number: Int) -> AccessLogEntry {
        AccessLogEntry(time: Int64(number), item: PlayerItem.ID(1), kind: .stall(.init(frame: number, nanoseconds: 1)))
    }

    @Test(arguments: all) func writtenEntriesAreReadBack(_ kind: AccessLogEntry.Kind) throws {
        for item in [nil, PlayerItem.ID(3)] {
            let entry = AccessLogEntry(time: .max, item: item, kind: kind)
            #expect(try JSONDecoder().decode(AccessLogEntry.self, from: Data(entry.json.utf8)) == entry)
            let encoded = try JSONEncoder().encode(entry)
            #expect(try JSONDecoder().decode(AccessLogEntry.self, from: encoded) == entry)
        }
        #expect(throws: (any Error).self) {
            let text = #"{"event":"seek","ns":1,"requested":1,"requestedTime":"1/0"}"#
            _ = try JSONDecoder().decode(AccessLogEntry.self, from: Data(text.utf8))
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

    @Test func countsEachKind() throws {
        let log = AccessLog()
        for kind in AccessLogTests.all { log.append(AccessLogEntry(time: 0, item: nil, kind: kind)) }
        log.countPresented(25)
        log.countDecoded(30, again: 4)
        log.countRead(.max)
        log.countRead(.max)
        let counters = log.counters
        #expect((counters.seeks, counters.cacheHits, counters.supersededSeeks) == (2, 1, 1))
        #expect(counters.worstSeekNanoseconds == 7_000_000)
        #expect((counters.lateFrames, counters.skippedFrames, counters.jumpedFrames) == (1, 2, 3))
        #expect((counters.decodedPictures, counters.redecodedPictures, counters.presentedFrames) == (33, 5, 25))
        #expect((counters.decoderAttachments, counters.decoderDetachments, counters.bytesRead) == (1, 1, .max))

        struct Export: Decodable {
            var counters: AccessLogCounters
            var droppedEntries: Int
            var entries: [AccessLogEntry]
        }
        let export = try JSONDecoder().decode(Export.self, from: Data(log.json.utf8))
        #expect(export.counters == counters && export.droppedEntries == 0 && export.entries == log.entries)
        #expect(!log.json.contains("."), "integers only")
    }
}
