internal import CScrubCurl
internal import Glibc
internal import ScrubBase

/// The link from any thread to the client's single thread: the transfers to start and to cancel, and the thread itself.
final class TransferLoop: Sendable {
    enum Message {
        case start(HTTPTransfer)
        case cancel(HTTPTransfer)
    }

    /// A handle owned by the thread; other threads only wake it.
    @safe struct Multi: @unchecked Sendable {
        let handle: OpaquePointer
    }

    private struct State {
        var messages: [Message] = []
        var isClosed = false
        var thread: DedicatedThread?
        var threadNumber: pthread_t?
        var multi: Multi?
    }

    let options: HTTPClientOptions
    private let state = Locked(State())
    private let process = getpid()

    init(_ options: HTTPClientOptions) { self.options = options }

    /// Passes a transfer to the thread, which starts with the first one.
    func submit(_ transfer: HTTPTransfer) {
        // The transfer would never be handled, because a forked process has only the caller's thread.
        guard getpid() == process else {
            return transfer.end(.failure(.other("this HTTP client cannot be used in a forked child process")))
        }
        let failure = state.withLock { state -> HTTPFailure? in
            guard !state.isClosed else { return .cancelled }
            if state.thread == nil {
                do throws(ScrubError) {
                    state.thread = try DedicatedThread { [self] in TransferThread.run(self) }
                } catch {
                    return .other(error.cause)
                }
            }
            state.messages.append(.start(transfer))
            TransferLoop.wake(state)
            return nil
        }
        if let failure { transfer.end(.failure(failure)) }
    }

    func cancel(_ transfer: HTTPTransfer) {
        guard getpid() == process else { return }
        state.withLock { state in
            guard !state.isClosed else { return }
            state.messages.append(.cancel(transfer))
            TransferLoop.wake(state)
        }
    }

    func close(waits: Bool) {
        guard getpid() == process else { return }
        let thread = state.withLock { state -> DedicatedThread? in
            state.isClosed = true
            TransferLoop.wake(state)
            defer { state.thread = nil }
            return state.thread
        }
        guard let thread else { return }
        if waits, state.withLock({ $0.threadNumber }) != pthread_self() { thread.join() } else { thread.detach() }
    }

    /// Wakes the thread. Called under the lock, so that the handle still exists.
    private static func wake(_ state: State) {
        if let multi = state.multi { unsafe ccurl_multi_wakeup(multi.handle) }
    }

    // MARK: For the thread

    func began(_ multi: Multi) {
        state.withLock { state in
            state.multi = multi
            state.threadNumber = pthread_self()
        }
    }

    /// Returns the messages since the last call, and whether the client was closed.
    func take() -> (messages: [Message], isClosed: Bool) {
        state.withLock { state in
            defer { state.messages = [] }
            return (state.messages, state.isClosed)
        }
    }

    /// Makes the thread's last call: the handle no longer exists from now on, and messages that arrived in the meantime
    /// will not be started.
    func ended() -> [Message] {
        state.withLock { state in
            state.isClosed = true
            state.multi = nil
            defer { state.messages = [] }
            return state.messages
        }
    }
}
