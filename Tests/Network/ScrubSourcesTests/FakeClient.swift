import ScrubSourcesLogic
import Foundation
import ScrubHTTPTransport
import ScrubBase
import ScrubTestSupport

/// A server without a network: each request's answer is made by a closure and delivered by one thread, in pieces.
final class FakeClient: HTTPRequestStarter {
    /// An answer.
    struct Answer {
        var status = 206
        var fields: [String: String] = [:]
        var body: [UInt8] = []
        /// Stops after so many bytes of the body with this failure.
        var failure: (after: Int, HTTPFailure)?
        /// Nothing ever comes.
        var isSilent = false
    }

    struct Asked: Sendable {
        var range: Range<Int64>?
        var several: ByteRanges?
        var ifRange: String?
        var number: Int
    }

    private final class Transfer: HTTPCancelling {
        let isCancelled = Locked(false)
        let count = Locked<Int64>(0)
        func cancel() { isCancelled.withLock { $0 = true } }
        var byteCount: Int64 { count.withLock { $0 } }
        var measurements: HTTPMeasurements { HTTPMeasurements(requestCount: 1, byteCount: byteCount) }
    }

    private struct Job: Sendable {
        var asked: Asked
        var receiver: any HTTPReceiver
        var transfer: Transfer
    }

    private struct State {
        var jobs: [Job] = []
        var asked: [Asked] = []
        var isOver = false
    }

    private let bell = TimedBell(State())
    private let respond: @Sendable (Asked) -> Answer
    private let url: RemoteURL

    init(_ url: RemoteURL, respond: @escaping @Sendable (Asked) -> Answer) throws {
        self.url = url
        self.respond = respond
        let bell = bell
        try DedicatedThread { FakeClient.run(bell, url, respond) }.detach()
    }

    deinit { bell.ring { $0.isOver = true } }

    /// The requests so far.
    var asked: [Asked] { bell.withLock { $0.asked } }

    func start(_ request: HTTPRequest, _ receiver: any HTTPReceiver) -> any HTTPCancelling {
        let transfer = Transfer()
        bell.ring { state in
            let asked = Asked(
                range: request.range, several: request.several, ifRange: request.validator?.ifRange,
                number: state.asked.count)
            state.asked.append(asked)
            state.jobs.append(Job(asked: asked, receiver: receiver, transfer: transfer))
        }
        return transfer
    }

    /// Takes turns between the requests that are open, a piece of a body at a time.
    private static func run(_ bell: TimedBell<State>, _ url: RemoteURL, _ respond: @Sendable (Asked) -> Answer) {
        var open: [(job: Job, answer: Answer, sent: Int?)] = []
        while true {
            let jobs: [Job]? = bell.wait { state in
                if state.isOver { return .done(nil) }
                let isBusy = open.contains { !$0.answer.isSilent || $0.job.transfer.isCancelled.withLock { $0 } }
                if !state.jobs.isEmpty || isBusy {
                    defer { state.jobs = [] }
                    return .done(state.jobs)
                }
                // A cancelled request that is silent is found by looking.
                return .sleep(open.isEmpty ? nil : 1_000_000)
            }
            guard let jobs else { return }
            for job in jobs { open.append((job, respond(job.asked), nil)) }
            for index in open.indices.reversed() {
                if step(&open[index], url) { open.remove(at: index) }
            }
        }
    }

    /// - Returns: whether it is over.
    private static func step(_ item: inout (job: Job, answer: Answer, sent: Int?), _ url: RemoteURL) -> Bool {
        let receiver = item.job.receiver
        if item.job.transfer.isCancelled.withLock({ $0 }) {
            receiver.end(.failure(.cancelled))
            return true
        }
        if item.answer.isSilent { return false }
        guard let sent = item.sent else {
            item.sent = 0
            if let failure = item.answer.failure, failure.after < 0 {
                receiver.end(.failure(failure.1))
                return true
            }
            let head = HTTPHead(
                status: item.answer.status, fields: item.answer.fields.map { HTTPHead.Field($0.key, $0.value) },
                url: url)
            guard receiver.receive(head) == .take else {
                receiver.end(.failure(.cancelled))
                return true
            }
            return false
        }
        var end = min(sent + 16 * 1024, item.answer.body.count)
        if let failure = item.answer.failure, failure.after < end { end = failure.after }
        if end > sent {
            item.job.transfer.count.withLock { $0 += Int64(end - sent) }
            let verdict = item.answer.body[sent..<end].withUnsafeBytes { receiver.receive($0) }
            item.sent = end
            guard verdict == .take else {
                receiver.end(.failure(.cancelled))
                return true
            }
            return false
        }
        if let failure = item.answer.failure { receiver.end(.failure(failure.1)) } else { receiver.end(.success(())) }
        return true
    }
}

/// A file on a server without a network.
struct FakeContent: Sendable {
    let bytes: [UInt8]
    var tag: String? = "\"one\""
    var answersRanges = true

    init(count: Int, salt: UInt64 = 1) {
        bytes = FakeContent.bytes(count: count, salt: salt)
    }

    static func bytes(count: Int, salt: UInt64) -> [UInt8] {
        var random = SplitMix(salt)
        return random.bytes(count: count)
    }

    func answer(_ asked: FakeClient.Asked) -> FakeClient.Answer {
        var fields: [String: String] = [:]
        if let tag { fields["ETag"] = tag }
        let mustBeWhole = asked.ifRange != nil && asked.ifRange != tag
        guard answersRanges, !mustBeWhole, let range = asked.range ?? asked.several?.span else {
            fields["Content-Length"] = "\(bytes.count)"
            return FakeClient.Answer(status: 200, fields: fields, body: bytes)
        }
        if let several = asked.several { return answer(several.ranges, fields) }
        guard range.lowerBound < Int64(bytes.count) else {
            fields["Content-Range"] = "bytes */\(bytes.count)"
            return FakeClient.Answer(status: 416, fields: fields)
        }
        let part = range.clamped(to: 0..<Int64(bytes.count))
        fields["Content-Range"] = "bytes \(part.text)/\(bytes.count)"
        fields["Content-Length"] = "\(part.count)"
        return FakeClient.Answer(fields: fields, body: Array(bytes[Int(part.lowerBound)..<Int(part.upperBound)]))
    }

    /// Several parts.
    func answer(_ ranges: [Range<Int64>], _ fields: [String: String] = [:]) -> FakeClient.Answer {
        var (fields, body) = (fields, [UInt8]())
        fields["Content-Type"] = "multipart/byteranges; boundary=part"
        for range in ranges {
            body += Array("\r\n--part\r\nContent-Range: bytes \(range.text)/\(bytes.count)\r\n\r\n".utf8)
            body += bytes[Int(range.lowerBound)..<Int(range.upperBound)]
        }
        body += Array("\r\n--part--\r\n".utf8)
        fields["Content-Length"] = "\(body.count)"
        return FakeClient.Answer(fields: fields, body: body)
    }
}
