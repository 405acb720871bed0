import ScrubBase
import ScrubMediaLogic
import Testing

@testable import ScrubMedia

/// The place of a session or generator among those that share decoders.
@Suite struct DecoderSeatTests {
    private let clock = ScrubTransport.ManualClock()
    private let bell = Locked(0)

    private func seat(_ pool: DecoderPool, _ use: DecoderUse = .asked) -> DecoderLeaseHolder {
        DecoderLeaseHolder(pool, for: use) { [bell] in bell.withLock { $0 += 1 } }
    }

    private func pool(_ limit: Int) -> DecoderPool {
        DecoderPool(limit: limit, clock: clock, quantum: DecoderQuantum(pictures: 2, nanoseconds: .max))
    }

    @Test func onePlaceGoesToAndFro() {
        let pool = pool(1)
        let (first, second) = (seat(pool), seat(pool))
        #expect(first.take() && first.take() && !first.isWantedBack)
        #expect(!second.take() && pool.waitingCount == 1 && !second.take(), "once in line")
        #expect(!first.isWantedBack, "it has brought nothing")
        first.noteProgress()
        #expect(!first.isWantedBack, "its turn is not over")
        first.noteProgress()
        #expect(first.isWantedBack)
        let rung = bell.withLock { $0 }
        first.giveBack()
        #expect(bell.withLock { $0 } > rung && second.take() && !first.take())
        second.giveBack()
        #expect(first.take() && pool.peakAttachedCount == 1)
    }

    /// A decoder that rests is wanted at once, and may go on when it is not.
    @Test func whoRestsIsEvicted() {
        let pool = pool(1)
        let (first, second) = (seat(pool), seat(pool))
        #expect(first.take())
        first.rest()
        #expect(!first.isWantedBack && first.takeAhead() && first.take(), "none waits")
        first.rest()
        #expect(!second.take())
        #expect(first.isWantedBack && !first.take() && !first.takeAhead(), "it must be given back")
        first.giveBack()
        #expect(second.take() && !first.takeAhead() && pool.waitingCount == 0, "what is ahead does not queue")
    }

    /// What is decoded ahead takes a free decoder only, and has a turn once a caller waits for it.
    @Test func aLookAheadBecomesCurrent() {
        let pool = pool(1)
        let (first, second) = (seat(pool), seat(pool))
        #expect(first.takeAhead() && pool.attachedCount == 1)
        #expect(first.take(), "nothing wants it back")
        #expect(!second.take() && !first.isWantedBack)
        first.noteProgress()
        first.noteProgress()
        #expect(first.isWantedBack)
    }

    @Test func leavingTheLineAndReleasingGiveBack() {
        let pool = pool(1)
        var first: DecoderLeaseHolder? = seat(pool)
        let second = seat(pool)
        #expect(first?.take() == true && !second.take())
        second.rest()
        #expect(pool.waitingCount == 0)
        #expect(!second.take() && pool.waitingCount == 1)
        first = nil
        #expect(second.take() && pool.attachedCount == 1, "releasing it gives its decoder back")
        second.giveBack()
        second.giveBack()
        #expect((pool.attachedCount, pool.waitingCount) == (0, 0))
    }

    @Test func spareDecodersAreFreeOnesOnly() {
        let pool = pool(2)
        let spare = AdditionalDecoderLeases(pool) { [bell] in bell.withLock { $0 += 1 } }
        let (first, second) = (seat(pool, .shown), seat(pool))
        #expect(first.take() && spare.take() && !spare.take() && !spare.isWanted)
        let rung = bell.withLock { $0 }
        #expect(!second.take())
        #expect(spare.isWanted && !spare.take() && bell.withLock { $0 } == rung + 1)
        spare.giveBack(1)
        #expect(second.take() && !spare.isWanted && !spare.take() && pool.peakAttachedCount == 2)
    }
}
