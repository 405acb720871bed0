internal import Glibc
internal import ScrubBase

/// What comes after a turn of a decoding thread.
package enum NextTurn: Sendable {
    /// Another turn.
    case now
    /// A rest until the thread is rung for, of so many nanoseconds at most; `nil` for no limit.
    case rest(atMost: Int64?)
    /// Nothing until the thread is rung for: it ends, and another one goes on then.
    case whenRung
    /// Nothing: the work is done.
    case never
}

/// The work of a decoding thread, in turns of about one packet, so that newer work is seen between any two.
///
/// Used by one thread at a time.
package protocol TurnWork: AnyObject {
    /// Prepares a new thread.
    func begin()
    /// Does one thing.
    func turn() -> NextTurn
    /// Ends what is waited for, because the system has no thread left for it. It is as a turn: no other one is under
    /// way.
    func fail(_ error: ScrubError)
    /// Gives everything back: no turn comes after it.
    func end()
}

extension TurnWork {
    package func begin() {}
    package func fail(_ error: ScrubError) {}
    package func end() {}
}

/// The thread of everything that decodes. It takes turns, and rests while there is nothing to do.
///
/// It exists only while there is work: the first one is started when it is rung for, and one that has rested for long
/// ends. So a thousand open videos have the threads of those that decode.
///
/// Thread safety: safe from any thread; ringing does not block. Call ``close()`` in the end: it keeps its work till
/// then.
package final class TurnThread: Sendable {
    private struct State {
        var isRunning = false
        var isRung = false
        var isClosed = false
        /// Whether the work's end is over.
        var hasEnded = false
        /// The thread that is there.
        var runner: pthread_t?
    }

    private let bell = TimedBell(State())
    /// `nil` before it was given, and after its end.
    private let work = Locked<Unshared<any TurnWork>?>(nil)
    private let turns: TurnCancellation?
    private let longestRest: Int64?
    private let newThread: NewThread

    /// The nanoseconds after which a thread ends that rests: a caller that comes back soon finds it.
    package static let patience: Int64 = 2_000_000_000

    /// Starts nothing. What is to ring for it may have it before it has its work (``give(_:)``).
    ///
    /// - Parameters:
    ///   - turns: ends the reads of a turn; `nil` where the work's own cancellation does, or reads never wait.
    ///   - longestRest: the nanoseconds after which a thread ends that rests; `nil` if it stays until ``close()``.
    ///   - newThread: runs its argument on a new thread.
    package init(
        turns: TurnCancellation? = nil, longestRest: Int64? = TurnThread.patience,
        newThread: @escaping NewThread = { (run) throws(ScrubError) in try DedicatedThread(run).detach() }
    ) {
        (self.turns, self.longestRest, self.newThread) = (turns, longestRest, newThread)
    }

    package typealias NewThread = @Sendable (@escaping @Sendable () -> Void) throws(ScrubError) -> Void

    /// Gives it its work, once and before it is closed.
    ///
    /// - Parameter work: not used by any other.
    package func give(_ work: any TurnWork) {
        let given = Unshared(work)
        self.work.withLock { $0 = given }
    }

    /// Has the thread look for work. It is started if there is none; one that does not rest now takes one more turn.
    /// Before it has its work, and after its end, this does nothing. When the system has no thread left, the work fails
    /// (``TurnWork/fail(_:)``).
    package func ring() { try? start() }

    /// As ``ring()``, for a caller that goes on only with a thread.
    ///
    /// - Throws: `inputOutput` when the system has no thread left.
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
            // Others take the thread for running, so that none starts meanwhile.
            work.withLock { $0 }?.value.fail(refusal)
            (isClosed, isRungAgain) = bell.ring { state in
                state.isRunning = state.isRung && !state.isClosed
                return (state.isClosed, state.isRunning)
            }
        } while isRungAgain
        // The one that closed it relies on this thread for the end.
        if isClosed { finish() }
        throw refusal
    }

    /// Ends the work, on its thread, after the present turn. More calls do nothing.
    ///
    /// - Parameter isIdle: whether nothing is to be given back if there is no thread.
    package func close(isIdle: Bool = false) {
        let mustStart = bell.ring { state in
            guard !state.isClosed else { return false }
            state.isClosed = true
            defer { state.isRunning = true }
            return !state.isRunning
        }
        turns?.cancel()
        guard mustStart else { return }
        // Without a thread for it, the caller waits.
        if isIdle { finish() } else { try? startThread() }
    }

    /// Waits until the work's end is over, after ``close()``. Its own thread does not wait.
    package func join() {
        bell.wait { state in
            let isOwn = state.runner.map { pthread_equal($0, pthread_self()) != 0 } ?? false
            return state.hasEnded || isOwn ? .done(()) : .sleep(nil)
        }
    }

    private func run() {
        bell.withLock { $0.runner = pthread_self() }
        // Nothing holds the work when its end is said.
        if isDoneAfterTurns() { finish() }
    }

    /// Takes turns.
    ///
    /// - Returns: whether the work is done; false if the thread is to end because there is nothing to do.
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

    /// Returns false if the thread is to end: it has rested for long.
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

    /// Returns false if the thread is to end: it was not rung for during its turn.
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

/// Ends the present turn of a thread, because there is newer work for it. What was begun goes on in a later turn.
///
/// Thread safety: safe from any thread.
package final class TurnCancellation: Sendable {
    private let present = Locked(Cancellation())

    /// Begins a turn, before it looks for work: a caller that cancels it has stored its work before.
    package func begin() -> Cancellation {
        let next = Cancellation()
        present.withLock { $0 = next }
        return next
    }

    /// Ends the present turn's reads.
    package func cancel() { present.withLock { $0 }.cancel() }

    package init() {}
}

/// A value on its way into the one thread that uses it from then on.
///
/// `@unchecked Sendable`: no other thread touches the value after the thread has begun.
struct Unshared<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
