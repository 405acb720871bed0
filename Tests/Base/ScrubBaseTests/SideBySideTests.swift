internal import Glibc
internal import ScrubBase
internal import Testing

@Suite struct SideBySideTests {
    @Test(arguments: [0, 1, 2, 7, 100], [-1, 0, 1, 2, 3, 8, 200]) func everyPartOnce(count: Int, threads: Int) {
        let done = Locked([Int](repeating: 0, count: count))
        SideBySide.run(count, threads: threads) { number in done.withLock { $0[number] += 1 } }
        #expect(done.withLock { $0 } == [Int](repeating: 1, count: count))
    }

    @Test func callingThreadTakesPart() {
        let caller = Locked(pthread_self())
        let isOther = Locked(false)
        SideBySide.run(50, threads: 1) { _ in
            if pthread_equal(pthread_self(), caller.withLock { $0 }) == 0 { isOther.withLock { $0 = true } }
        }
        #expect(!isOther.withLock { $0 })
    }
}
