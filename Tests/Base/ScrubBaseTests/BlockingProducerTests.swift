import ScrubBase
import Testing

@Suite struct BlockingProducerTests {
    /// As many values are made as there is room for, and never one more.
    @Test(arguments: [1, 4]) func aSlowReaderMakesItWait(_ ahead: Int) async throws {
        let made = Locked(0)
        let producer = try BlockingProducer<Int>(ahead: ahead) { (deliver) throws(ScrubError) in
            for value in 0..<200 {
                made.withLock { $0 += 1 }
                try deliver(value)
            }
        }
        for value in 0..<200 {
            #expect(try await producer.next() == value)
            // Those that were taken, those that wait, and the one that finds no room.
            let most = min(200, value + 1 + ahead + 1)
            while made.withLock({ $0 }) < most { await Task.yield() }
            for _ in 0..<5 { await Task.yield() }
            #expect(made.withLock { $0 } == most)
        }
        #expect(try await producer.next() == nil)
    }

    @Test func itEndsWithItsReader() async throws {
        let ended = BoundedAsyncQueue<Bool>(capacity: 1)
        var producer: BlockingProducer<Int>? = try BlockingProducer(ahead: 1) { (deliver) throws(ScrubError) in
            defer { ended.push(true) }
            for value in 0... { try deliver(value) }
        }
        #expect(try await producer?.next() == 0)
        producer = nil
        #expect(await ended.next() == true)
    }

    @Test func itEndsWithItsTask() async throws {
        let ended = BoundedAsyncQueue<Bool>(capacity: 1)
        let producer = try BlockingProducer<Int>(ahead: 1) { (deliver) throws(ScrubError) in
            defer { ended.push(true) }
            try deliver(0)
            // As a call that waits for a disk does.
            while !Cancellation.isCurrentCancelled {}
            throw .cancelled
        }
        let task = Task {
            while try await producer.next() != nil {}
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await ended.next() == true)
    }

    @Test func anErrorFollowsTheValues() async throws {
        let producer = try BlockingProducer<Int>(ahead: 2) { (deliver) throws(ScrubError) in
            try deliver(1)
            throw ScrubError(.badData, "made up")
        }
        #expect(try await producer.next() == 1)
        let error = await #expect(throws: ScrubError.self) { _ = try await producer.next() }
        #expect(error?.code == .badData)
        #expect(try await producer.next() == nil)
    }
}
