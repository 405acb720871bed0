import ScrubBase
import ScrubTestSupport
import Testing

@testable import ScrubLibAV
@testable import ScrubMedia

/// The count of pictures that callers hold.
@Suite struct PictureLoansTests {
    private func picture() throws -> SharedFrame {
        SharedFrame(try FrameAllocator(reserveCount: 0).picture(width: 32, height: 32, format: .rgb24))
    }

    @Test func aLoanIsCountedOnceAndWaitsUntilItIsHandedOut() throws {
        let budget = ByteBudget(limit: 1 << 20)
        let waiting = Locked(0)
        let loans = HeldPictures(budget.join(), waitingByteCount: waiting)
        let picture = try picture()
        var held = [loans.lend(picture), loans.lend(picture)]
        #expect(held[0] === held[1] && loans.byteCount == picture.byteCount)
        #expect(waiting.withLock { $0 } == picture.byteCount)
        held[0]?.handOut()
        held[1]?.handOut()
        #expect(waiting.withLock { $0 } == 0)
        held = []
        #expect(loans.byteCount == 0 && waiting.withLock { $0 } == 0)
        // One that was never handed out waits no longer either.
        held = [loans.lend(picture)]
        held = []
        #expect(loans.byteCount == 0 && waiting.withLock { $0 } == 0)
    }

    /// A loan may end while another thread begins one of the same picture, and looks for the one that ends.
    @Test func threadsLendAndDropOnePicture() throws {
        let budget = ByteBudget(limit: 1 << 20)
        let loans = HeldPictures(budget.join())
        let picture = try picture()
        let refused = Locked(0)
        SideBySide.run(4, threads: 4) { _ in
            for _ in 0..<100_000 where loans.lend(picture) == nil { refused.withLock { $0 += 1 } }
        }
        #expect(loans.byteCount == 0 && refused.withLock { $0 } == 0)
    }
}
