internal import ScrubBase

/// The scarcity of the machine's memory, as it changes. Nothing runs until ``start()``.
///
/// ```swift
/// let pressure = MemoryPressure()
/// try pressure.start()
/// for await level in pressure.levels { … }
/// ```
///
/// Thread safety: safe from any thread. Releasing it stops it.
public final class MemoryPressure: Sendable {
    private struct State {
        var phase = Phase.unstarted
        var level = MemoryPressure.Level.normal
        var subscribers: [Int: AsyncStream<MemoryPressure.Level>.Continuation] = [:]
        var lastSubscriber = 0
    }

    private enum Phase { case unstarted, started, stopped }

    /// The part that the source's thread holds: not the object, so that its going stops the source.
    private final class Core: Sendable {
        let state = Locked(State())

        func tell(_ level: MemoryPressure.Level) {
            // Yielding under the lock keeps the order; it runs no code of callers.
            state.withLock { state in
                guard state.phase != .stopped, state.level != level else { return }
                state.level = level
                for continuation in state.subscribers.values { continuation.yield(level) }
            }
        }
    }

    private let core = Core()
    private let source: any MemoryPressure.Source

    /// Watches this machine's memory and the program's own control group: ``MemoryPressure/SystemSource``.
    public convenience init() { self.init(source: MemoryPressure.SystemSource()) }

    /// Creates an object that watches a source.
    public init(source: any MemoryPressure.Source) { self.source = source }

    deinit { stop() }

    /// Begins. More calls do nothing; after ``stop()`` it does not begin again.
    ///
    /// - Throws: `inputOutput` when the system has no thread or descriptor left.
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

    /// Ends it, and all ``levels``.
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

    /// The present level.
    public var level: MemoryPressure.Level { core.state.withLock { $0.level } }

    /// The sources of the knowledge, such as `psi /proc/pressure/memory`; empty when the machine does not say. Known
    /// after ``start()``.
    public var origins: [String] { source.origins }

    /// The present level and each new one; a late reader gets the newest only. Each value of this property hears
    /// everything. It ends with ``stop()``.
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

    /// Those who hear ``levels`` now.
    package var subscriberCount: Int { core.state.withLock { $0.subscribers.count } }
}
