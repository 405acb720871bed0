internal import Synchronization

/// Work that is done in parts in parallel.
package enum SideBySide {
    /// Does each part of some work once, in any order, and returns when all parts are done.
    ///
    /// The calling thread participates. The other threads are started for this call and have ended when it returns. If
    /// the system cannot create enough threads, fewer are used.
    ///
    /// - Parameters:
    ///   - count: the number of parts. Several parts per thread reduce the effect of a slow one.
    ///   - threads: the maximum number of working threads, including the calling one, which always works.
    ///   - part: does the part with the given number, which is below `count`.
    package static func run(_ count: Int, threads: Int, _ part: @escaping @Sendable (Int) -> Void) {
        let counter = Counter()
        let work: @Sendable () -> Void = { while let number = counter.take(below: count) { part(number) } }
        let others = (1..<max(1, min(threads, count))).compactMap { _ in try? DedicatedThread(work) }
        work()
        for thread in others { thread.join() }
    }

    /// Does the parts like ``run(_:threads:_:)``, and returns their results in order.
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

    /// A counter that gives out each number once.
    private final class Counter: Sendable {
        private let next = Atomic(0)

        /// Returns the next number, or `nil` if all numbers below `limit` have been given out.
        func take(below limit: Int) -> Int? {
            let number = next.add(1, ordering: .relaxed).oldValue
            return number < limit ? number : nil
        }
    }
}
