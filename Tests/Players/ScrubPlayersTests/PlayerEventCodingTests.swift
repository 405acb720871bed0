import Foundation
import ScrubBase
import ScrubPlayersLogic
import Testing

@testable import ScrubPlayers

/// Events as text: a written event is read back, with items by the numbers of the access log.
@Suite struct PlayerEventCodingTests {
    private static let item = PlayerItem.ID(7)
    private static let place = Player.Position(item: item, time: Rational(1001, 30000), frame: 1)
    private static var error: ScrubError {
        var error = ScrubError(.inputOutput, "the disk is gone", file: "a.mp4", place: "byte 7", advice: "plug it in")
        error.systemError = .errno(5)
        return error
    }
    private static let all: [Player.Event] = [
        .itemTransition(from: item, to: nil, reason: .interruptionEnded),
        .itemTransition(from: nil, to: item, reason: .repeat),
        .positionDiscontinuity(from: place, to: Player.Position(item: nil, time: .zero), reason: .seek),
        .stateChanged(.idle), .stateChanged(.preparing), .stateChanged(.paused), .stateChanged(.playing),
        .stateChanged(.stalled), .stateChanged(.ended), .stateChanged(.failed(error)),
        .itemEnded(item), .playlistEnded, .stalled(place), .resumed(place, stalledDuration: .nanoseconds(Int64.max)),
        .framesDropped(Player.DroppedFrames(lateCount: 1, skippedBeforeDecodingCount: 2, jumpedCount: 3)),
        .failed(item, error),
        .playlistChanged([item, PlayerItem.ID(8)]),
        .buffering(isLikelyToKeepUp: true, bufferedDuration: Rational(2, 3)),
        .presenterChanged(hasPresenter: true, generation: 3), .memoryPressure(.critical), .overflow(count: 4),
    ]

    @Test(arguments: all) func whatIsWrittenIsReadBack(_ event: Player.Event) throws {
        let text = try JSONEncoder().encode(event)
        let said = String(decoding: text, as: UTF8.self)
        #expect(try JSONDecoder().decode(Player.Event.self, from: text) == event, "\(said)")
    }

    @Test func everyKindIsThere() {
        let kinds = Self.all.reduce(into: Player.Event.Kinds()) { $0.formUnion($1.kind) }
        #expect(kinds.rawValue == (1 << 13) - 1)
    }

    @Test(arguments: [
        #"{}"#, #"{"event":"no such"}"#, #"{"event":"stateChanged","state":"failed"}"#,
        #"{"event":"itemEnded"}"#, #"{"event":"buffering","isLikelyToKeepUp":true,"bufferedTime":"1/0"}"#,
        #"{"event":"stateChanged","state":"dancing"}"#,
    ])
    func whatIsNotAnEventIsRefused(_ text: String) {
        #expect(throws: DecodingError.self) {
            _ = try JSONDecoder().decode(Player.Event.self, from: Data(text.utf8))
        }
    }

    @Test func logAndEventsNameItemsAlike() throws {
        struct Named: Decodable { var item: Int }
        let event = try JSONEncoder().encode(Player.Event.itemEnded(Self.item))
        let entry = AccessLog.Entry(time: 1, item: Self.item, kind: .decoderAttached(waited: .zero))
        #expect(try JSONDecoder().decode(Named.self, from: event).item == 7)
        #expect(try JSONDecoder().decode(Named.self, from: Data(entry.json.utf8)).item == 7)
    }
}
