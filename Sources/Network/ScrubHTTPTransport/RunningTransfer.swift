internal import CScrubCurl
internal import ScrubSourcesLogic
internal import ScrubBase

/// A transfer as the client's thread has it: one request after another as redirects lead on. Only that thread touches
/// it.
@safe final class RunningTransfer {
    /// The event that is waited for.
    enum Phase {
        /// The head, until then.
        case head(deadline: ContinuousClock.Instant)
        /// The body: so many bytes in the window that began then.
        case body(since: ContinuousClock.Instant, bytes: Int64)
        /// Only the rest of a small body that is not wanted, so that the connection can be kept.
        case rest(deadline: ContinuousClock.Instant)
    }

    /// Bodies up to this size are read in vain rather than to close a connection.
    private static let smallBody: Int64 = 16 * 1024

    let transfer: HTTPTransfer
    let options: HTTPClientOptions
    private(set) var url: RemoteURL
    private(set) var sendsHeaders = true
    private var redirectCount = 0

    /// The place of a transfer.
    enum Place {
        case nowhere
        /// In line, or on its way through it.
        case waiting(RemoteURL.Origin)
        /// One of those that may go.
        case going(RemoteURL.Origin)
    }
    var place = Place.nowhere

    // Of the request under way.
    var easy: OpaquePointer?
    var fields: OpaquePointer?
    var usesProxy = false
    let errorText = UnsafeMutableBufferPointer<CChar>.allocate(capacity: Int(CCURL_ERROR_SIZE))
    let judge = UnsafeMutablePointer<ccurl_judge>.allocate(capacity: 1)
    var phase = Phase.rest(deadline: .now)
    private(set) var parser: HTTPHeadParser
    private var bodyBytes: Int64?
    private var received: Int64 = 0
    private var readInVain: Int64 = 0
    /// Why an address was not connected to.
    private(set) var refusal: AddressRefusal?

    private(set) var failure: HTTPFailure?
    private(set) var redirect: RemoteURL?
    private(set) var began: ContinuousClock.Instant?

    init(_ transfer: HTTPTransfer, _ options: HTTPClientOptions) {
        self.transfer = transfer
        self.options = options
        let shortcut = transfer.request.shortcut
        url = shortcut?.url ?? transfer.request.url
        if let shortcut, shortcut.hasLeftOrigin || url.origin != transfer.request.url.origin {
            url.userInfo = nil
            sendsHeaders = false
        }
        parser = HTTPHeadParser(byteLimit: options.headerByteLimit, lineLimit: options.headerLineLimit)
        unsafe errorText.initialize(repeating: 0)
    }

    deinit {
        unsafe errorText.deallocate()
        unsafe judge.deallocate()
    }

    /// Forgets everything of the request before.
    func beginRequest(at now: ContinuousClock.Instant) {
        if let redirect { url = redirect }
        redirect = nil
        refusal = nil
        if began == nil { began = now }
        parser = HTTPHeadParser(byteLimit: options.headerByteLimit, lineLimit: options.headerLineLimit)
        bodyBytes = nil
        received = 0
        readInVain = 0
        unsafe errorText.update(repeating: 0)
        phase = .head(deadline: now + transfer.request.timeouts.firstByte)
        transfer.measure { $0.requestCount += 1 }
    }

    // MARK: What libcurl calls. False ends the transfer.

    func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        guard !transfer.isCancelled else { return fail(.cancelled) }
        switch unsafe parser.take(line) {
        case .more: return true
        case .wrong(let text): return fail(.badResponse(text))
        case .tooLarge(let text): return fail(.tooLarge(text))
        case .head(let status, let fields):
            return take(HTTPHead(status: status, fields: fields, url: url, hasLeftOrigin: !sendsHeaders))
        }
    }

    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard !transfer.isCancelled else { return fail(.cancelled) }
        transfer.measure { $0.byteCount += Int64(bytes.count) }
        guard case .body(let since, let before) = phase else {
            // Of a redirect, or of an answer that is not wanted.
            readInVain += Int64(bytes.count)
            return readInVain <= RunningTransfer.smallBody
        }
        received += Int64(bytes.count)
        if let bodyBytes, received > bodyBytes { return fail(.badResponse("more bytes than it announced")) }
        if let limit = transfer.request.bodyLimit, received > limit {
            return fail(.tooLarge("more than \(limit) bytes"))
        }
        phase = .body(since: since, bytes: before + Int64(bytes.count))
        guard unsafe transfer.receive(bytes) == .stop else { return true }
        stop()
        // A body that is whole leaves the connection as it should be.
        return received == bodyBytes
    }

    /// Whether a connection may go to an address.
    func allows(_ bytes: [UInt8]) -> Bool {
        guard let address = NetworkAddress(bytes: bytes) else {
            refusal = AddressRefusal("no address of the internet", remedy: "name the host by its name or address")
            return false
        }
        // The proxy's own address was chosen by the user who set it up.
        guard !usesProxy, let reason = options.policy.refusal(of: address, host: url.host) else { return true }
        refusal = reason
        return false
    }

    private func take(_ head: HTTPHead) -> Bool {
        if [301, 302, 303, 307, 308].contains(head.status), head["location"] != nil { return follow(head) }
        let request = transfer.request
        let check = AnswerCheck(
            of: head, range: request.range, several: request.several, bodyLimit: request.bodyLimit)
        switch check {
        case .wrong(let text): return fail(.badResponse(text))
        case .tooLarge(let text): return fail(.tooLarge(text))
        case .fits(let count): bodyBytes = count
        }
        let now = ContinuousClock.now
        phase = .body(since: now, bytes: 0)
        guard transfer.receive(head) == .stop else { return true }
        stop()
        phase = .rest(deadline: now + .seconds(1))
        return bodyBytes.map { $0 <= RunningTransfer.smallBody } ?? false
    }

    /// Decides where a redirect leads; the next request follows when this one has ended.
    private func follow(_ head: HTTPHead) -> Bool {
        guard let location = head.single("location") else {
            return fail(.badResponse("redirects to several places"))
        }
        redirectCount += 1
        guard redirectCount <= options.redirectLimit else {
            return fail(.badResponse("more than \(options.redirectLimit) redirects"))
        }
        guard var next = try? url.resolving(location) else {
            return fail(
                .forbiddenAddress(
                    AddressRefusal(
                        "a redirect to '\(String(location.prefix(80)).shown)', and only http and https are opened",
                        remedy: "use the address of the file itself")))
        }
        if url.scheme == .https, next.scheme == .http, !options.allowsInsecureRedirects {
            return fail(
                .forbiddenAddress(
                    AddressRefusal(
                        "a redirect from https to http, to \(next.host)",
                        remedy: "name the address that it leads to yourself, if http is safe enough")))
        }
        // Words that a server writes there are not a credential of the caller's.
        if next.origin == url.origin {
            next.userInfo = url.userInfo
        } else {
            next.userInfo = nil
            sendsHeaders = false
        }
        redirect = next
        phase = .rest(deadline: .now + .seconds(1))
        return head.contentLength.map { $0 <= RunningTransfer.smallBody } ?? false
    }

    private func stop() { transfer.end(.failure(.cancelled)) }

    /// Remembers the first thing that went wrong.
    @discardableResult
    func fail(_ failure: HTTPFailure) -> Bool {
        if self.failure == nil { self.failure = failure }
        return false
    }

    // MARK: Time

    /// The time of the next look; `nil` for never.
    var deadline: ContinuousClock.Instant? {
        let timeouts = transfer.request.timeouts
        let next: ContinuousClock.Instant? =
            switch phase {
            case .head(let deadline), .rest(let deadline): deadline
            case .body(let since, _): timeouts.leastRate > 0 ? since + timeouts.rateWindow : nil
            }
        let last = timeouts.total.flatMap { total in began.map { $0 + total } }
        guard let next, let last else { return next ?? last }
        return min(next, last)
    }

    /// Returns the failure of a transfer that is overdue; a window that was good enough is followed by the next one.
    func overdue(at now: ContinuousClock.Instant) -> HTTPFailure? {
        guard let deadline, now >= deadline else { return nil }
        let timeouts = transfer.request.timeouts
        guard case .body(let since, let bytes) = phase else { return .timedOut }
        if isOverdueAltogether(at: now) { return .timedOut }
        guard now >= since + timeouts.rateWindow else { return nil }
        // Compared in nanobytes: a window may be a fraction of a second.
        let least = timeouts.leastRate.multipliedFullWidth(by: timeouts.rateWindow.wholeNanoseconds)
        let came = bytes.multipliedFullWidth(by: 1_000_000_000)
        guard (came.high, came.low) >= (least.high, least.low) else { return .tooSlow }
        phase = .body(since: now, bytes: 0)
        return nil
    }

    /// Whether the time for all of it is over.
    func isOverdueAltogether(at now: ContinuousClock.Instant) -> Bool {
        guard let began, let total = transfer.request.timeouts.total else { return false }
        return now >= began + total
    }

    // MARK: The end

    /// Returns the result when libcurl reports that the request is over.
    func result(_ code: Int32) -> Result<Void, HTTPFailure> {
        if let failure { return .failure(failure) }
        guard code == 0 else { return .failure(mapped(code)) }
        guard parser.isComplete else {
            return .failure(parser.hasBegun ? .connectionLost(beforeFirstByte: false) : .badResponse("no header"))
        }
        if case .body = phase, let bodyBytes, received < bodyBytes {
            return .failure(.connectionLost(beforeFirstByte: false))
        }
        return .success(())
    }

    private func mapped(_ code: Int32) -> HTTPFailure {
        unsafe HTTPFailure(
            code: code,
            text: unsafe String(decoding: errorText.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self),
            refusal: refusal, parser: parser, easy: unsafe easy)
    }
}
