internal import Synchronization

/// An object that tells a source that the result of a read is no longer needed, for example because the frame is no
/// longer requested.
///
/// The library creates a separate object for each piece of work. A cancelled object stays cancelled. To cancel the
/// library's work, cancel the task that called the library. Decoders check for cancellation between packets; readers
/// check before each read and while they wait. The call then throws `CancellationError`.
///
/// A source that fetches bytes should check the object while it waits
/// (``PrefetchingByteSource/read(fromAbsoluteOffset:into:unless:)``):
///
/// ```swift
/// func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer, unless cancellation: Cancellation)
///     throws -> Int?
/// {
///     try cancellation.withCancellationHandler(
///         onCancel: { self.condition.broadcast() },
///         operation: {
///             while !self.has(offset) {
///                 if cancellation.isCancelled { return nil }
///                 self.condition.wait()
///             }
///             return self.copy(from: offset, to: buffer)
///         })
/// }
/// ```
///
/// Thread safety: safe from any thread.
public final class Cancellation: Sendable {
    private struct Waiting {
        var wakes: [Int: @Sendable () -> Void] = [:]
        var next = 0
    }

    private let flag = Atomic(false)
    private let waiting = Locked(Waiting())
    private let parent: Cancellation?
    private let isOver: (@Sendable () -> Bool)?

    /// Creates an object that is not cancelled.
    package init() { (parent, isOver) = (nil, nil) }

    /// Creates an object for a part of some work, or for work that also ends on a condition that is not announced, such
    /// as a signal to the process.
    ///
    /// - Parameters:
    ///   - parent: when cancelled, cancels this object too.
    ///   - isOver: called wherever this object is checked, including in reads that hold locks, so it must not wait. It
    ///     does not end waits.
    package init(within parent: Cancellation?, or isOver: (@Sendable () -> Bool)? = nil) {
        (self.parent, self.isOver) = (parent, isOver)
    }

    /// Whether the work is cancelled.
    public var isCancelled: Bool {
        if flag.load(ordering: .sequentiallyConsistent) { return true }
        guard parent?.isCancelled == true || isOver?() == true else { return false }
        flag.store(true, ordering: .sequentiallyConsistent)
        return true
    }

    /// Cancels the work, even while it is waiting.
    ///
    /// This call never blocks; waiting tasks are woken on the calling thread.
    package func cancel() {
        flag.store(true, ordering: .sequentiallyConsistent)
        for wake in waiting.withLock({ Array($0.wakes.values) }) { wake() }
    }

    /// Runs a read that may wait.
    ///
    /// - Parameters:
    ///   - handler: makes `operation` check again whether the work is cancelled. It may be called on any thread,
    ///     possibly shortly after `operation` has ended. It must take the lock under which `operation` checks and
    ///     waits; otherwise, a call between the check and the wait has no effect.
    ///   - operation: the read.
    public func withCancellationHandler<Result>(
        onCancel handler: @escaping @Sendable () -> Void, operation: () throws -> Result
    ) rethrows -> Result {
        let end = beginWaking(handler)
        defer { end() }
        return try operation()
    }

    /// Wakes like ``withCancellationHandler(onCancel:operation:)``, until the returned function is called.
    private func beginWaking(_ wake: @escaping @Sendable () -> Void) -> () -> Void {
        let number = waiting.withLock { waiting in
            waiting.next += 1
            waiting.wakes[waiting.next] = wake
            return waiting.next
        }
        let endAbove = parent?.beginWaking(wake)
        return { [self] in
            waiting.withLock { $0.wakes[number] = nil }
            endAbove?()
        }
    }
}

extension Cancellation {
    @TaskLocal private static var bound: Cancellation?

    /// The cancellation for the work on this thread; `nil` if there is none.
    ///
    /// A thread started for some work does not inherit the cancellation: pass it along and bind it in the new thread.
    package static var current: Cancellation? { bound }

    /// Whether the work on this thread is cancelled.
    package static var isCurrentCancelled: Bool { bound?.isCancelled ?? false }

    /// Throws if the work on this thread is cancelled.
    ///
    /// - Throws: ``ScrubError/cancelled``.
    package static func check() throws(ScrubError) {
        if isCurrentCancelled { throw .cancelled }
    }

    /// Runs work on this thread so that this object can cancel it.
    package func perform<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try Cancellation.performing(self, body)
    }

    /// Runs work on this thread under a different cancellation than the surrounding work, or none.
    package static func performing<Result, Failure>(
        _ cancellation: Cancellation?, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let result = $bound.withValue(cancellation) { () -> Swift.Result<Result, Failure> in
            do throws(Failure) { return .success(try body()) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Ends waits in calls that do not support this object when the work on this thread is cancelled.
    ///
    /// - Parameter leave: ends such waits. It may be called several times, on any thread.
    /// - Returns: a closure to call when the waits have ended.
    package static func beginLeaving(by leave: @escaping @Sendable () -> Void) -> () -> Void {
        guard let bound else { return {} }
        let end = bound.beginWaking(leave)
        // Cancelled before the wake function was registered.
        if bound.isCancelled { leave() }
        return end
    }
}
