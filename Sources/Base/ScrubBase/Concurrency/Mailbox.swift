/// A buffer between a source of values and the tasks that read them. It keeps a limited number of values that no task
/// has taken yet, and drops the oldest one to make room.
///
/// The source holds the mailbox, and readers hold a ``MailboxReader``. Each value goes to one reader: the one that has
/// waited longest.
///
/// Thread safety: safe from any thread. Putting a value never waits. Memory: at most the limit of values.
package final class Mailbox<Element: Sendable>: Sendable {
    private struct State {
        /// The values that no reader has taken, oldest first. It is empty while a reader waits.
        var values: [Element] = []
        /// The waiting readers, in the order of their arrival.
        var waiters: [CheckedContinuation<Element?, Never>] = []
        var isFinished = false
    }

    private let state = Locked(State())
    private let limit: Int

    /// Creates an empty mailbox.
    ///
    /// - Parameter limit: the maximum number of values that wait for a reader, 1 or more.
    package init(limit: Int) { self.limit = max(1, limit) }

    /// Gives a value to a waiting reader, or keeps it. Has no effect after ``finish()``.
    package func put(_ value: Element) {
        let (waiter, dropped) = state.withLock { state -> (CheckedContinuation<Element?, Never>?, Element?) in
            guard !state.isFinished else { return (nil, nil) }
            guard state.waiters.isEmpty else { return (state.waiters.removeFirst(), nil) }
            let dropped = state.values.count < limit ? nil : state.values.removeFirst()
            state.values.append(value)
            return (nil, dropped)
        }
        waiter?.resume(returning: value)
        // Released outside the lock, because its deinitializer may call other code.
        withExtendedLifetime(dropped) {}
    }

    /// Ends the source. Values that wait can still be taken.
    package func finish() { end(keepsValues: true) }

    /// Ends the mailbox without its values, because no reader is left.
    package func leave() { end(keepsValues: false) }

    private func end(keepsValues: Bool) {
        let (waiters, dropped) = state.withLock { state -> ([CheckedContinuation<Element?, Never>], [Element]) in
            let (waiters, dropped) = (state.waiters, keepsValues ? [] : state.values)
            (state.waiters, state.isFinished) = ([], true)
            if !keepsValues { state.values = [] }
            return (waiters, dropped)
        }
        for waiter in waiters { waiter.resume(returning: nil) }
        withExtendedLifetime(dropped) {}
    }

    /// Takes the oldest value, suspending while there is none. Returns `nil` after the end.
    package func next() async -> Element? {
        await withCheckedContinuation { continuation in
            let answer = state.withLock { state -> Element?? in
                if !state.values.isEmpty { return .some(state.values.removeFirst()) }
                if state.isFinished { return .some(nil) }
                state.waiters.append(continuation)
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }
}

/// The reading end of a mailbox: the storage of an asynchronous sequence and its iterators.
///
/// The mailbox ends with the last reference to its reader, and when a task that waits for a value is cancelled.
///
/// Thread safety: safe from any thread. Several tasks may read; each value goes to one of them.
package final class MailboxReader<Element: Sendable>: Sendable {
    private let mailbox: Mailbox<Element>
    private let forget: @Sendable () -> Void

    /// Creates the only reader of a mailbox.
    ///
    /// - Parameter forget: called once no further values are needed, possibly more than once and on any thread. The
    ///   source then releases the mailbox. It must not hold the reader.
    package init(_ mailbox: Mailbox<Element>, forget: @escaping @Sendable () -> Void) {
        (self.mailbox, self.forget) = (mailbox, forget)
    }

    deinit { leave() }

    /// Takes the next value. Returns `nil` after the end of the source, and once a reading task was cancelled.
    package func next() async -> Element? {
        await withTaskCancellationHandler {
            await mailbox.next()
        } onCancel: {
            leave()
        }
    }

    private func leave() {
        mailbox.leave()
        forget()
    }
}
