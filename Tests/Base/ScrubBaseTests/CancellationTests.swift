import Testing

@testable import ScrubBase

@Suite struct CancellationTests {
    /// Cancelling one ends its parts, and no other work.
    @Test func partsEndWithTheWhole() {
        let whole = Cancellation()
        let (part, other) = (Cancellation(within: whole), Cancellation(within: whole))
        part.cancel()
        #expect(part.isCancelled && !whole.isCancelled && !other.isCancelled)
        whole.cancel()
        #expect(whole.isCancelled && other.isCancelled)
    }

    /// A condition that was true once counts for good.
    @Test func conditionsAreNotTakenBack() {
        let isOver = Locked(false)
        let work = Cancellation(within: nil) { isOver.withLock { $0 } }
        let part = Cancellation(within: work)
        #expect(!part.isCancelled)
        isOver.withLock { $0 = true }
        #expect(part.isCancelled)
        isOver.withLock { $0 = false }
        #expect(work.isCancelled && part.isCancelled)
    }

    @Test func theNearestOneIsCurrent() throws {
        let (outer, inner) = (Cancellation(), Cancellation())
        #expect(Cancellation.current == nil && !Cancellation.isCurrentCancelled)
        outer.cancel()
        let error = #expect(throws: ScrubError.self) {
            try outer.perform { () throws(ScrubError) in
                try inner.perform { () throws(ScrubError) in try Cancellation.check() }
                try Cancellation.performing(nil) { () throws(ScrubError) in try Cancellation.check() }
                #expect(Cancellation.current === outer)
                try Cancellation.check()
            }
        }
        #expect(error?.isCancellation == true && error?.inFile("a").isCancellation == true)
        #expect(ScrubError(.unavailable, "the operation was cancelled").isCancellation == false)
    }

    /// A wait is woken by its own cancellation and by that of the whole; one that is over by neither.
    @Test func waitsAreWoken() {
        let (whole, count) = (Cancellation(), Locked(0))
        let wake: @Sendable () -> Void = { count.withLock { $0 += 1 } }
        let part = Cancellation(within: whole)
        part.withCancellationHandler(
            onCancel: wake,
            operation: {
                whole.cancel()
                #expect(count.withLock { $0 } == 1)
                part.cancel()
            })
        #expect(count.withLock { $0 } == 2)
        whole.cancel()
        #expect(count.withLock { $0 } == 2)
    }

    /// A wait that begins when the work is over already ends at once.
    @Test func lateWaitsEndAtOnce() {
        let (work, count) = (Cancellation(), Locked(0))
        work.cancel()
        work.perform {
            let end = Cancellation.beginLeaving { count.withLock { $0 += 1 } }
            #expect(count.withLock { $0 } == 1)
            end()
        }
        work.cancel()
        #expect(count.withLock { $0 } == 1)
        Cancellation.beginLeaving { count.withLock { $0 += 1 } }()
        #expect(count.withLock { $0 } == 1)
    }

    /// Threads that wait and one that cancels meet in every order.
    @Test func noWakeIsLost() throws {
        for _ in 0..<200 {
            let (work, bell) = (Cancellation(), TimedBell(0))
            let waiter = try DedicatedThread {
                work.withCancellationHandler(
                    onCancel: { bell.ring { $0 += 1 } },
                    operation: { bell.wait { _ in work.isCancelled ? .done(()) : .sleep(nil) } })
            }
            work.cancel()
            waiter.join()
        }
    }
}
