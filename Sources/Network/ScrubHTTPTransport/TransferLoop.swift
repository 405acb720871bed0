internal import CScrubCurl
internal import Glibc
internal import ScrubBase

/// The way from any thread to the client's one thread: the transfers to start and to cancel, and the thread itself.
final class TransferLoop: Sendable {
    enum Message {
        case start(HTTPTransfer)
        case cancel(HTTPTransfer)
    }

    /// A handle whose owner is the thread; other threads only wake it.
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

    /// Hands a transfer to the thread, which is started with the first one.
    func submit(_ transfer: HTTPTransfer) {
        // It would never be taken: a fork has no threads but the caller's.
        guard getpid() == process else {
            return transfer.end(.failure(.other("this process was forked from the one whose client this is")))
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

    /// Under the lock, so that the handle is still there.
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

    /// Is the thread's last call: the handle is gone from now on, and messages that came in the meantime will not be
    /// started.
    func ended() -> [Message] {
        state.withLock { state in
            state.isClosed = true
            state.multi = nil
            defer { state.messages = [] }
            return state.messages
        }
    }
}
