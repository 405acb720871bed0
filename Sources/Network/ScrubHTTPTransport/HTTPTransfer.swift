internal import ScrubSourcesLogic
internal import ScrubBase

/// A transfer as seen by its starter: the calls that any thread may make. The client's thread handles the rest
/// (``RunningTransfer``).
final class HTTPTransfer: HTTPCancelling {
    private struct State {
        /// The receiver. It is released at the end, because receivers often hold their transfer in order to cancel it.
        var receiver: (any HTTPReceiver)?
        var isCancelled = false
        var receivedBytes: Int64 = 0
        var measurements = HTTPMeasurements()
    }

    let request: HTTPRequest
    private let loop: TransferLoop
    private let state: Locked<State>

    init(_ request: HTTPRequest, _ receiver: any HTTPReceiver, _ loop: TransferLoop) {
        self.request = request
        state = Locked(State(receiver: receiver))
        self.loop = loop
    }

    func cancel() {
        let isNews = state.withLock { state in
            guard !state.isCancelled, state.receiver != nil else { return false }
            state.isCancelled = true
            return true
        }
        if isNews { loop.cancel(self) }
    }

    var byteCount: Int64 { state.withLock { $0.receivedBytes } }
    var measurements: HTTPMeasurements { state.withLock { $0.measurements } }
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    // MARK: For the client's thread

    func measure(_ change: (inout HTTPMeasurements) -> Void) { state.withLock { change(&$0.measurements) } }

    func receive(_ head: HTTPHead) -> HTTPVerdict { state.withLock { $0.receiver }?.receive(head) ?? .stop }

    func receive(_ bytes: UnsafeRawBufferPointer) -> HTTPVerdict {
        let receiver = state.withLock { state in
            state.receivedBytes += Int64(bytes.count)
            return state.receiver
        }
        return unsafe receiver?.receive(bytes) ?? .stop
    }

    /// Notifies the receiver of the end, the first time.
    func end(_ result: Result<Void, HTTPFailure>) { state.exchange(\.receiver, for: nil)?.end(result) }
}
