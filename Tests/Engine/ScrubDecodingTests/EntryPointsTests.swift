import ScrubBase
import Testing

@testable import ScrubDecoding

/// Films as lists, and a libavformat that arrives where a table says.
@Suite struct EntryPointsTests {
    /// - Parameters:
    ///   - pictures: each frame's coded picture. Frame *n* has the time 10 *n*.
    ///   - keys: frames that may be keys.
    ///   - restarts: for a frame the picture from which it is right.
    ///   - landings: for a frame's time the picture where libavformat arrives; all others fail.
    private func points(
        _ pictures: [Int], keys: Set<Int>, restarts: (Int) -> Int = { _ in 0 }, landings: [Int: Int],
        unflagged: Set<Int> = []
    ) throws -> EntryPoints {
        try EntryPoints(
            count: pictures.count, time: { Int64($0) * 10 }, picture: { pictures[$0] }, isKey: { keys.contains($0) },
            restart: restarts,
            landing: { time in
                landings[Int(time / 10)].map { EntryPoints.Landing(picture: $0, isKey: !unflagged.contains($0)) }
            })
    }

    @Test func keysWhereLibavformatArrivesAreTaken() throws {
        let found = try points([0, 1, 2, 3, 4, 5], keys: [0, 3], landings: [0: 0, 3: 3])
        #expect(found.frames == [0, 3] && found.direct == [0, 3] && found.unreachable == nil)
    }

    /// Arriving too early costs decoding and nothing else.
    @Test func arrivingEarlyIsGoodEnough() throws {
        let found = try points([0, 1, 2, 3, 4, 5], keys: [0, 3], landings: [0: 0, 3: 1])
        #expect(found.frames == [0, 3] && found.direct == [0] && found.unreachable == nil)
    }

    /// Frames behind a key that is left out are reached from the key before.
    @Test func arrivingLateLeavesAKeyOut() throws {
        let found = try points([0, 1, 2, 3, 4, 5], keys: [0, 3], landings: [0: 0, 3: 4])
        #expect(found.frames == [0] && found.direct == [0] && found.unreachable == nil)
    }

    /// As in transport streams with B pictures: at the first time already it is too late.
    @Test func withoutAnyKeyNothingIsReached() throws {
        let found = try points([0, 2, 1, 3], keys: [0], landings: [0: 1, 1: 1, 2: 1, 3: 3])
        #expect(found.frames.isEmpty && found.unreachable == 3)
    }

    /// An edit list that begins between key pictures: the key is hidden, and libavformat arrives there all the same.
    @Test func framesBeforeTheFirstKeyAreReachedByTheirOwnTimes() throws {
        let restarts = { (frame: Int) in frame < 2 ? 0 : 3 }
        let landings = [0: 0, 1: 0, 2: 3]
        let found = try points([1, 2, 3, 4], keys: [2], restarts: restarts, landings: landings)
        #expect(found.frames == [2] && found.unreachable == nil)
        let late = try points([1, 2, 3, 4], keys: [2], restarts: restarts, landings: [0: 0, 1: 2, 2: 3])
        #expect(late.frames == [2] && late.unreachable == 1)
    }

    /// A frame that shows after a key and was decoded before it needs what is before the key.
    @Test func aKeyIsNoneForFramesDecodedBeforeIt() throws {
        let pictures = [0, 1, 3, 2, 4]
        let found = try points(pictures, keys: [0, 2], landings: [0: 0, 2: 3])
        #expect(found.frames == [0] && found.unreachable == nil)
        let early = try points(pictures, keys: [0, 2], landings: [0: 0, 2: 0])
        #expect(early.frames == [0, 2] && early.direct == [0])
    }

    @Test func whatLibavformatDoesNotFlagIsNoKey() throws {
        let found = try points([0, 1, 2, 3], keys: [0, 2], landings: [0: 0, 2: 2], unflagged: [2])
        #expect(found.frames == [0] && found.unreachable == nil)
    }

    @Test func noFramesAreNoPoints() throws {
        let found = try points([], keys: [], landings: [:])
        #expect(found.frames.isEmpty && found.direct.isEmpty && found.unreachable == nil)
    }

    /// A failed read is not a film without keys.
    @Test func failuresAreHandedOn() {
        #expect(throws: ScrubError.self) {
            try EntryPoints(
                count: 1, time: { Int64($0) }, picture: { $0 }, isKey: { _ in true }, restart: { _ in 0 },
                landing: { (_) throws(ScrubError) in throw ScrubError(.inputOutput, "cannot be read") })
        }
    }
}
