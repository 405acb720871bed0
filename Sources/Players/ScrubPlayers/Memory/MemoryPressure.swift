internal import ScrubBase

/// A monitor of memory pressure. It does nothing until ``start()`` is called.
///
/// ```swift
/// let pressure = MemoryPressureMonitor()
/// try pressure.start()
/// for await level in pressure.levels { … }
/// ```
///
/// Thread safety: safe from any thread. Releasing the monitor stops it.
public final class MemoryPressureMonitor: Sendable {
    private struct State {
        var phase = Phase.unstarted
        var level = MemoryPressureMonitor.Level.normal
        var subscribers: [Int: Mailbox<MemoryPressureMonitor.Level>] = [:]
        var lastSubscriber = 0
    }

    private enum Phase { case unstarted, started, stopped }

    /// The part that the source's closure retains. The closure does not retain the monitor, so releasing the monitor
    /// stops the source.
    private final class Core: Sendable {
        let state = Locked(State())

        func tell(_ level: MemoryPressureMonitor.Level) {
            // This is done under the lock so that all readers receive the levels in the same order. It does not call
            // any code of callers.
            state.withLock { state in
                guard state.phase != .stopped, state.level != level else { return }
                state.level = level
                for subscriber in state.subscribers.values { subscriber.put(level) }
            }
        }

        func forget(_ number: Int) { state.withLock { $0.subscribers[number] = nil } }
    }

    private let core = Core()
    private let source: any MemoryPressureMonitor.Source

    /// Creates a monitor of the memory of this machine and of the process's control group, using
    /// ``MemoryPressureMonitor/SystemSource``.
    public convenience init() { self.init(source: MemoryPressureMonitor.SystemSource()) }

    /// Creates a monitor that receives levels from a source.
    public init(source: any MemoryPressureMonitor.Source) { self.source = source }

    deinit { stop() }

    /// Starts monitoring. Further calls have no effect. A monitor cannot be restarted after ``stop()``.
    ///
    /// - Throws: `inputOutput` if the system cannot provide a thread or a file descriptor.
    public func start() throws(ScrubError) {
        let isFirst = core.state.withLock { state in
            defer { if state.phase == .unstarted { state.phase = .started } }
            return state.phase == .unstarted
        }
        guard isFirst else { return }
        let core = core
        do throws(ScrubError) {
            try source.start { core.tell($0) }
        } catch {
            core.state.withLock { $0.phase = .unstarted }
            throw error
        }
    }

    /// Stops monitoring, and ends all sequences returned by ``levels``.
    public func stop() {
        let (wasStarted, subscribers) = core.state.withLock { state in
            let wasStarted = state.phase == .started
            state.phase = .stopped
            defer { state.subscribers = [:] }
            return (wasStarted, Array(state.subscribers.values))
        }
        if wasStarted { source.stop() }
        for subscriber in subscribers { subscriber.finish() }
    }

    /// The current level.
    public var level: MemoryPressureMonitor.Level { core.state.withLock { $0.level } }

    /// Where the levels come from, such as `psi /proc/pressure/memory`; empty before ``start()``, and if the machine
    /// does not report memory pressure.
    public var origins: [String] { source.origins }

    /// The current level and each new one, in order. A slow reader receives only the newest level.
    ///
    /// Each access returns a separate sequence. The sequence ends when ``stop()`` is called, when the monitor is
    /// released, or when a task is cancelled while it is waiting for the next level.
    public var levels: MemoryPressureMonitor.Levels {
        let mailbox = Mailbox<MemoryPressureMonitor.Level>(limit: 1)
        let number = core.state.withLock { state -> Int? in
            guard state.phase != .stopped else { return nil }
            state.lastSubscriber += 1
            state.subscribers[state.lastSubscriber] = mailbox
            mailbox.put(state.level)
            return state.lastSubscriber
        }
        guard let number else {
            mailbox.finish()
            return MemoryPressureMonitor.Levels(reader: MailboxReader(mailbox) {})
        }
        return MemoryPressureMonitor.Levels(reader: MailboxReader(mailbox) { [weak core] in core?.forget(number) })
    }

    /// The current number of consumers of ``levels``.
    package var subscriberCount: Int { core.state.withLock { $0.subscribers.count } }
}

extension MemoryPressureMonitor {
    /// An asynchronous sequence of levels of memory pressure (``MemoryPressureMonitor/levels``).
    ///
    /// The sequence holds only the newest level, so a slow reader misses earlier ones. Iterators of one sequence share
    /// its levels: each level goes to only one of them. The sequence never throws and does not keep the monitor alive.
    ///
    /// Thread safety: safe from any task. Only one task may use an iterator at a time.
    public struct Levels: AsyncSequence, Sendable {
        /// The type of a level.
        public typealias Element = MemoryPressureMonitor.Level
        /// The error type. The sequence never throws.
        public typealias Failure = Never

        let reader: MailboxReader<MemoryPressureMonitor.Level>

        /// Creates an iterator, which shares the remaining levels with the sequence's other iterators.
        public func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

        /// An iterator over levels of memory pressure.
        public struct Iterator: AsyncIteratorProtocol {
            let reader: MailboxReader<MemoryPressureMonitor.Level>

            /// Returns the newest level that has not been returned yet, or waits for one. Returns `nil` once the
            /// monitor has stopped, or after a task was cancelled while it was waiting for a level of this sequence.
            public mutating func next() async -> MemoryPressureMonitor.Level? { await reader.next() }
        }
    }
}
