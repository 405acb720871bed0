import Dispatch
import ScrubSourcesLogic
import ScrubHTTPTransport
import ScrubBase
import Synchronization
import ScrubTestSupport

@testable import ScrubSources

/// A server without sockets: contents that change, validators of all kinds, and trouble on request. It knows the bytes
/// that it sent.
final class ModelOrigin: HTTPRequestStarter {
    /// Which validators the server sends.
    enum Kind: CaseIterable { case strong, weak, time, strongAndTime, none }

    /// The fault of the next answer.
    enum Trouble { case none, lost(after: Int64), early(after: Int64), status(Int), wholeAnswer }

    struct Content: Hashable {
        var seed: UInt64
        var total: Int64

        func bytes(_ range: Range<Int64>) -> [UInt8] { range.map { FaultContent.madeByte($0, seed: seed) } }
    }

    struct State {
        var content: Content
        var kind = Kind.strong
        /// The number of contents, which rises with the validators too: these are made of it.
        var generation = 0
        /// Each content there ever was, the present one last.
        var contents: [Content]
        var troubles: [Trouble] = []
        /// The sent bytes of each content.
        var sent: [Content: [Range<Int64>]] = [:]
        var requestCount = 0
        /// Answers that are not over.
        var running = 0
    }

    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "origin")

    init(_ content: Content) { state = Mutex(State(content: content, contents: [content])) }

    func withState<Result>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }

    /// Waits until nothing is on its way.
    func settle() { queue.sync {} }

    /// Another content from now on. A resource without validators can be told by its length only, so it has another
    /// one.
    func change(_ content: Content) {
        withState { state in
            state.content = content
            state.contents.append(content)
            state.generation += 1
        }
    }

    @discardableResult
    func start(_ request: HTTPRequest, _ receiver: any HTTPReceiver) -> any HTTPCancelling {
        let transfer = Transfer()
        queue.async { self.answer(request, receiver, transfer) }
        return transfer
    }

    private final class Transfer: HTTPCancelling {
        private struct Progress {
            var isCancelled = false
            var count: Int64 = 0
        }
        private let progress = Mutex(Progress())

        func cancel() { progress.withLock { $0.isCancelled = true } }
        var byteCount: Int64 { progress.withLock { $0.count } }
        var measurements: HTTPMeasurements {
            HTTPMeasurements(
                requestCount: 1, connect: nil, firstByte: .microseconds(20), total: .microseconds(50),
                byteCount: byteCount, reusedConnection: true)
        }
        var isCancelled: Bool { progress.withLock { $0.isCancelled } }
        func add(_ count: Int) { progress.withLock { $0.count += Int64(count) } }
    }

    private static func fields(_ state: State) -> [HTTPHead.Field] {
        var fields = [HTTPHead.Field("Date", "Thu, 01 Jan 2026 00:00:00 GMT")]
        let time = FaultServer.date(state.generation)
        switch state.kind {
        case .strong: fields.append(HTTPHead.Field("ETag", "\"\(state.generation)\""))
        case .weak: fields.append(HTTPHead.Field("ETag", "W/\"\(state.generation)\""))
        case .time: fields.append(HTTPHead.Field("Last-Modified", time))
        case .strongAndTime:
            fields.append(HTTPHead.Field("ETag", "\"\(state.generation)\""))
            fields.append(HTTPHead.Field("Last-Modified", time))
        case .none: break
        }
        return fields
    }

    private func answer(_ request: HTTPRequest, _ receiver: any HTTPReceiver, _ transfer: Transfer) {
        guard !transfer.isCancelled else { return receiver.end(.failure(.cancelled)) }
        let (content, fields, trouble) = withState { state -> (Content, [HTTPHead.Field], Trouble) in
            state.requestCount += 1
            let trouble = state.troubles.isEmpty ? Trouble.none : state.troubles.removeFirst()
            return (state.content, Self.fields(state), trouble)
        }
        let whole = 0..<content.total
        var range = request.range.map { $0.clamped(to: whole) } ?? whole
        var head = fields
        var status = request.range == nil && request.several == nil ? 200 : 206
        let several = request.several?.ranges
        if let condition = request.validator?.ifRange, !Self.stands(condition, fields) { status = 200 }
        if case .wholeAnswer = trouble { status = 200 }
        if case .status(let other) = trouble { status = other }
        if status == 206, range.isEmpty { status = 416 }
        switch status {
        case 206 where several != nil:
            head.append(HTTPHead.Field("Content-Type", "multipart/byteranges; boundary=part"))
        case 206:
            head.append(HTTPHead.Field("Content-Range", "bytes \(range.text)/\(content.total)"))
            head.append(HTTPHead.Field("Content-Length", "\(range.count)"))
        case 200:
            range = whole
            head.append(HTTPHead.Field("Content-Length", "\(content.total)"))
        case 416: head.append(HTTPHead.Field("Content-Range", "bytes */\(content.total)"))
        default: break
        }
        if status != 206 && status != 200 { range = 0..<0 }
        let verdict = receiver.receive(HTTPHead(status: status, fields: head, url: request.url))
        guard verdict == .take, !transfer.isCancelled else { return receiver.end(.failure(.cancelled)) }
        if status == 206, let several {
            return answer(several, of: content, trouble, receiver, transfer)
        }
        var place = range.lowerBound
        var stop = range.upperBound
        if case .lost(let count) = trouble { stop = min(stop, place + count) }
        if case .early(let count) = trouble { stop = min(stop, place + count) }
        while place < stop {
            let end = min(stop, place + 16_384)
            let bytes = content.bytes(place..<end)
            withState { $0.sent[content, default: []].append(place..<end) }
            transfer.add(bytes.count)
            guard bytes.withUnsafeBytes({ receiver.receive($0) }) == .take, !transfer.isCancelled else {
                return receiver.end(.failure(.cancelled))
            }
            place = end
        }
        if case .lost = trouble { return receiver.end(.failure(.connectionLost(beforeFirstByte: false))) }
        receiver.end(.success(()))
    }

    /// Several parts, the last one first.
    private func answer(
        _ ranges: [Range<Int64>], of content: Content, _ trouble: Trouble, _ receiver: any HTTPReceiver,
        _ transfer: Transfer
    ) {
        var left = Int64.max
        switch trouble {
        case .lost(let count), .early(let count): left = count
        default: break
        }
        for range in ranges.reversed() {
            let part = range.prefix(min(left, 1 << 40))
            let head = "\r\n--part\r\nContent-Range: bytes \(range.text)/\(content.total)\r\n\r\n"
            let bytes = Array(head.utf8) + content.bytes(part)
            left -= Int64(part.count)
            withState { $0.sent[content, default: []].append(part) }
            transfer.add(bytes.count)
            guard bytes.withUnsafeBytes({ receiver.receive($0) }) == .take, !transfer.isCancelled else {
                return receiver.end(.failure(.cancelled))
            }
            if left <= 0 { break }
        }
        if case .lost = trouble { return receiver.end(.failure(.connectionLost(beforeFirstByte: false))) }
        receiver.end(.success(()))
    }

    private static func stands(_ condition: String, _ fields: [HTTPHead.Field]) -> Bool {
        let tag = fields.first { $0.name == "etag" }?.value
        let time = fields.first { $0.name == "last-modified" }?.value
        return condition.hasPrefix("\"") ? condition == tag : condition == time
    }
}
