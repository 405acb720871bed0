#if Viewer
internal import Glibc
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import ScrubBase
internal import ScrubViewerLogic

/// Gives collectors one text over HTTP: `GET /metrics`, and nothing else.
///
/// Connections are bounded as the viewer's are. Thread safety: safe from any task.
package struct MetricsServer: Sendable {
    /// Collectors at a time, each with one connection.
    private static let mostConnections = 16

    private let host: String
    private let port: Int

    /// - Parameters:
    ///   - host: an address of this machine.
    ///   - port: 0 for any that is free.
    package init(host: String, port: Int) { (self.host, self.port) = (host, port) }

    /// Answers until its task is cancelled.
    ///
    /// - Parameters:
    ///   - text: asked at each request; `nil` where there is nothing to be told.
    ///   - onReady: told where it answers, as soon as it does.
    /// - Throws: ``ScrubError`` with `unavailable` if the port cannot be listened on, `usage` if the address is not
    ///   valid.
    package func run(
        text: @escaping @Sendable () async -> String?, onReady: @escaping @Sendable (_ url: String) -> Void
    ) async throws {
        let limits = ViewerLimits()
        let connections = Connections()
        var http = HTTP1Channel.Configuration(
            additionalChannelHandlers: [ConnectionWatch(connections, stallTime: limits.stallTime)],
            idleTimeout: TimeAmount(limits.idleTime))
        http.httpDecoder = .init(maxHeaderFieldSize: 8 << 10, maxHeaderListSize: 16 << 10, maxHeaderFieldCount: 64)
        var logger = Logger(label: "scrub")
        logger.logLevel = .critical
        let host = host
        let application = Application(
            responder: CallbackResponder { (request: Request, context: ViewerContext) in
                let hasBody =
                    request.headers[.transferEncoding] != nil || (request.headers[.contentLength] ?? "0") != "0"
                if hasBody { connections.closeAfterAnswer(context.channel) }
                let response = await MetricsServer.answer(request, hasBody: hasBody, text)
                return request.method == .head ? response.createHeadResponse() : response
            },
            server: .http1(configuration: http),
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: port), reuseAddress: port != 0,
                availableConnectionsDelegate: MaximumAvailableConnections(MetricsServer.mostConnections)),
            onServerRunning: { channel in
                guard let port = channel.localAddress?.port else { return }
                onReady("http://\(host.contains(":") ? "[\(host)]" : host):\(port)/metrics")
            }, logger: logger)
        do {
            try await application.run()
        } catch let error as IOError {
            throw ScrubError(
                .unavailable,
                "\(host) port \(port) cannot be listened on: \(unsafe String(cString: strerror(error.errnoCode)))",
                advice: error.errnoCode == EADDRINUSE
                    ? "another program listens there: give --metrics-port another number, or 0 for any that is free"
                    : "give --metrics-port another number, or --metrics-host an address that this machine has")
        } catch is SocketAddressError.UnknownHost {
            throw ScrubError(
                .usage, "'\(host)' is not an address of this machine",
                advice: "leave --metrics-host out for this machine alone, or give 0.0.0.0 for the network")
        }
    }

    private static func answer(
        _ request: Request, hasBody: Bool, _ text: @Sendable () async -> String?
    ) async -> Response {
        guard let target = RequestTarget(request.head.path ?? ""), target.path == "/metrics" else {
            return Answer.failure(.notFound, "there is nothing but /metrics here", hint: "ask with GET /metrics")
        }
        guard request.method == .get || request.method == .head else {
            var response = Answer.failure(.methodNotAllowed, "only GET and HEAD are answered", hint: "ask with GET")
            response.headers[.allow] = "GET, HEAD"
            return response
        }
        guard !hasBody else {
            return Answer.failure(.contentTooLarge, "a request has no body here", hint: "ask with GET, without a body")
        }
        guard let text = await text() else {
            return Answer.failure(.serviceUnavailable, "there are no metrics right now", hint: "ask again")
        }
        var response = Response(status: .ok, body: .init(byteBuffer: ByteBuffer(string: text)))
        response.headers[.contentType] = "text/plain; version=0.0.4; charset=utf-8"
        return Answer.guarded(response)
    }
}
#endif
