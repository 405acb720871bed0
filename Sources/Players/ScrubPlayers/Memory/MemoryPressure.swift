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
        var subscribers: [Int: AsyncStream<MemoryPressure.Level>.Continuation] = [:]
        var lastSubscriber = 0
    }

    private enum Phase { case unstarted, started, stopped }

    /// The part that the source's thread holds. It does not hold the monitor, so that releasing the monitor stops the
    /// source.
    private final class Core: Sendable {
        let state = Locked(State())

        func tell(_ level: MemoryPressure.Level) {
            // Yielding under the lock keeps the order. It does not run callers' code.
            state.withLock { state in
                guard state.phase != .stopped, state.level != level else { return }
                state.level = level
                for continuation in state.subscribers.values { continuation.yield(level) }
            }
        }
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

    /// A stream of the current level and each new one. A slow consumer receives only the newest. Each access of this
    /// property returns a separate stream with all levels, which ends with ``stop()``.
    public var levels: AsyncStream<MemoryPressure.Level> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: MemoryPressure.Level.self, bufferingPolicy: .bufferingNewest(1))
        let number = core.state.withLock { state -> Int? in
            guard state.phase != .stopped else { return nil }
            state.lastSubscriber += 1
            state.subscribers[state.lastSubscriber] = continuation
            continuation.yield(state.level)
            return state.lastSubscriber
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak core] _ in
            let gone = core?.state.withLock { $0.subscribers.removeValue(forKey: number) }
            withExtendedLifetime(gone) {}
        }
        return stream
    }

    /// The current number of consumers of ``levels``.
    package var subscriberCount: Int { core.state.withLock { $0.subscribers.count } }
}
