import ScrubBase
import Testing

@Suite struct MailboxTests {
    @Test(arguments: [1, 3]) func theNewestStay(_ limit: Int) async {
        let mailbox = Mailbox<Int>(limit: limit)
        for value in 0..<10 { mailbox.put(value) }
        mailbox.finish()
        mailbox.put(10)
        var values: [Int] = []
        while let value = await mailbox.next() { values.append(value) }
        #expect(values == Array(10 - limit..<10))
    }

    /// Each value goes to one of the readers, and the end to all.
    @Test func readersShareTheValues() async {
        let mailbox = Mailbox<Int>(limit: 100)
        let tasks = (0..<3).map { _ in
            Task {
                var mine: [Int] = []
                while let value = await mailbox.next() { mine.append(value) }
                return mine
            }
        }
        for value in 0..<100 {
            mailbox.put(value)
            await Task.yield()
        }
        mailbox.finish()
        var all: [Int] = []
        for task in tasks {
            let mine = await task.value
            #expect(mine == mine.sorted())
            all += mine
        }
        #expect(all.sorted() == Array(0..<100))
    }

    /// A value that is dropped may use the mailbox while it is released.
    @Test func aDroppedValueMayCallBack() async {
        final class Value: Sendable {
            private let released: @Sendable () -> Void
            init(_ released: @escaping @Sendable () -> Void) { self.released = released }
            deinit { released() }
        }
        let mailbox = Mailbox<Value>(limit: 1)
        let count = Locked(0)
        for _ in 0..<3 {
            let value = Value { [weak mailbox] in
                count.withLock { $0 += 1 }
                mailbox?.finish()
            }
            mailbox.put(value)
        }
        // The first was dropped for the second, which ended the mailbox before the third.
        #expect(count.withLock { $0 } == 2)
        #expect(await mailbox.next() != nil)
        #expect(await mailbox.next() == nil)
    }

    @Test func aReleasedReaderIsForgotten() async {
        let mailbox = Mailbox<Int>(limit: 1)
        let forgotten = Locked(0)
        do {
            let reader = MailboxReader(mailbox) { forgotten.withLock { $0 += 1 } }
            mailbox.put(1)
            #expect(await reader.next() == 1)
            #expect(forgotten.withLock { $0 } == 0)
            withExtendedLifetime(reader) {}
        }
        #expect(forgotten.withLock { $0 } == 1)
        mailbox.put(2)
        #expect(await mailbox.next() == nil)
    }

    @Test func aCancelledTaskEndsIt() async {
        let mailbox = Mailbox<Int>(limit: 1)
        let forgotten = Locked(0)
        let reader = MailboxReader(mailbox) { forgotten.withLock { $0 += 1 } }
        let task = Task { await reader.next() }
        task.cancel()
        #expect(await task.value == nil)
        mailbox.put(1)
        #expect(await reader.next() == nil)
        #expect(forgotten.withLock { $0 } > 0)
    }
}
