internal import Synchronization

/// Interrupts waiting reads whose bytes are no longer needed, such as those of a frame that the finger has left.
///
/// The reader lowers it before each piece of work. A caller with newer work raises it. A source that fetches bytes
/// checks it while it waits (``PrefetchingByteSource/read(fromAbsoluteOffset:into:unless:)``):
///
/// ```swift
/// func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer, unless interruption: ReadInterruption)
///     throws -> Int?
/// {
///     try interruption.waking({ self.condition.broadcast() }) {
///         while !self.has(offset) {
///             if interruption.isRaised { return nil }
///             self.condition.wait()
///         }
///         return self.copy(from: offset, to: buffer)
///     }
/// }
/// ```
///
/// Thread safety: safe from any thread.
public final class ReadInterruption: Sendable {
    private struct Waiting {
        var wakes: [Int: @Sendable () -> Void] = [:]
        var next = 0
    }

    private let raised = Atomic(false)
    private let waiting = Locked(Waiting())

    /// Creates an interruption that is not raised.
    public init() {}

    /// Whether reads are to be left.
    public var isRaised: Bool { raised.load(ordering: .sequentiallyConsistent) }

    /// Has reads left, those that wait now and those that come, until it is lowered.
    ///
    /// Never blocks: waiting tasks are woken on this thread.
    public func raise() {
        raised.store(true, ordering: .sequentiallyConsistent)
        for wake in waiting.withLock({ Array($0.wakes.values) }) { wake() }
    }

    /// Lets reads wait again.
    public func lower() { raised.store(false, ordering: .sequentiallyConsistent) }

    /// Runs a read that may wait.
    ///
    /// - Parameters:
    ///   - wake: has `body` look again whether this is raised. Called on any thread, also shortly after `body` has
    ///     ended. It must take the lock under which `body` looks and waits, or the call may come between both.
    ///   - body: the read.
    public func waking<Result>(_ wake: @escaping @Sendable () -> Void, _ body: () throws -> Result) rethrows -> Result {
        let number = waiting.withLock { waiting in
            waiting.next += 1
            waiting.wakes[waiting.next] = wake
            return waiting.next
        }
        defer { waiting.withLock { $0.wakes[number] = nil } }
        return try body()
    }
}
