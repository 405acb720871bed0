internal import Glibc
internal import ScrubBase

/// The action of a decoding thread after a turn.
package enum StepOutcome: Sendable {
    /// Take another turn.
    case now
    /// Sleep until the thread is woken, for at most this many nanoseconds; `nil` for no limit.
    case rest(atMost: Int64?)
    /// End the thread. When it is woken, another thread continues.
    case whenRung
    /// End the thread, because the work is complete.
    case never
}

/// The work of a decoding thread, in turns of about one packet, so that new work is noticed between turns.
///
/// Used by one thread at a time.
package protocol StepwiseWork: AnyObject {
    /// Prepares a new thread.
    func begin()
    /// Does one unit of work.
    func turn() -> StepOutcome
    /// Fails all waiting requests, because the system cannot create a thread. It runs like a turn, never at the same
    /// time as another one.
    func fail(_ error: ScrubError)
    /// Releases all resources. There are no further turns.
    func end()
}

extension StepwiseWork {
    package func begin() {}
    package func fail(_ error: ScrubError) {}
    package func end() {}
}

/// A thread that decodes. It takes turns and sleeps while there is no work.
///
/// The thread exists only while there is work: it starts when it is woken and ends after a long sleep. A thousand open
/// videos therefore have threads only for those that decode.
///
/// Thread safety: safe from any thread; waking the thread does not block. Call ``close()`` at the end; until then, the
/// object retains its work.
package final class StepWorkerThread: Sendable {
    private struct State {
        var isRunning = false
        var isRung = false
        var isClosed = false
        /// Whether the work has finished ending.
        var hasEnded = false
        /// The current thread.
        var runner: pthread_t?
    }

    private let bell = TimedBell(State())
    /// The work; `nil` before it is given, and after it has ended.
    private let work = Locked<Transferred<any StepwiseWork>?>(nil)
    private let turns: StepCancellation?
    private let longestRest: Int64?
    private let newThread: NewThread

    /// The time in nanoseconds after which a resting thread ends. A caller that returns soon finds the thread still
    /// alive.
    package static let patience: Int64 = 2_000_000_000

    /// Creates an object without starting a thread. Other objects may already hold it, to wake it before it has its
    /// work (``give(_:)``).
    ///
    /// - Parameters:
    ///   - turns: cancels the reads of a turn; `nil` if the work's own cancellation does, or if reads never wait.
    ///   - longestRest: the time in nanoseconds after which a resting thread ends; `nil` if it stays until ``close()``.
    ///   - newThread: runs its argument on a new thread.
    package init(
        turns: StepCancellation? = nil, longestRest: Int64? = StepWorkerThread.patience,
        newThread: @escaping NewThread = { (run) throws(ScrubError) in try DedicatedThread(run).detach() }
    ) {
        (self.turns, self.longestRest, self.newThread) = (turns, longestRest, newThread)
    }

    package typealias NewThread = @Sendable (@escaping @Sendable () -> Void) throws(ScrubError) -> Void

    /// Sets the work, once and before closing.
    ///
    /// - Parameter work: the work. It must not be used elsewhere.
    package func give(_ work: any StepwiseWork) {
        let given = Transferred(work)
        self.work.withLock { $0 = given }
    }

    /// Makes the thread look for work. If there is no thread, one is started; a thread that is not sleeping takes one
    /// more turn. Has no effect before the work is set or after it has ended. If the system cannot create a thread, the
    /// work fails (``StepwiseWork/fail(_:)``).
    package func ring() { try? start() }

    /// Rings like ``ring()``, for a caller that needs a thread to continue.
    ///
    /// - Throws: `inputOutput` if the system cannot create a thread.
    package func start() throws(ScrubError) {
        guard work.withLock({ $0 != nil }) else { return }
        let mustStart = bell.ring { state in
            guard !state.isClosed else { return false }
            defer { (state.isRunning, state.isRung) = (true, true) }
            return !state.isRunning
        }
        if mustStart { try startThread() }
    }

    private func startThread() throws(ScrubError) {
        var refusal: ScrubError
        var (isClosed, isRungAgain) = (false, false)
        repeat {
            do throws(ScrubError) { return try newThread { [self] in run() } } catch { refusal = error }
            bell.withLock { $0.isRung = false }
            // Others see the thread as running, so that no second one starts in the meantime.
            work.withLock { $0 }?.value.fail(refusal)
            (isClosed, isRungAgain) = bell.ring { state in
                state.isRunning = state.isRung && !state.isClosed
                return (state.isClosed, state.isRunning)
            }
        } while isRungAgain
        // The caller of `close` relies on this thread to end the work.
        if isClosed { finish() }
        throw refusal
    }

    /// Ends the work on its thread after the current turn. Further calls have no effect.
    ///
    /// - Parameter isIdle: whether there is nothing to release if there is no thread.
    package func close(isIdle: Bool = false) {
        let mustStart = bell.ring { state in
            guard !state.isClosed else { return false }
            state.isClosed = true
            defer { state.isRunning = true }
            return !state.isRunning
        }
        turns?.cancel()
        guard mustStart else { return }
        // If no thread is available for it, the caller waits.
        if isIdle { finish() } else { try? startThread() }
    }

    /// Waits until the work has ended, after ``close()``. Returns at once on the object's own thread.
    package func join() {
        bell.wait { state in
            let isOwn = state.runner.map { pthread_equal($0, pthread_self()) != 0 } ?? false
            return state.hasEnded || isOwn ? .done(()) : .sleep(nil)
        }
    }

    private func run() {
        bell.withLock { $0.runner = pthread_self() }
        // The work is no longer referenced when its end is reported.
        if isDoneAfterTurns() { finish() }
    }

    /// Takes turns.
    ///
    /// - Returns: whether the work is complete; false if the thread should end because there is no work.
    private func isDoneAfterTurns() -> Bool {
        guard let work = work.withLock({ $0 })?.value else { return false }
        work.begin()
        while true {
            let cancellation = turns?.begin()
            if bell.withLock({ $0.isClosed }) { return true }
            switch turns == nil ? work.turn() : Cancellation.performing(cancellation, work.turn) {
            case .now: break
            case .rest(let limit): if !rest(atMost: limit) { return false }
            case .whenRung: if !pause() { return false }
            case .never:
                bell.ring { $0.isClosed = true }
                return true
            }
        }
    }

    /// Sleeps. Returns false if the thread should end after a long sleep.
    private func rest(atMost limit: Int64?) -> Bool {
        var hasRested = false
        let longestRest = longestRest
        return bell.wait { state in
            if state.isRung || state.isClosed || (hasRested && limit != nil) {
                state.isRung = false
                return .done(true)
            }
            if hasRested, longestRest != nil {
                (state.isRunning, state.runner) = (false, nil)
                return .done(false)
            }
            hasRested = true
            return .sleep(limit ?? longestRest)
        }
    }

    /// Pauses. Returns false if the thread should end because it was not woken during its turn.
    private func pause() -> Bool {
        bell.ring { state in
            let goesOn = state.isRung || state.isClosed
            state.isRung = false
            if !goesOn { (state.isRunning, state.runner) = (false, nil) }
            return goesOn
        }
    }

    private func finish() {
        endWork()
        bell.ring { ($0.isRunning, $0.hasEnded, $0.runner) = (false, true, nil) }
    }

    private func endWork() { work.exchange(\.self, for: nil)?.value.end() }
}

/// Cancels the current turn of a thread, because there is newer work. Started work continues in a later turn.
///
/// Thread safety: safe from any thread.
package final class StepCancellation: Sendable {
    private let present = Locked(Cancellation())

    /// Begins a turn, before the thread looks for work: a caller that cancels the turn has already stored its work.
    package func begin() -> Cancellation {
        let next = Cancellation()
        present.withLock { $0 = next }
        return next
    }

    /// Cancels the current turn's reads.
    package func cancel() { present.withLock { $0 }.cancel() }

    package init() {}
}

/// A value that is transferred to the one thread that uses it from then on.
///
/// `@unchecked Sendable`: no other thread accesses the value after the thread has started.
struct Transferred<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
