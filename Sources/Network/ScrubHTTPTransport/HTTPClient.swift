package import ScrubBase
internal import CScrubCurl

/// An HTTP client that uses libcurl on a single thread.
///
/// Connections are kept and reused. The number of simultaneous requests to one origin is limited; the others wait in
/// line. The thread starts with the first request and ends with ``close()`` or with the client. The policy checks every
/// address before a connection is made to it. Redirects are followed here, one by one, and the caller's header fields,
/// user name and password are sent to the first origin only. Signals never reach the thread.
///
/// Thread safety: safe from any thread. It belongs to the process that created it: after `fork` without `exec`, every
/// start fails.
///
/// Memory: 128 KiB for each transfer in progress, and the connections.
package final class HTTPClient: HTTPRequestStarter {
    private let loop: TransferLoop

    /// Begins to load libcurl on a separate thread, for callers that are about to create a client and have other work
    /// to do first.
    package static func prepare() {
        // If there is no thread or no libcurl, the client reports it.
        try? DedicatedThread { _ = unsafe ccurl_load() }.detach()
    }

    /// Creates a client. The first call loads libcurl.
    ///
    /// - Throws: ``ScrubError/Code/unavailable`` if libcurl is not installed or older than 7.74.
    package init(options: HTTPClientOptions) throws(ScrubError) {
        if let wrong = unsafe ccurl_load() {
            throw ScrubError(
                .unavailable, unsafe "network addresses cannot be opened: \(String(cString: wrong))",
                advice: "install libcurl4")
        }
        loop = TransferLoop(options)
    }

    deinit { loop.close(waits: false) }

    @discardableResult
    package func start(_ request: HTTPRequest, _ receiver: any HTTPReceiver) -> any HTTPCancelling {
        let transfer = HTTPTransfer(request, receiver, loop)
        loop.submit(transfer)
        return transfer
    }

    /// Cancels all transfers and closes all connections. Later starts end at once. It waits for the thread, unless
    /// called from a receiver.
    package func close() { loop.close(waits: true) }
}
