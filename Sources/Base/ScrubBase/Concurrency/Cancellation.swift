internal import Synchronization

/// Cancels work whose result is no longer needed, such as the reads for a frame that is no longer requested.
///
/// Each piece of work has one, which is never taken back. Blocking calls of the library look for the one of their
/// thread: decoders between two packets, readers before each read and while they wait. An asynchronous call cancels it
/// with the caller's task, and throws `CancellationError`.
///
/// A source that fetches bytes checks it while it waits
/// (``PrefetchingByteSource/read(fromAbsoluteOffset:into:unless:)``):
///
/// ```swift
/// func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer, unless cancellation: Cancellation)
///     throws -> Int?
/// {
///     try cancellation.waking({ self.condition.broadcast() }) {
///         while !self.has(offset) {
///             if cancellation.isCancelled { return nil }
///             self.condition.wait()
///         }
///         return self.copy(from: offset, to: buffer)
///     }
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

    /// Creates one that is not cancelled.
    public init() { (parent, isOver) = (nil, nil) }

    /// Creates one for a part of some work, or for work that also ends by a condition that nothing announces, such as a
    /// signal to the process.
    ///
    /// - Parameters:
    ///   - parent: cancels this one too.
    ///   - isOver: asked wherever this is, also in reads that hold locks: it must not wait. Waits are not woken by it.
    package init(within parent: Cancellation?, or isOver: (@Sendable () -> Bool)? = nil) {
        (self.parent, self.isOver) = (parent, isOver)
    }

    /// Whether the work is to end.
    public var isCancelled: Bool {
        if flag.load(ordering: .sequentiallyConsistent) { return true }
        guard parent?.isCancelled == true || isOver?() == true else { return false }
        flag.store(true, ordering: .sequentiallyConsistent)
        return true
    }

    /// Cancels the work, also where it waits.
    ///
    /// Never blocks: waiting tasks are woken on this thread.
    public func cancel() {
        flag.store(true, ordering: .sequentiallyConsistent)
        for wake in waiting.withLock({ Array($0.wakes.values) }) { wake() }
    }

    /// Runs a read that may wait.
    ///
    /// - Parameters:
    ///   - wake: has `body` look again whether this is cancelled. Called on any thread, also shortly after `body` has
    ///     ended. It must take the lock under which `body` looks and waits, or the call may come between both.
    ///   - body: the read.
    public func waking<Result>(_ wake: @escaping @Sendable () -> Void, _ body: () throws -> Result) rethrows -> Result {
        let end = beginWaking(wake)
        defer { end() }
        return try body()
    }

    /// As ``waking(_:_:)``, until the returned function is called.
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

    /// The one that ends the work on this thread; `nil` where nothing does.
    ///
    /// A thread that is started for some work does not inherit it: hand it over, and bind it there.
    package static var current: Cancellation? { bound }

    /// Whether the work on this thread is to end.
    package static var isCurrentCancelled: Bool { bound?.isCancelled ?? false }

    /// Ends the work on this thread if it is cancelled.
    ///
    /// - Throws: ``ScrubError/cancelled``.
    package static func check() throws(ScrubError) {
        if isCurrentCancelled { throw .cancelled }
    }

    /// Runs work on this thread that ends with this.
    package func perform<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try Cancellation.performing(self, body)
    }

    /// Runs work on this thread that ends with another one than the work around it, or with none.
    package static func performing<Result, Failure>(
        _ cancellation: Cancellation?, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let result = $bound.withValue(cancellation) { () -> Swift.Result<Result, Failure> in
            do throws(Failure) { return .success(try body()) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Ends waits in calls that know nothing of this when the work on this thread is cancelled.
    ///
    /// - Parameter leave: ends such waits; may be called several times, on any thread.
    /// - Returns: call it when they are over.
    package static func beginLeaving(by leave: @escaping @Sendable () -> Void) -> () -> Void {
        guard let bound else { return {} }
        let end = bound.beginWaking(leave)
        // It was cancelled before it could wake a reader.
        if bound.isCancelled { leave() }
        return end
    }
}

/// The name until 1.0.
@available(*, deprecated, renamed: "Cancellation")
public typealias ReadInterruption = Cancellation

extension Cancellation {
    /// Whether the work is to end.
    @available(*, deprecated, renamed: "isCancelled")
    public var isRaised: Bool { isCancelled }

    /// Cancels the work, also where it waits.
    @available(*, deprecated, renamed: "cancel")
    public func raise() { cancel() }

    /// Takes the cancellation back.
    @available(*, deprecated, message: "make another one for the next piece of work")
    public func lower() { flag.store(false, ordering: .sequentiallyConsistent) }
}
