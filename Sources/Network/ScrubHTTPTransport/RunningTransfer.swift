internal import CScrubCurl
internal import ScrubSourcesLogic
internal import ScrubBase

/// A transfer on the client's thread: one request after another as redirects are followed. Used by that thread only.
@safe final class RunningTransfer {
    /// The event that the transfer waits for.
    enum Phase {
        /// The header, until a deadline.
        case head(deadline: ContinuousClock.Instant)
        /// The body, with the number of bytes in the window that began at `since`.
        case body(since: ContinuousClock.Instant, bytes: Int64)
        /// The rest of a small body that is discarded, so that the connection can be kept.
        case rest(deadline: ContinuousClock.Instant)
    }

    /// The maximum size of a body that is read and discarded rather than closing the connection.
    private static let smallBody: Int64 = 16 * 1024

    let transfer: HTTPTransfer
    let options: HTTPClientOptions
    private(set) var url: RemoteURL
    private(set) var sendsHeaders = true
    private var redirectCount = 0

    /// The place of a transfer in its origin's line.
    enum Place {
        case nowhere
        /// Waiting in line.
        case waiting(RemoteURL.Origin)
        /// Started.
        case going(RemoteURL.Origin)
    }
    var place = Place.nowhere

    // For the request in progress.
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
    /// The reason why an address was not connected to.
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

    /// Resets everything that belongs to the previous request.
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

    // MARK: Callbacks from libcurl. False ends the transfer.

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
            // For a redirect, or a response that is not wanted.
            readInVain += Int64(bytes.count)
            return readInVain <= RunningTransfer.smallBody
        }
        received += Int64(bytes.count)
        if let bodyBytes, received > bodyBytes { return fail(.badResponse("it has more bytes than declared")) }
        if let limit = transfer.request.bodyLimit, received > limit {
            return fail(.tooLarge("it has more than \(limit) bytes"))
        }
        phase = .body(since: since, bytes: before + Int64(bytes.count))
        guard unsafe transfer.receive(bytes) == .stop else { return true }
        stop()
        // A complete body leaves the connection in a good state.
        return received == bodyBytes
    }

    /// Returns whether a connection to an address is allowed.
    func allows(_ bytes: [UInt8]) -> Bool {
        guard let address = NetworkAddress(bytes: bytes) else {
            refusal = AddressRefusal("not an internet address", remedy: "use the host's name or IP address")
            return false
        }
        // The proxy's own address was chosen by the user who configured it.
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

    /// Determines the target of a redirect. The next request follows when this one has ended.
    private func follow(_ head: HTTPHead) -> Bool {
        guard let location = head.single("location") else {
            return fail(.badResponse("it redirects to several addresses"))
        }
        redirectCount += 1
        guard redirectCount <= options.redirectLimit else {
            return fail(.badResponse("there are more than \(options.redirectLimit) redirects"))
        }
        guard var next = try? url.resolving(location) else {
            return fail(
                .forbiddenAddress(
                    AddressRefusal(
                        "a redirect to '\(String(location.prefix(80)).shown)', but only http and https are supported",
                        remedy: "use the address of the file itself")))
        }
        if url.scheme == .https, next.scheme == .http, !options.allowsInsecureRedirects {
            return fail(
                .forbiddenAddress(
                    AddressRefusal(
                        "a redirect from https to http on \(next.host)",
                        remedy: "if http is secure enough, use the redirect's target address")))
        }
        // Text that a server writes there is not a credential of the caller.
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

    /// Records the first failure.
    @discardableResult
    func fail(_ failure: HTTPFailure) -> Bool {
        if self.failure == nil { self.failure = failure }
        return false
    }

    // MARK: Time

    /// The time of the next check; `nil` for never.
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

    /// Returns the failure of an overdue transfer. A window that was fast enough is followed by the next one.
    func overdue(at now: ContinuousClock.Instant) -> HTTPFailure? {
        guard let deadline, now >= deadline else { return nil }
        let timeouts = transfer.request.timeouts
        guard case .body(let since, let bytes) = phase else { return .timedOut }
        if isOverdueAltogether(at: now) { return .timedOut }
        guard now >= since + timeouts.rateWindow else { return nil }
        // Compared in nanobytes, because a window may be a fraction of a second.
        let least = timeouts.leastRate.multipliedFullWidth(by: timeouts.rateWindow.wholeNanoseconds)
        let came = bytes.multipliedFullWidth(by: 1_000_000_000)
        guard (came.high, came.low) >= (least.high, least.low) else { return .tooSlow }
        phase = .body(since: now, bytes: 0)
        return nil
    }

    /// Returns whether the total time has elapsed.
    func isOverdueAltogether(at now: ContinuousClock.Instant) -> Bool {
        guard let began, let total = transfer.request.timeouts.total else { return false }
        return now >= began + total
    }

    // MARK: Ending

    /// Returns the result when libcurl reports the end of the request.
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
