internal import Fetching
internal import ScrubBase

/// A transfer as its starter has it: what any thread may ask. What goes on is the client's thread's (``RunningTransfer``).
final class HTTPTransfer: HTTPCancelling {
    private struct State {
        var isCancelled = false
        var hasEnded = false
        var receivedBytes: Int64 = 0
        var measurements = HTTPMeasurements()
    }

    let request: HTTPRequest
    private let receiver: any HTTPReceiver
    private let loop: TransferLoop
    private let state = Locked(State())

    init(_ request: HTTPRequest, _ receiver: any HTTPReceiver, _ loop: TransferLoop) {
        self.request = request
        self.receiver = receiver
        self.loop = loop
    }

    func cancel() {
        let isNews = state.withLock { state in
            guard !state.isCancelled, !state.hasEnded else { return false }
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

    func receive(_ head: HTTPHead) -> HTTPVerdict { receiver.receive(head) }

    func receive(_ bytes: UnsafeRawBufferPointer) -> HTTPVerdict {
        state.withLock { $0.receivedBytes += Int64(bytes.count) }
        return receiver.receive(bytes)
    }

    /// Tells the receiver that there is no more, the first time.
    func end(_ result: Result<Void, HTTPFailure>) {
        let isFirst = state.withLock { state in
            defer { state.hasEnded = true }
            return !state.hasEnded
        }
        if isFirst { receiver.end(result) }
    }
}
