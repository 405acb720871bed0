internal import Glibc

/// The library's own threads for blocking work, so that the threads that Swift tasks share never wait for a disk or a
/// decoder.
///
/// Thread safety: safe from any thread. Memory: one thread for each piece of work in progress, up to a limit; work
/// beyond the limit waits in order. A thread ends when there is no waiting work.
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

    /// Threads for openings and conversions: twice the number of processors, because openings mostly wait for the disk.
    package static let shared = BlockingThreads(limit: max(4, 2 * Processors.count))

    /// Creates a pool.
    ///
    /// - Parameter limit: the maximum number of concurrent threads, 1 or more.
    package init(limit: Int) { self.limit = max(1, limit) }

    /// Runs blocking work and waits for it without blocking.
    ///
    /// - Throws: the error of `body`, or `inputOutput` if the system cannot create a thread.
    package func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            start {
                continuation.resume(with: Swift.Result(catching: body))
            } failing: {
                continuation.resume(throwing: $0)
            }
        }
    }

    /// Runs blocking work later on another thread.
    ///
    /// - Parameter fail: called instead if the system cannot create a thread.
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
            // Running threads will take the work; if there were none, it would never run.
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

    /// Returns the next piece of work. If none is waiting, returns `nil` and decrements the number of threads.
    private func next() -> Work? {
        state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.running -= 1
            return nil
        }
    }
}
