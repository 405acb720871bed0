internal import Glibc

/// Threads of this library's own for work that blocks, so that the threads that Swift's tasks share never wait for a
/// disk or a decoder.
///
/// Thread safety: safe from any thread. Memory: a thread for each piece of work under way, up to a limit; work beyond
/// the limit waits in order. A thread ends when nothing waits.
package final class BlockingThreads: Sendable {
    private struct Work {
        let run: @Sendable () -> Void
        let fail: @Sendable (ScrubError) -> Void
    }

    private struct State {
        var waiting: [Work] = []
        var running = 0
    }

    private let state = Locked(State())
    private let limit: Int

    /// For openings and conversions. Twice the processors: openings wait for the disk most of the time.
    package static let shared = BlockingThreads(limit: max(4, 2 * Processors.count))

    /// - Parameter limit: the most threads at a time, 1 or more.
    package init(limit: Int) { self.limit = max(1, limit) }

    /// Runs something that blocks, and waits for it without blocking.
    ///
    /// - Throws: the error of `body`, or `inputOutput` if the system has no thread left.
    package func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            start {
                continuation.resume(with: Swift.Result(catching: body))
            } failing: {
                continuation.resume(throwing: $0)
            }
        }
    }

    /// Runs something that blocks, later and on another thread.
    ///
    /// - Parameter fail: called instead when the system has no thread left.
    package func start(_ body: @escaping @Sendable () -> Void, failing fail: @escaping @Sendable (ScrubError) -> Void) {
        submit(Work(run: body, fail: fail))
    }

    private func submit(_ work: Work) {
        let startsThread = state.withLock { state in
            state.waiting.append(work)
            guard state.running < limit else { return false }
            state.running += 1
            return true
        }
        guard startsThread else { return }
        do throws(ScrubError) {
            try DedicatedThread { [self] in drain() }.detach()
        } catch {
            // Threads that run take it along; without any it would never run.
            let abandoned = state.withLock { state -> [Work] in
                state.running -= 1
                guard state.running == 0 else { return [] }
                defer { state.waiting = [] }
                return state.waiting
            }
            for work in abandoned { work.fail(error) }
        }
    }

    private func drain() {
        while let work = next() { work.run() }
    }

    /// Returns the next piece of work; `nil`, and one thread less, if nothing waits.
    private func next() -> Work? {
        state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.running -= 1
            return nil
        }
    }
}
