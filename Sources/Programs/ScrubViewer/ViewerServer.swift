#if Viewer
internal import Glibc
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import Scrub
public import ScrubBase
internal import ServiceLifecycle
internal import UnixSignals
internal import ScrubViewerLogic

/// A server that provides exact frames of videos over HTTP, and a page for viewing them.
///
/// ```swift
/// let server = try ViewerServer(ViewerConfiguration(names: ["film.mp4"]))
/// try await server.run { print($0.url) }
/// ```
///
/// Only the media that the server was started with can be requested: no part of a request is used as a path.
/// ``ViewerLimits`` limits the server's resources. Decoding runs on the library's own threads.
///
/// Thread safety: safe from any task.
public struct ViewerServer: Sendable {
    private let configuration: ViewerConfiguration
    private let media: [NamedMedium]
    private let page: PageFiles

    /// Creates a server and finds its media. Folders are read only once, in this call.
    ///
    /// - Throws: ``ScrubError`` with `noInput` for a folder that cannot be read or contains no videos. A file that
    ///   cannot be opened is not an error; the page lists it with the reason.
    public init(_ configuration: ViewerConfiguration) throws(ScrubError) {
        self.configuration = configuration
        media = try NamedMedium.list(configuration.names)
        page = try PageFiles(folder: configuration.pageFolder)
    }

    /// Serves requests until SIGINT or SIGTERM arrives or the task is cancelled. Then the server finishes the requests
    /// in progress and ends the event streams.
    ///
    /// - Parameter onReady: receives the address as soon as the server accepts requests.
    /// - Throws: ``ScrubError`` with `usage` if the host is not an address of this machine, and `unavailable` if the
    ///   server cannot listen on it.
    public func run(onReady: @escaping @Sendable (ViewerAddress) -> Void) async throws {
        try await serve(until: ViewerEnd(), signals: [.sigint, .sigterm], onReady: onReady)
    }

    /// The number of ports to try before using any free one.
    private static let nearPorts = 20

    /// Serves in the same way, for callers that end it without a signal.
    func serve(
        until end: ViewerEnd, signals: [UnixSignal], onReady: @escaping @Sendable (ViewerAddress) -> Void
    ) async throws {
        var port = configuration.port
        while true {
            do {
                return try await serve(on: port, until: end, signals: signals, onReady: onReady)
            } catch let error as IOError {
                guard configuration.takesNextPort, error.errnoCode == EADDRINUSE, port != 0 else {
                    throw refusal(of: port, error.errnoCode)
                }
                port = port < min(65535, configuration.port + ViewerServer.nearPorts) ? port + 1 : 0
            } catch is SocketAddressError.UnknownHost {
                throw ScrubError(
                    .usage, "'\(configuration.host)' is not an address of this machine",
                    advice: "use 127.0.0.1 for this machine only, or 0.0.0.0 for the network")
            }
        }
    }

    private func refusal(of port: Int, _ number: Int32) -> ScrubError {
        let advice =
            switch number {
            case EADDRINUSE: "another program is using this port: use another port, or omit the port"
            case EACCES: "ports below 1024 are reserved for the system: use a higher one"
            case EADDRNOTAVAIL: "use an address of this machine, such as 127.0.0.1"
            default: "use another port, or omit the port"
            }
        let reason = unsafe String(cString: strerror(number))
        return ScrubError(
            .unavailable, "cannot listen on \(configuration.host) port \(port): \(reason)", advice: advice)
    }

    /// - Throws: `IOError` if it cannot listen on the address.
    private func serve(
        on port: Int, until end: ViewerEnd, signals: [UnixSignal],
        onReady: @escaping @Sendable (ViewerAddress) -> Void
    ) async throws {
        let limits = configuration.limits
        let desk = FrameRequestHandler(limits)
        let events = EventHub()
        // The desk retains the strips through the pictures that stand in for its frames.
        let strips = StripMaker(isBusy: { [weak desk] in desk?.isBusy ?? false }) { medium in
            events.tell("strip") { line in
                line.add("media", medium.id)
                line.add("state", "ready")
            }
        }
        desk.standIns { wish in strips.known(wish.medium)?.nearest(to: wish.frame) }
        let library = MediaLibrary(
            media, options: configuration.options, network: configuration.network, openLimit: limits.openMedia
        ) { id in
            events.tell("media") { $0.add("id", id) }
        } retired: { medium in
            strips.forget(medium)
            desk.forget(medium)
        }
        let connections = Connections()
        let routes = Routes(
            library: library, desk: desk, page: page, connections: connections, strips: strips, events: events)
        let token = configuration.usesToken || !HostNames.isLoopback(configuration.host) ? Gate.newToken() : nil
        let gate = Locked<Gate?>(nil)
        let host = configuration.host
        var logger = Logger(label: "scrub")
        logger.logLevel = .critical
        var http = HTTP1Channel.Configuration(
            additionalChannelHandlers: [ConnectionWatch(connections, stallTime: limits.stallTime)],
            idleTimeout: TimeAmount(limits.idleTime))
        http.httpDecoder = .init(maxHeaderFieldSize: 8 << 10, maxHeaderListSize: 16 << 10, maxHeaderFieldCount: 64)
        let application = Application(
            responder: CallbackResponder { (request: Request, context: ViewerContext) in
                guard let gate = gate.withLock({ $0 }) else { return Response(status: .serviceUnavailable) }
                return await ViewerServer.respond(request, context.channel, gate, routes)
            },
            server: .http1(configuration: http),
            configuration: ApplicationConfiguration(
                address: .hostname(
                    HostNames.isWildcard(host) && host != "::" ? "0.0.0.0" : host, port: port),
                // Two servers that request any free port at the same time may get the same one if addresses are reused.
                reuseAddress: port != 0,
                availableConnectionsDelegate: MaximumAvailableConnections(limits.connections)),
            onServerRunning: { channel in
                guard let port = channel.localAddress?.port else { return }
                gate.withLock {
                    $0 = Gate(HostNames(host: host, port: port), port: port, token: token, penalty: limits.penalty)
                }
                onReady(ViewerAddress(host: host, port: port, token: token))
            }, logger: logger)
        let opening = Task { await library.openAll() }
        let upkeep = Task {
            while (try? await Task.sleep(for: .seconds(5))) != nil { await desk.sweep() }
        }
        let heart = Task {
            while (try? await Task.sleep(for: limits.heartbeat)) != nil { events.beat() }
        }
        defer {
            for task in [opening, upkeep, heart] { task.cancel() }
            strips.close()
        }
        let ending = ViewerEnding {
            events.close()
            strips.close()
        } atLast: {
            connections.closeAll()
        }
        // The last service is told first, and the one before it only when that has ended.
        let group = ServiceGroup(
            configuration: .init(services: [application, ending], gracefulShutdownSignals: signals, logger: logger))
        end.ends(group)
        try await group.run()
        await desk.seats.close()
    }

    /// Answers a request, whatever its outcome.
    private static func respond(
        _ request: Request, _ channel: any Channel, _ gate: Gate, _ routes: Routes
    ) async -> Response {
        let hasBody = request.headers[.transferEncoding] != nil || (request.headers[.contentLength] ?? "0") != "0"
        var response: Response
        switch await gate.look(request) {
        case .refuse(let refusal):
            response = refusal
            // After an error, the connection closes, even for an old client that waits for the end.
            if refusal.status == .badRequest || refusal.status == .forbidden {
                routes.connections.closeAfterAnswer(channel)
            }
        case .pass where hasBody:
            response = Answer.failure(
                .contentTooLarge, "requests must not have a body", hint: "use GET with a query instead of a body")
        case .pass(let target, let parts):
            do {
                response = try await routes.connections.run(channel) {
                    try await routes.answer(request, target, parts, channel)
                }
            } catch is CancellationError {
                // No client reads it.
                response = Response(status: .noContent)
            } catch {
                response = Answer.failure(error)
            }
        }
        if hasBody { routes.connections.closeAfterAnswer(channel) }
        response = Answer.guarded(response)
        return request.method == .head ? response.createHeadResponse() : response
    }
}

/// A request's context, with its connection.
struct ViewerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection.
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }
}
#endif
