#if Viewer
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// `events`: the events, as server-sent events.
struct EventRoute: Sendable {
    let hub: EventHub
    let connections: Connections

    /// Starts a stream, which ends with its connection or with the server.
    func answer(_ channel: any Channel) -> Response {
        guard let (listener, end) = hub.listen() else {
            return Answer.failure(
                .serviceUnavailable, "too many clients are already receiving events",
                hint: "close another page of the viewer")
        }
        let forget = connections.whenGone(channel, end)
        let body = ResponseBody { writer in
            defer {
                forget()
                end()
            }
            try await writer.write(ByteBuffer(string: "retry: 2000\n\n"))
            while let text = await listener.next() { try await writer.write(ByteBuffer(string: text)) }
            try await writer.finish(nil)
        }
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store"],
            body: body)
    }
}
#endif
