package import ScrubBase
internal import CScrubCurl

/// Asks servers, over libcurl, on one thread of its own.
///
/// Connections are kept and used again; at most so many requests at a time go to one origin, the others wait in line.
/// The thread begins with the first request and ends with ``close()`` or with the client. Every address is judged by
/// the policy before a connection is made to it. Redirects are followed here, one by one, and the caller's header
/// fields, name and password go to the first origin only. Signals never reach the thread.
///
/// Thread safety: safe from any thread. It belongs to the process that made it: after `fork`, without `exec`, each
/// start fails.
///
/// Memory: 128 KiB for each transfer under way, and the connections.
package final class HTTPClient: HTTPStarting {
    private let loop: TransferLoop

    /// Begins to load libcurl on a thread of its own, for callers that are about to make a client and have other work
    /// to do first.
    package static func prepare() {
        // If there is no thread, or no libcurl, the client finds out.
        try? DedicatedThread { _ = unsafe ccurl_load() }.detach()
    }

    /// Loads libcurl, the first time.
    ///
    /// - Throws: ``ScrubError/Code/unavailable`` when libcurl is not installed or older than 7.74.
    package init(options: HTTPClientOptions) throws(ScrubError) {
        if let wrong = unsafe ccurl_load() {
            throw ScrubError(
                .unavailable, unsafe "no address on the network can be asked: \(String(cString: wrong))",
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

    /// Ends all transfers as cancelled and closes all connections; a start from now on ends at once. Waits for the
    /// thread, unless called from a receiver.
    package func close() { loop.close(waits: true) }
}
