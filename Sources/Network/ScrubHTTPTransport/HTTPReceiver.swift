package import ScrubSourcesLogic

/// A receiver's answer to the bytes that came.
package enum HTTPVerdict: Hashable, Sendable {
    /// Go on.
    case take
    /// Nothing more of this is wanted.
    case stop
}

/// The receiver of an answer.
///
/// All calls come from the client's one thread, in order, and hold up every other transfer: they never block. `end`
/// comes exactly once, and nothing after it; without an answer it is the only one.
package protocol HTTPReceiver: Sendable {
    /// Receives the head of the answer, after redirects. Comes at most once, and before any byte of the body. A 206 is
    /// of the range asked for, or of its beginning.
    func receive(_ head: HTTPHead) -> HTTPVerdict

    /// Receives some bytes of the body, valid during the call; not empty.
    func receive(_ bytes: UnsafeRawBufferPointer) -> HTTPVerdict

    /// Receives the end: no more bytes come. Success says that the body is whole, as long as the server said it would
    /// be. After ``HTTPVerdict/stop`` and after ``HTTPCancelling/cancel()`` it is ``HTTPFailure/cancelled``, unless
    /// something else came first.
    func end(_ result: Result<Void, HTTPFailure>)
}

/// A transfer under way.
package protocol HTTPCancelling: Sendable {
    /// Ends it: soon the receiver's `end` comes, if it has not come yet. Never blocks; may be called from any thread,
    /// from the receiver's calls and more than once.
    func cancel()

    /// Bytes of body that the receiver got so far.
    var byteCount: Int64 { get }

    /// The measurements so far; all of them once `end` has come.
    var measurements: HTTPMeasurements { get }
}

/// The durations of a transfer's parts.
package struct HTTPMeasurements: Hashable, Sendable {
    /// Requests that were sent: 1, and one more for each redirect.
    package var requestCount: Int
    /// From the start to a connection that stands, with TLS; `nil` when one stood already, and before.
    package var connect: Duration?
    /// From the last request's being sent to its answer's first byte.
    package var firstByte: Duration?
    /// From the turn to the end.
    package var total: Duration?
    /// Bytes of body over the network, read in vain included.
    package var byteCount: Int64
    /// Whether a connection of an earlier transfer was used.
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

/// Whatever starts requests: the client, or a stand-in in tests.
package protocol HTTPStarting: Sendable {
    /// Starts a request, or puts it in line when the host's connections are all in use. Never blocks; the receiver is
    /// called from another thread, perhaps before this returns.
    @discardableResult
    func start(_ request: HTTPRequest, _ receiver: any HTTPReceiver) -> any HTTPCancelling
}
