internal import CScrubCurl
package import ScrubSourcesLogic
package import ScrubBase

/// A request to an object store, with an AWS signature (Signature Version 4).
package struct StoreRequest {
    package enum Method: String, Sendable {
        case get = "GET"
        case head = "HEAD"
        case put = "PUT"
        case delete = "DELETE"
    }

    /// The credentials. This type's texts never contain them.
    package struct Signer: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
        package var region: String
        package var keyID: String
        package var secret: String
        package var token: String?

        package init(region: String, keyID: String, secret: String, token: String?) {
            (self.region, self.keyID, self.secret, self.token) = (region, keyID, secret, token)
        }

        package var description: String { "credentials" }
        package var debugDescription: String { "credentials" }
    }

    package var method: Method
    package var url: RemoteURL
    package var signer: Signer
    package var headers: [(name: String, value: String)] = []
    /// The number of bytes to send, which must be known in advance.
    package var byteCount: Int64 = 0
    /// Returns the next bytes, up to a maximum, or no bytes at the end; `nil` aborts the transfer.
    package var read: ((Int) -> [UInt8]?)?
    /// The maximum number of bytes of a response body to keep.
    package var answerLimit = 1 << 20

    package init(_ method: Method, _ url: RemoteURL, signer: Signer) {
        (self.method, self.url, self.signer) = (method, url, signer)
    }
}

/// A store's response.
package struct StoreAnswer: Hashable, Sendable {
    package var status: Int
    package var entityTag: String?
    package var byteCount: Int64?
    package var body: [UInt8]

    package init(status: Int, entityTag: String? = nil, byteCount: Int64? = nil, body: [UInt8] = []) {
        (self.status, self.entityTag, self.byteCount, self.body) = (status, entityTag, byteCount, body)
    }
}

/// A reusable connection to an object store. Requests run one after another, each on the calling thread until it ends.
///
/// Redirects are not followed, and certificates are checked. A transfer without progress for 30 s ends.
///
/// `@unchecked Sendable`: its owner ensures that one thread at a time uses it.
@safe package final class StoreConnection: @unchecked Sendable {
    private let easy: OpaquePointer
    private let errorText = UnsafeMutableBufferPointer<CChar>.allocate(capacity: Int(CCURL_ERROR_SIZE))
    private let userAgent: String
    private let proxies = ProxyRules.ofThisProcess()

    // For the request in progress.
    fileprivate var read: ((Int) -> [UInt8]?)?
    fileprivate var answer = StoreAnswer(status: 0)
    fileprivate var limit = 0

    /// Creates a connection.
    ///
    /// - Throws: `unavailable` if libcurl is not installed or too old to sign requests.
    package init(userAgent: String) throws(ScrubError) {
        self.userAgent = userAgent
        if let wrong = unsafe ccurl_load() {
            throw ScrubError(
                .unavailable, unsafe "object stores cannot be opened: \(String(cString: wrong))",
                advice: "install libcurl4")
        }
        guard ccurl_version() >= 0x075700 else {
            throw ScrubError(
                .unavailable, "libcurl is older than 7.87, so it cannot sign requests to object stores",
                advice: "install a newer libcurl4")
        }
        guard let made = unsafe ccurl_easy_init() else {
            throw ScrubError(.unavailable, "not enough memory for a connection to the object store")
        }
        unsafe easy = unsafe made
        unsafe errorText.initialize(repeating: 0)
    }

    deinit {
        unsafe ccurl_easy_cleanup(easy)
        unsafe errorText.deallocate()
    }

    package func perform(_ request: StoreRequest) throws(HTTPFailure) -> StoreAnswer {
        (read, answer, limit) = (request.read, StoreAnswer(status: 0), request.answerLimit)
        defer { read = nil }
        unsafe ccurl_easy_reset(easy)
        unsafe errorText[0] = 0
        let itself = unsafe Unmanaged.passUnretained(self).toOpaque()
        var fields: OpaquePointer?
        defer { unsafe freeList(fields) }
        var lines = request.headers
        lines.append(("x-amz-content-sha256", request.method == .put ? "UNSIGNED-PAYLOAD" : StoreConnection.emptyHash))
        if let token = request.signer.token { lines.append(("x-amz-security-token", token)) }
        for (name, value) in lines {
            if let refusal = RequestFields.refusal(name: name, value: value) { throw .other(refusal) }
            guard let longer = unsafe ccurl_list_append(fields, "\(name): \(value)") else {
                throw .other("not enough memory for the request")
            }
            unsafe fields = unsafe longer
        }
        var steps = unsafe CurlSteps(easy: easy)
        steps.set(CCURL_NOSIGNAL, 1)
        steps.set(CCURL_PROTOCOLS, CCURL_PROTOCOL_HTTP | CCURL_PROTOCOL_HTTPS)
        steps.set(CCURL_FOLLOWLOCATION, 0)
        steps.set(CCURL_URL, request.url.key)
        steps.set(CCURL_PATH_AS_IS, 1)
        steps.set(CCURL_HTTP_VERSION, CCURL_HTTP_VERSION_2TLS)
        steps.set(CCURL_HTTP09_ALLOWED, 0)
        steps.set(CCURL_TCP_KEEPALIVE, 1)
        steps.set(CCURL_CONNECTTIMEOUT_MS, 10_000)
        steps.set(CCURL_LOW_SPEED_LIMIT, 1)
        steps.set(CCURL_LOW_SPEED_TIME, 30)
        steps.set(CCURL_PROXY, proxies.proxy(for: request.url) ?? "")
        steps.set(CCURL_NOPROXY, "")
        steps.set(CCURL_USERAGENT, userAgent)
        steps.set(CCURL_AWS_SIGV4, "aws:amz:\(request.signer.region):s3")
        steps.set(CCURL_USERNAME, request.signer.keyID)
        steps.set(CCURL_PASSWORD, request.signer.secret)
        switch request.method {
        case .get: break
        case .head: steps.set(CCURL_NOBODY, 1)
        case .delete: steps.set(CCURL_CUSTOMREQUEST, "DELETE")
        case .put:
            steps.set(CCURL_UPLOAD, 1)
            unsafe steps.note(ccurl_set_offset(easy, Int32(CCURL_INFILESIZE), request.byteCount))
            unsafe steps.note(ccurl_set_data_function(easy, Int32(CCURL_READFUNCTION), giveBody))
            unsafe steps.note(ccurl_set_pointer(easy, Int32(CCURL_READDATA), itself))
        }
        unsafe steps.note(
            ccurl_set_pointer(easy, Int32(CCURL_ERRORBUFFER), UnsafeMutableRawPointer(errorText.baseAddress)))
        unsafe steps.note(ccurl_set_data_function(easy, Int32(CCURL_HEADERFUNCTION), takeField))
        unsafe steps.note(ccurl_set_pointer(easy, Int32(CCURL_HEADERDATA), itself))
        unsafe steps.note(ccurl_set_data_function(easy, Int32(CCURL_WRITEFUNCTION), takeBody))
        unsafe steps.note(ccurl_set_pointer(easy, Int32(CCURL_WRITEDATA), itself))
        unsafe steps.note(ccurl_set_list(easy, Int32(CCURL_HTTPHEADER), fields))
        if let failure = steps.failure { throw failure }
        let code = unsafe ccurl_easy_perform(easy)
        let status = Int(unsafe ccurl_info(easy, Int32(CCURL_INFO_RESPONSE_CODE)))
        // A store may refuse before it has received all data.
        if code == CCURL_OK || code == CCURL_SEND_ERROR && status >= 400 {
            answer.status = status
            return answer
        }
        let text = unsafe errorText.baseAddress.map { unsafe String(cString: $0) } ?? ""
        throw unsafe HTTPFailure(code: code, text: text, refusal: nil, hasBegun: status > 0, easy: easy)
    }

    /// The SHA-256 of no bytes.
    private static let emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    fileprivate func take(field line: UnsafeRawBufferPointer) {
        guard let text = unsafe String(validating: line, as: UTF8.self) else { return }
        // For a later header, after a 100 or a proxy's.
        if text.hasPrefix("HTTP/") { (answer.entityTag, answer.byteCount, answer.body) = (nil, nil, []) }
        let parts = text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else { return }
        let value = String(parts[1].drop { $0 == " " }.prefix { !$0.isNewline })
        switch parts[0].lowercased() {
        case "etag": answer.entityTag = value
        case "content-length": answer.byteCount = DecimalText.int64(value)
        default: break
        }
    }

    fileprivate func take(body bytes: UnsafeRawBufferPointer) -> Bool {
        guard answer.body.count + bytes.count <= limit else { return false }
        unsafe answer.body.append(contentsOf: bytes)
        return true
    }
}

private func connection(_ context: UnsafeMutableRawPointer?) -> StoreConnection? {
    unsafe context.map { unsafe Unmanaged<StoreConnection>.fromOpaque($0).takeUnretainedValue() }
}

private let giveBody: ccurl_data_function = { bytes, size, count, context in
    let room = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
    guard let given = unsafe connection(context)?.read?(room.count), given.count <= room.count else {
        return Int(CCURL_READ_ABORT)
    }
    unsafe room.copyBytes(from: given)
    return given.count
}

private let takeField: ccurl_data_function = { bytes, size, count, context in
    unsafe connection(context)?.take(field: UnsafeRawBufferPointer(start: bytes, count: size * count))
    return size * count
}

private let takeBody: ccurl_data_function = { bytes, size, count, context in
    let part = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    guard let connection = unsafe connection(context), unsafe connection.take(body: part) else { return 0 }
    return part.count
}

private func freeList(_ list: OpaquePointer?) {
    if let list = unsafe list { unsafe ccurl_list_free(list) }
}
