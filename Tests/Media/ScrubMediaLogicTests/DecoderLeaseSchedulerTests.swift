import ScrubMediaLogic
import ScrubTestSupport
import Testing

@Suite struct DecoderLeaseBookTests {
    @Test func grantsInOrderUpToTheLimit() {
        let book = SharedBook(limit: 2)
        let requests = (0..<4).map { _ in book.request(now: 0) }
        let first = [book.takeGrant(), book.takeGrant()].compactMap { $0 }
        #expect(first.map(\.request) == Array(requests.prefix(2)))
        #expect(book.takeGrant() == nil)
        #expect((book.attachedCount, book.waitingCount) == (2, 2))
        book.release(first[1].lease, now: 0)
        #expect(book.takeGrant()?.request == requests[2])
        #expect(book.peakAttachedCount == 2)
        #expect(!book.release(first[1].lease, now: 0), "a second release is nobody else's")
        #expect(book.takeGrant() == nil)
    }

    @Test func aCancelledGrantPassesOn() throws {
        let book = SharedBook(limit: 1)
        let requests = (0..<3).map { _ in book.request(now: 0) }
        #expect(book.cancel(requests[0], now: 0), "granted, not taken")
        #expect(book.cancel(requests[1], now: 0), "granted in its place, not taken")
        #expect(!book.cancel(requests[1], now: 0))
        let grant = try #require(book.takeGrant())
        #expect(grant.request == requests[2])
        #expect(!book.cancel(requests[2], now: 0), "taken")
        #expect(book.takeGrant() == nil)
    }

    @Test func evictsTheLongestIdleAndNoneInUse() throws {
        let book = SharedBook(limit: 3)
        let leases = (0..<3).compactMap { _ in
            _ = book.request(now: 0)
            return book.takeGrant()?.lease
        }
        #expect(book.becomeIdle(leases[2]) && book.becomeIdle(leases[0]))
        let waiting = [book.request(now: 0), book.request(now: 0), book.request(now: 0)]
        #expect(book.takeEviction() == leases[2])
        #expect(book.takeEviction() == leases[0])
        #expect(book.takeEviction() == nil)
        #expect(!book.becomeBusy(leases[2], now: 0) && !book.becomeIdle(leases[2]))
        #expect(book.isWantedBack(leases[2], now: 0))
        #expect(book.attachedCount == 3, "closing ones count")
        book.release(leases[0], now: 0)
        #expect(book.takeGrant()?.request == waiting[0])
        #expect(book.becomeIdle(leases[1]))
        #expect(book.takeEviction() == leases[1])
        #expect(book.waitingCount == 2)
    }

    @Test func aTurnEndsByPicturesOrTimeOnlyWhileARequestWaits() throws {
        let book = SharedBook(limit: 2, quantum: DecoderQuantum(pictures: 3, nanoseconds: 100))
        let leases = (0..<2).compactMap { _ in
            _ = book.request(now: 0)
            return book.takeGrant()?.lease
        }
        book.noteProgress(leases[0], pictures: 3)
        #expect(!book.isWantedBack(leases[0], now: 1000), "nobody waits")
        let waiting = book.request(now: 50)
        #expect(!book.isWantedBack(leases[1], now: 99))
        #expect(book.isWantedBack(leases[0], now: 50), "three pictures")
        #expect(!book.isWantedBack(leases[1], now: 100), "one waits, and one was asked already")
        #expect(book.becomeIdle(leases[0]))
        #expect(book.takeEviction() == leases[0])
        book.release(leases[0], now: 100)
        #expect(book.takeGrant()?.request == waiting)
        _ = book.request(now: 100)
        #expect(book.isWantedBack(leases[1], now: 100), "its time is over")
    }

    @Test func anIdleLeaseNeverWaitsAndGivesWay() throws {
        let book = SharedBook(limit: 2)
        _ = book.request(now: 0)
        let current = try #require(book.takeGrant()?.lease)
        let next = try #require(book.idleLease(now: 0))
        #expect(book.idleLease(now: 0) == nil)
        let waiting = book.request(now: 0)
        #expect(book.takeEviction() == next && book.takeEviction() == nil)
        #expect(!book.isWantedBack(current, now: 0) && book.isWantedBack(next, now: 0))
        book.release(next, now: 0)
        #expect(book.idleLease(now: 0) == nil, "nobody overtakes")
        #expect(book.takeGrant()?.request == waiting)

        book.release(current, now: 0)
        let another = try #require(book.idleLease(now: 0))
        #expect(book.becomeBusy(another, now: 0))
        _ = book.request(now: 0)
        #expect(!book.isWantedBack(another, now: 0), "it has a turn now")
    }

    /// What is shown goes first, but not for ever; those that left overtake nothing.
    @Test func whatIsShownGoesBeforeWhatIsAskedAFewTimes() throws {
        let book = SharedBook(limit: 1)
        _ = book.request(now: 0)
        var lease = try #require(book.takeGrant()?.lease)
        let asked = (0..<2).map { _ in book.request(for: .asked, now: 0) }
        let gone = book.request(now: 0)
        let shown = (0..<6).map { _ in book.request(now: 0) }
        #expect(book.cancel(gone, now: 0))
        var order: [Int] = []
        for _ in 0..<8 {
            book.release(lease, now: 0)
            let grant = try #require(book.takeGrant())
            order.append(grant.request)
            lease = grant.lease
        }
        #expect(order == Array(shown[..<4]) + [asked[0]] + Array(shown[4...]) + [asked[1]])
        book.release(lease, now: 0)
        #expect((book.attachedCount, book.waitingCount) == (0, 0))
        let again = book.request(for: .asked, now: 0)
        #expect(book.takeGrant()?.request == again, "without others it waits for nothing")
    }

    /// 100 media share four decoders: random commands, compared with a list.
    @Test(arguments: 0..<8) func keepsItsRulesWithAHundredMedia(run: Int) throws {
        let seed = SplitMix.seed(run: run)
        print("seed \(seed)")
        var generator = SplitMix(seed)
        var model = LeaseModel(limit: run == 0 ? 1 : 4)
        for step in 0..<10_000 {
            let problem = model.step(&generator, media: 100)
            #expect(problem == nil, "seed \(seed) step \(step)")
            if problem != nil { return }
        }
        let problem = model.finish()
        #expect(problem == nil, "seed \(seed)")
        #expect(model.book.attachedCount == 0 && model.book.waitingCount == 0)
        #expect(model.book.peakAttachedCount == model.book.limit)
    }

    /// Everybody advances: a hundred that want a decoder all the time have had nearly as many turns each.
    @Test func allAdvanceInTurn() throws {
        let book = SharedBook(limit: 4, quantum: DecoderQuantum(pictures: 8, nanoseconds: .max))
        var turns = [Int](repeating: 0, count: 100)
        var mediumOf: [Int: Int] = [:]
        for medium in turns.indices { mediumOf[book.request(now: 0)] = medium }
        var holders: [(medium: Int, lease: Int)] = []
        for _ in 0..<10_000 {
            while let grant = book.takeGrant() {
                let medium = mediumOf.removeValue(forKey: grant.request)
                holders.append((try #require(medium), grant.lease))
            }
            for (index, holder) in holders.enumerated().reversed() {
                book.noteProgress(holder.lease, pictures: 1)
                guard book.isWantedBack(holder.lease, now: 0) else { continue }
                turns[holder.medium] += 1
                holders.remove(at: index)
                mediumOf[book.request(now: 0)] = holder.medium
                book.release(holder.lease, now: 0)
            }
        }
        let (fewest, most) = (try #require(turns.min()), try #require(turns.max()))
        #expect(fewest >= 49 && most - fewest <= 1, "\(fewest) to \(most) turns")
    }

    @Test func requestsThatLeaveDoNotPileUp() {
        let book = SharedBook(limit: 1)
        _ = book.request(now: 0)
        let first = book.request(now: 0)
        for _ in 0..<10_000 { #expect(book.cancel(book.request(now: 0), now: 0)) }
        #expect(book.waitingCount == 1)
        #expect(book.cancel(first, now: 0))
    }
}

/// A book that `#expect` may change: it takes no mutating calls.
private final class SharedBook {
    private var book: DecoderLeaseScheduler

    init(limit: Int, quantum: DecoderQuantum = .init()) { book = DecoderLeaseScheduler(limit: limit, quantum: quantum) }

    var attachedCount: Int { book.attachedCount }
    var peakAttachedCount: Int { book.peakAttachedCount }
    var waitingCount: Int { book.waitingCount }
    func request(for use: DecoderUse = .shown, now: Int64) -> Int { book.request(for: use, now: now) }
    func takeGrant() -> DecoderLeaseScheduler.Grant? { book.takeGrant() }
    func takeEviction() -> Int? { book.takeEviction() }
    func cancel(_ request: Int, now: Int64) -> Bool { book.cancel(request, now: now) }
    func idleLease(now: Int64) -> Int? { book.idleLease(now: now) }
    func becomeIdle(_ lease: Int) -> Bool { book.becomeIdle(lease) }
    func becomeBusy(_ lease: Int, now: Int64) -> Bool { book.becomeBusy(lease, now: now) }
    func noteProgress(_ lease: Int, pictures: Int) { book.noteProgress(lease, pictures: pictures) }
    func isWantedBack(_ lease: Int, now: Int64) -> Bool { book.isWantedBack(lease, now: now) }
    @discardableResult func release(_ lease: Int, now: Int64) -> Bool { book.release(lease, now: now) }
}
