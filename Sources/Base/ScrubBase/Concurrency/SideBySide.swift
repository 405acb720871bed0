internal import Synchronization

/// Work in parts that threads share.
package enum SideBySide {
    /// Does every part of some work once, in any order, and returns when all are done.
    ///
    /// The calling thread takes part. The others are started for this and have ended when it returns. If the system has
    /// no thread left, there are fewer.
    ///
    /// - Parameters:
    ///   - count: the number of parts. Several for each thread let one that is held up hold up little.
    ///   - threads: how many may be at work, the calling one among them; at least that one is.
    ///   - part: does the part of a number below `count`.
    package static func run(_ count: Int, threads: Int, _ part: @escaping @Sendable (Int) -> Void) {
        let counter = Counter()
        let work: @Sendable () -> Void = { while let number = counter.take(below: count) { part(number) } }
        let others = (1..<max(1, min(threads, count))).compactMap { _ in try? DedicatedThread(work) }
        work()
        for thread in others { thread.join() }
    }

    /// Does the parts as ``run(_:threads:_:)``, and returns their results in the order of their numbers.
    package static func map<Part: Sendable>(
        _ count: Int, threads: Int, _ part: @escaping @Sendable (Int) -> Part
    ) -> [Part] {
        let made = Locked([Part?](repeating: nil, count: count))
        run(count, threads: threads) { number in
            let result = part(number)
            made.withLock { $0[number] = result }
        }
        return made.withLock { $0.compactMap(\.self) }
    }

    /// Numbers that are given out once each.
    private final class Counter: Sendable {
        private let next = Atomic(0)

        /// Returns the next number, or `nil` when all below `limit` are given out.
        func take(below limit: Int) -> Int? {
            let number = next.add(1, ordering: .relaxed).oldValue
            return number < limit ? number : nil
        }
    }
}
