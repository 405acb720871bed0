import ScrubBase
import Testing

@Suite struct HandoverTests {
    @Test(arguments: [0, 1, 3, 1000]) func valuesArriveInOrder(_ capacity: Int) throws {
        let handover = BoundedQueue<Int>(capacity: capacity)
        let producer = try DedicatedThread {
            for value in 0..<2000 { handover.push(value) }
            handover.close()
        }
        var arrived: [Int] = []
        while let value = handover.pop() { arrived.append(value) }
        producer.join()
        #expect(arrived == Array(0..<2000))
        #expect(handover.pop() == nil)
    }

    /// However many bring and take, each value arrives once, and each taker sees each bringer's values in order.
    @Test func manyThreadsShareIt() throws {
        let handover = BoundedQueue<(producer: Int, value: Int)>(capacity: 2)
        let taken = Locked<[[(producer: Int, value: Int)]]>([])
        let producers = try (0..<3).map { producer in
            try DedicatedThread { for value in 0..<500 { handover.push((producer, value)) } }
        }
        let consumers = try (0..<3).map { _ in
            try DedicatedThread {
                var mine: [(producer: Int, value: Int)] = []
                while let element = handover.pop() { mine.append(element) }
                taken.withLock { $0.append(mine) }
            }
        }
        for thread in producers { thread.join() }
        handover.close()
        for thread in consumers { thread.join() }
        let all = taken.withLock { $0 }
        #expect(all.count == 3)
        for producer in 0..<3 {
            let values = all.map { mine in mine.filter { $0.producer == producer }.map(\.value) }
            #expect(values.allSatisfy { zip($0, $0.dropFirst()).allSatisfy { $0 < $1 } })
            #expect(values.flatMap { $0 }.sorted() == Array(0..<500))
        }
    }

    /// Never more values wait than there is room for, however the threads take turns.
    @Test(arguments: [1, 4]) func aFullHandoverMakesProducersWait(_ capacity: Int) throws {
        let handover = BoundedQueue<Int>(capacity: capacity)
        let brought = Locked(0)
        let producer = try DedicatedThread {
            for value in 0..<1000 where handover.push(value) { brought.withLock { $0 += 1 } }
            handover.close()
        }
        var taken = 0
        var most = 0
        while handover.pop() != nil {
            most = max(most, brought.withLock { $0 } - taken)
            taken += 1
        }
        producer.join()
        #expect(taken == 1000)
        // The value just taken made room for one that may have been brought since.
        #expect(most <= capacity + 1)
    }

    /// Without a consumer, only as many values go in as there is room for; closing releases the producer.
    @Test func closingReleasesWhoBrings() throws {
        let (handover, isFull) = (BoundedQueue<Int>(capacity: 3), BoundedQueue<Void>(capacity: 1))
        let accepted = Locked<[Bool]>([])
        let producer = try DedicatedThread {
            for value in 0..<3 {
                let isTaken = handover.push(value)
                accepted.withLock { $0.append(isTaken) }
            }
            isFull.push(())
            let isTaken = handover.push(3)
            accepted.withLock { $0.append(isTaken) }
        }
        #expect(isFull.pop() != nil)
        handover.close()
        producer.join()
        #expect(accepted.withLock { $0 } == [true, true, true, false])
        // Values that wait can still be taken.
        #expect((0..<4).map { _ in handover.pop() } == [0, 1, 2, nil])
        #expect(!handover.push(4))
    }

    @Test func closingReleasesWhoTakes() throws {
        let handover = BoundedQueue<Int>(capacity: 1)
        let results = Locked<[Int?]>([])
        let consumers = try (0..<4).map { _ in
            try DedicatedThread {
                let value = handover.pop()
                results.withLock { $0.append(value) }
            }
        }
        handover.push(7)
        handover.close()
        for thread in consumers { thread.join() }
        let found = results.withLock { $0 }
        #expect(found.count == 4 && found.compactMap { $0 } == [7])
    }

    @Test func lookingDoesNotWait() {
        let handover = BoundedQueue<Int>(capacity: 2)
        #expect(!handover.wantsAttention)
        handover.push(1)
        #expect(handover.wantsAttention)
        #expect(handover.pop() == 1)
        #expect(!handover.wantsAttention)
        handover.close()
        #expect(handover.wantsAttention && handover.pop() == nil)
    }
}
