package import ScrubSourcesLogic

/// A receiver's decision about received bytes.
package enum HTTPVerdict: Hashable, Sendable {
    /// Continue.
    case take
    /// Stop the transfer.
    case stop
}

/// A receiver of a response.
///
/// All calls come from the client's single thread, in order, and delay every other transfer, so they must never block.
/// `end` is called exactly once, as the last call; without a response, it is the only one.
package protocol HTTPReceiver: Sendable {
    /// Receives the header of the response, after redirects. It is called at most once, before any byte of the body. A
    /// 206 has the requested range, or the start of it.
    func receive(_ head: HTTPHead) -> HTTPVerdict

    /// Receives bytes of the body, which are valid during the call and not empty.
    func receive(_ bytes: UnsafeRawBufferPointer) -> HTTPVerdict

    /// Called when the transfer ends. Success means that the body is complete, with the length that the server
    /// declared. After ``HTTPVerdict/stop`` and after ``HTTPCancelling/cancel()``, the result is
    /// ``HTTPFailure/cancelled``, unless something else came first.
    func end(_ result: Result<Void, HTTPFailure>)
}

/// A transfer in progress.
package protocol HTTPCancelling: Sendable {
    /// Cancels the transfer: soon the receiver's `end` is called, if it has not been yet. It never blocks, and may be
    /// called from any thread, from the receiver's calls and more than once.
    func cancel()

    /// The number of body bytes received so far.
    var byteCount: Int64 { get }

    /// The measurements so far. They are complete once `end` has been called.
    var measurements: HTTPMeasurements { get }
}

/// The durations of the parts of a transfer.
package struct HTTPMeasurements: Hashable, Sendable {
    /// The number of requests sent: 1, and one more for each redirect.
    package var requestCount: Int
    /// The time from the start until a connection was established, including TLS; `nil` before that, and if a
    /// connection already existed.
    package var connect: Duration?
    /// The time from sending the last request to the first byte of its response.
    package var firstByte: Duration?
    /// The time from the request's turn to the end.
    package var total: Duration?
    /// The number of body bytes over the network, including discarded ones.
    package var byteCount: Int64
    /// Whether the connection of an earlier transfer was reused.
    package var reusedConnection: Bool

    package init(
        requestCount: Int = 0, connect: Duration? = nil, firstByte: Duration? = nil, total: Duration? = nil,
        byteCount: Int64 = 0, reusedConnection: Bool = false
    ) {
        self.requestCount = requestCount
        self.connect = connect
        self.firstByte = firstByte
        self.total = total
        self.byteCount = byteCount
        self.reusedConnection = reusedConnection
    }
}

/// An object that starts requests: the client, or a substitute in tests.
package protocol HTTPRequestStarter: Sendable {
    /// Starts a request, or queues it if the host's connections are all in use. It never blocks. The receiver is called
    /// from another thread, possibly before this method returns.
    @discardableResult
    func start(_ request: HTTPRequest, _ receiver: any HTTPReceiver) -> any HTTPCancelling
}
