internal import ScrubBase

/// A monitor of the machine's memory pressure. It is idle until ``start()``.
///
/// ```swift
/// let pressure = MemoryPressure()
/// try pressure.start()
/// for await level in pressure.levels { … }
/// ```
///
/// Thread safety: safe from any thread. Releasing the object stops it.
public final class MemoryPressure: Sendable {
    private struct State {
        var phase = Phase.unstarted
        var level = MemoryPressure.Level.normal
        var subscribers: [Int: Mailbox<MemoryPressure.Level>] = [:]
        var lastSubscriber = 0
    }

    private enum Phase { case unstarted, started, stopped }

    /// The part that the source's thread holds. It does not hold the monitor, so that releasing the monitor stops the
    /// source.
    private final class Core: Sendable {
        let state = Locked(State())

        func tell(_ level: MemoryPressure.Level) {
            // Under the lock, so that each reader sees the order. It does not run callers' code.
            state.withLock { state in
                guard state.phase != .stopped, state.level != level else { return }
                state.level = level
                for subscriber in state.subscribers.values { subscriber.put(level) }
            }
        }

        func forget(_ number: Int) { state.withLock { $0.subscribers[number] = nil } }
    }

    private let core = Core()
    private let source: any MemoryPressure.Source

    /// Creates a monitor of this machine's memory and the program's own control group, using
    /// ``MemoryPressure/SystemSource``.
    public convenience init() { self.init(source: MemoryPressure.SystemSource()) }

    /// Creates a monitor of a source.
    public init(source: any MemoryPressure.Source) { self.source = source }

    deinit { stop() }

    /// Starts monitoring. Further calls have no effect; it cannot be restarted after ``stop()``.
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

    /// Stops monitoring, and ends all ``levels``.
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
    public var level: MemoryPressure.Level { core.state.withLock { $0.level } }

    /// The origins of the information, such as `psi /proc/pressure/memory`; empty if the machine does not report memory
    /// pressure. Available after ``start()``.
    public var origins: [String] { source.origins }

    /// The current level and each new one, in order. A slow reader gets the newest level.
    ///
    /// Each access returns a separate sequence. The sequence ends when ``stop()`` is called, when the monitor is
    /// released, or when a task is cancelled while it waits for the next level.
    public var levels: MemoryPressure.Levels {
        let mailbox = Mailbox<MemoryPressure.Level>(limit: 1)
        let number = core.state.withLock { state -> Int? in
            guard state.phase != .stopped else { return nil }
            state.lastSubscriber += 1
            state.subscribers[state.lastSubscriber] = mailbox
            mailbox.put(state.level)
            return state.lastSubscriber
        }
        guard let number else {
            mailbox.finish()
            return MemoryPressure.Levels(reader: MailboxReader(mailbox) {})
        }
        return MemoryPressure.Levels(reader: MailboxReader(mailbox) { [weak core] in core?.forget(number) })
    }

    /// The current number of consumers of ``levels``.
    package var subscriberCount: Int { core.state.withLock { $0.subscribers.count } }
}

extension MemoryPressure {
    /// The levels of memory pressure as an asynchronous sequence (``MemoryPressure/levels``).
    ///
    /// The sequence holds only the newest level, so a slow reader misses earlier ones. Iterators of one sequence share
    /// its levels: each level goes to only one of them. The sequence never throws and does not keep the monitor alive.
    ///
    /// Thread safety: safe from any task. Only one task may use an iterator at a time.
    public struct Levels: AsyncSequence, Sendable {
        /// The type of a level.
        public typealias Element = MemoryPressure.Level
        /// The error type. The sequence never throws.
        public typealias Failure = Never

        let reader: MailboxReader<MemoryPressure.Level>

        /// Creates an iterator, which continues where the sequence's other iterators are.
        public func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

        /// An iterator over levels of memory pressure.
        public struct Iterator: AsyncIteratorProtocol {
            let reader: MailboxReader<MemoryPressure.Level>

            /// Returns the newest level that has not been returned yet, or waits for one. Returns `nil` after the end
            /// of the monitor, or after a task was cancelled while it waited for a level of this sequence.
            public mutating func next() async -> MemoryPressure.Level? { await reader.next() }
        }
    }
}
