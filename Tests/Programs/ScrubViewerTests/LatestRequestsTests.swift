#if Viewer
import ScrubBase
import ScrubTestSupport
import Testing

@testable import ScrubViewer

/// Which wish of a client is the newest, by tables: no server, no video, no clock.
struct NewestWishesTests {
    private let start = ContinuousClock.now

    /// A request, and whether it is let in.
    struct Row: Sendable, CustomTestStringConvertible {
        var client: String
        var turn: Int?
        var isLetIn: Bool

        var testDescription: String { "\(client) \(turn.map { "\($0)" } ?? "-")" }
    }

    @Test(arguments: [
        // Turns that grow, and one that comes late.
        [
            Row(client: "a", turn: 1, isLetIn: true), Row(client: "a", turn: 3, isLetIn: true),
            Row(client: "a", turn: 2, isLetIn: false), Row(client: "a", turn: 4, isLetIn: true),
        ],
        // The same turn asks for the exact frame after the nearest.
        [Row(client: "a", turn: 7, isLetIn: true), Row(client: "a", turn: 7, isLetIn: true)],
        // Without a turn a request is the newest, and the turns before it count on.
        [
            Row(client: "a", turn: nil, isLetIn: true), Row(client: "a", turn: 5, isLetIn: true),
            Row(client: "a", turn: nil, isLetIn: true), Row(client: "a", turn: 4, isLetIn: false),
            Row(client: "a", turn: 5, isLetIn: true),
        ],
        // Each client has turns of its own.
        [
            Row(client: "a", turn: 9, isLetIn: true), Row(client: "b", turn: 0, isLetIn: true),
            Row(client: "b", turn: 1, isLetIn: true), Row(client: "a", turn: 8, isLetIn: false),
        ],
    ])
    func theNewestIsTheLastThatWasLetIn(_ rows: [Row]) {
        let wishes = LatestRequests()
        var letIn: [String: [RequestToken]] = [:]
        var last = 0
        for row in rows {
            let token = wishes.admit(ClientIdentity(client: row.client, turn: row.turn), now: start)
            #expect((token != nil) == row.isLetIn, "\(row.testDescription)")
            if let token {
                #expect(token.number > last && token.client == row.client)
                last = token.number
                letIn[row.client, default: []].append(token)
            }
            for tokens in letIn.values {
                for token in tokens { #expect(token.isNewest == (token.number == tokens.last?.number)) }
            }
        }
    }

    @Test func whoIsOvertakenIsToldOnceAndDoesNothingMore() throws {
        let wishes = LatestRequests()
        let told = Locked<[String]>([])
        let first = try #require(wishes.admit(ClientIdentity(client: "a", turn: 1), now: start))
        var done: [Int] = []
        first.ifNewest { done.append(1) }
        first.whenOvertaken { told.withLock { $0.append("waiting") } }
        // The last call counts.
        first.whenOvertaken { told.withLock { $0.append("asking") } }
        _ = try #require(wishes.admit(ClientIdentity(client: "b", turn: 5), now: start))
        #expect(told.withLock { $0 } == [])
        #expect(wishes.admit(ClientIdentity(client: "a", turn: 0), now: start) == nil)
        #expect(told.withLock { $0 } == [] && first.isNewest)
        let second = try #require(wishes.admit(ClientIdentity(client: "a", turn: 2), now: start))
        #expect(told.withLock { $0 } == ["asking"])
        let (wasLate, wasInTime) = (first.ifNewest { done.append(2) }, second.ifNewest { done.append(3) })
        #expect(!wasLate && wasInTime && done == [1, 3])
        // Too late to wait: told at once.
        first.whenOvertaken { told.withLock { $0.append("late") } }
        #expect(told.withLock { $0 } == ["asking", "late"])
        // Nothing waits for the second any more.
        second.whenOvertaken { told.withLock { $0.append("second") } }
        second.whenOvertaken(nil)
        _ = try #require(wishes.admit(ClientIdentity(client: "a", turn: 2), now: start))
        #expect(told.withLock { $0 } == ["asking", "late"])
    }

    @Test func aClientThatRestsIsForgottenUnlessAWishOfItIsNotOver() throws {
        let wishes = LatestRequests()
        let resting = try #require(wishes.admit(ClientIdentity(client: "rests", turn: 9), now: start)).number
        let waiting = try #require(wishes.admit(ClientIdentity(client: "waits", turn: 9), now: start))
        #expect(wishes.admit(ClientIdentity(client: "rests", turn: 8), now: start) == nil)
        _ = wishes.admit(ClientIdentity(client: "asks", turn: 9), now: start + .seconds(31))
        wishes.forget(idleSince: start + .seconds(1))
        #expect(wishes.admit(ClientIdentity(client: "waits", turn: 1), now: start) == nil)
        // Of one that waits for long, for memory perhaps, it is known that it is overtaken.
        #expect(waiting.isNewest)
        let newer = try #require(wishes.admit(ClientIdentity(client: "waits", turn: 10), now: start))
        #expect(!waiting.isNewest && newer.isNewest)
        #expect(wishes.admit(ClientIdentity(client: "asks", turn: 1), now: start) == nil)
        // Its turns begin at 0 again.
        let anew = try #require(wishes.admit(ClientIdentity(client: "rests", turn: 1), now: start))
        #expect(anew.number > resting)
    }

    /// However threads overtake one another: values under `ifNewest` come in the order of numbers, and the last one let
    /// in is put.
    @Test func whatIsPutNeverGoesBack() async {
        let wishes = LatestRequests()
        let put = Locked<[Int]>([])
        let newest = Locked(0)
        await withTaskGroup(of: Void.self) { group in
            for turn in 0..<2000 {
                group.addTask {
                    guard let token = wishes.admit(ClientIdentity(client: "a", turn: turn / 8), now: self.start) else {
                        return
                    }
                    newest.withLock { $0 = max($0, token.number) }
                    await Task.yield()
                    token.ifNewest { put.withLock { $0.append(token.number) } }
                }
            }
        }
        let numbers = put.withLock { $0 }
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
        #expect(numbers.last == newest.withLock { $0 })
    }
}
#endif
