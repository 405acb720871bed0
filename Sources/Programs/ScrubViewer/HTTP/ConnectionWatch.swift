#if Viewer
internal import NIOCore
internal import NIOHTTPTypes
internal import ScrubBase

/// The work in progress for each connection, so that it ends when the client disconnects.
///
/// The server's own handler does not notice that, because it continues reading only after the response is written. A
/// client that closes its half of a connection counts as gone: browsers and curl do so only when they leave.
///
/// Thread safety: safe from any thread.
final class Connections: Sendable {
    private struct State {
        var ends: [ObjectIdentifier: [Int: @Sendable () -> Void]] = [:]
        var known: [ObjectIdentifier: any Channel] = [:]
        var next = 0
        var closing: Set<ObjectIdentifier> = []
    }

    private let state = Locked(State())

    /// The number of open connections.
    var count: Int { state.withLock { $0.known.count } }

    /// Runs a closure that is cancelled when its connection's client disconnects.
    func run<Value: Sendable>(
        _ channel: any Channel, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Task { try await body() }
        let end = whenGone(channel) { task.cancel() }
        defer { end() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Calls a closure when a connection's client disconnects; at once if it already has.
    ///
    /// - Returns: a function that stops this.
    func whenGone(_ channel: any Channel, _ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let id = ObjectIdentifier(channel)
        let number = state.withLock { state -> Int? in
            guard state.known[id] != nil else { return nil }
            state.next += 1
            state.ends[id, default: [:]][state.next] = body
            return state.next
        }
        guard let number else {
            body()
            return {}
        }
        return { [self] in state.withLock { $0.ends[id]?[number] = nil } }
    }

    /// Closes all connections, whatever is in progress.
    func closeAll() {
        for channel in state.withLock({ Array($0.known.values) }) { channel.close(promise: nil) }
    }

    /// Closes a connection once its response is written.
    func closeAfterAnswer(_ channel: any Channel) {
        _ = state.withLock { $0.closing.insert(ObjectIdentifier(channel)) }
    }

    fileprivate func isClosing(_ id: ObjectIdentifier) -> Bool { state.withLock { $0.closing.contains(id) } }

    fileprivate func begin(_ channel: any Channel) {
        state.withLock { $0.known[ObjectIdentifier(channel)] = channel }
    }

    fileprivate func end(_ id: ObjectIdentifier) {
        let ends = state.withLock { state in
            state.known[id] = nil
            state.closing.remove(id)
            return state.ends.removeValue(forKey: id) ?? [:]
        }
        for end in ends.values { end() }
    }
}

/// Detects a connection's end and a stalled reader.
///
/// Used only on its connection's event loop.
final class ConnectionWatch: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let connections: Connections
    private let stallTime: TimeAmount
    private var stall: Scheduled<Void>?

    init(_ connections: Connections, stallTime: Duration) {
        (self.connections, self.stallTime) = (connections, TimeAmount(stallTime))
    }

    func handlerAdded(context: ChannelHandlerContext) { connections.begin(context.channel) }

    func channelInactive(context: ChannelHandlerContext) {
        stall?.cancel()
        connections.end(ObjectIdentifier(context.channel))
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        stall?.cancel()
        connections.end(ObjectIdentifier(context.channel))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed {
            connections.end(ObjectIdentifier(context.channel))
            context.close(promise: nil)
            return
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        stall?.cancel()
        stall = nil
        if !context.channel.isWritable {
            let channel = context.channel
            // The time starts over with every piece that the reader accepts.
            stall = context.eventLoop.scheduleTask(in: stallTime) { channel.close(promise: nil) }
        }
        context.fireChannelWritabilityChanged()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .end = unwrapOutboundIn(data), connections.isClosing(ObjectIdentifier(context.channel)) else {
            context.write(data, promise: promise)
            return
        }
        context.writeAndFlush(data, promise: promise)
        context.close(promise: nil)
    }
}
#endif
