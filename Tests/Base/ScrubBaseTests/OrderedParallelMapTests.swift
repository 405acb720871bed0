import ScrubBase
import Testing

@Suite struct OrderedWorkTests {
    @Test(arguments: [0, 1, 2, 7, 100], [1, 2, 3, 8]) func resultsComeInOrder(count: Int, threads: Int) throws {
        let work = try OrderedParallelMap(count, threads: threads) { $0 * $0 }
        #expect((0..<count).map { _ in work.next() } == (0..<count).map { $0 * $0 })
        #expect(work.next() == nil)
    }

    /// No more than twice the threads are ahead of the taker, and all are done once.
    @Test func staysNear() throws {
        let begun = Locked<[Int]>([])
        let work = try OrderedParallelMap(50, threads: 2) { number in
            begun.withLock { $0.append(number) }
            return number
        }
        for number in 0..<50 {
            #expect(work.next() == number)
            #expect((begun.withLock { $0.max() } ?? 0) <= number + 5)
        }
        #expect(begun.withLock { $0.sorted() } == Array(0..<50))
    }
}
