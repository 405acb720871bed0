internal import CScrubCurl
internal import ScrubSourcesLogic
internal import ScrubBase

extension RunningTransfer {
    /// Configures libcurl for the request.
    ///
    /// - Returns: the reason why it cannot be sent; `nil` if it can.
    func configure(_ easy: OpaquePointer) -> HTTPFailure? {
        var steps = unsafe CurlSteps(easy: easy)
        let itself = unsafe Unmanaged.passUnretained(self).toOpaque()
        steps.set(CCURL_NOSIGNAL, 1)
        steps.set(CCURL_PROTOCOLS, CCURL_PROTOCOL_HTTP | CCURL_PROTOCOL_HTTPS)
        steps.set(CCURL_FOLLOWLOCATION, 0)
        steps.set(CCURL_URL, url.key)
        steps.set(CCURL_PATH_AS_IS, 1)
        steps.set(CCURL_HTTP_VERSION, CCURL_HTTP_VERSION_2TLS)
        steps.set(CCURL_HTTP09_ALLOWED, 0)
        steps.set(CCURL_HTTP_CONTENT_DECODING, 0)
        steps.set(CCURL_SUPPRESS_CONNECT_HEADERS, 1)
        steps.set(CCURL_TCP_KEEPALIVE, 1)
        steps.set(CCURL_MAXAGE_CONN, 60)
        steps.set(CCURL_BUFFERSIZE, 128 * 1024)
        steps.set(CCURL_CONNECTTIMEOUT_MS, milliseconds(transfer.request.timeouts.connect))
        // Simultaneous requests wait for the first connection, because it may be able to carry them all.
        steps.set(CCURL_PIPEWAIT, url.scheme == .https ? 1 : 0)
        // A DNS lookup that is no longer needed is allowed to finish.
        if ccurl_version() >= 0x075700 { steps.set(CCURL_QUICK_EXIT, 1) }
        // libcurl reads the environment if these are not set.
        let proxy = options.proxies.proxy(for: url)
        usesProxy = proxy != nil
        steps.set(CCURL_PROXY, proxy ?? "")
        steps.set(CCURL_NOPROXY, "")
        if let file = options.certificateFile { steps.set(CCURL_CAINFO, file) }
        steps.set(CCURL_USERAGENT, options.userAgent)
        unsafe steps.note(
            ccurl_set_pointer(easy, Int32(CCURL_ERRORBUFFER), UnsafeMutableRawPointer(errorText.baseAddress)))
        unsafe steps.note(ccurl_set_data_function(easy, Int32(CCURL_HEADERFUNCTION), takeHeaderLine))
        unsafe steps.note(ccurl_set_pointer(easy, Int32(CCURL_HEADERDATA), itself))
        unsafe steps.note(ccurl_set_data_function(easy, Int32(CCURL_WRITEFUNCTION), takeBodyBytes))
        unsafe steps.note(ccurl_set_pointer(easy, Int32(CCURL_WRITEDATA), itself))
        unsafe judge.initialize(to: ccurl_judge(function: judgeAddress, context: itself))
        unsafe steps.note(ccurl_set_judge(easy, judge))
        if let failure = listFields() { return failure }
        unsafe steps.note(ccurl_set_list(easy, Int32(CCURL_HTTPHEADER), fields))
        return steps.failure
    }

    /// Builds the list of header fields.
    private func listFields() -> HTTPFailure? {
        let request = transfer.request
        var lines = ["Accept-Encoding: identity"]
        if let ranges = request.several?.ranges ?? request.range.map({ [$0] }) {
            guard let first = ranges.first, first.lowerBound >= 0, ranges.allSatisfy({ !$0.isEmpty }) else {
                return .other("an empty range")
            }
            lines.append("Range: bytes=\(ranges.map(\.text).joined(separator: ","))")
            // The value may come from a file, so it is checked like a caller's.
            if let condition = request.validator?.ifRange {
                if let refusal = RequestFields.refusal(name: "Validator", value: condition) { return .other(refusal) }
                lines.append("If-Range: \(condition)")
            }
        }
        var isAuthorized = false
        for (name, value) in request.headers {
            if let refusal = RequestFields.refusal(name: name, value: value) { return .other(refusal) }
            guard sendsHeaders else { continue }
            if name.lowercased() == "authorization" { isAuthorized = true }
            // A semicolon tells libcurl that the value is empty; a colon alone removes the field.
            lines.append(value.allSatisfy { $0 == " " || $0 == "\t" } ? "\(name);" : "\(name): \(value)")
        }
        if let userInfo = url.userInfo, !isAuthorized {
            lines.append("Authorization: \(RequestFields.basicAuthorization(userInfo))")
        }
        for line in lines {
            guard let longer = unsafe ccurl_list_append(fields, line) else {
                return .other("not enough memory for the request")
            }
            unsafe fields = unsafe longer
        }
        return nil
    }

    /// Returns a duration in milliseconds, at least one, because zero means libcurl's default.
    private func milliseconds(_ duration: Duration) -> Int {
        Int(clamping: max(1, duration.wholeNanoseconds / 1_000_000))
    }

    /// Gets libcurl's measurements.
    func takeMeasurements() {
        guard let easy = unsafe easy else { return }
        func time(_ info: Int) -> Duration? {
            let value = unsafe ccurl_info(easy, Int32(info))
            return value > 0 ? .microseconds(value) : nil
        }
        let connections = unsafe ccurl_info(easy, Int32(CCURL_INFO_NUM_CONNECTS))
        let sent = time(CCURL_INFO_PRETRANSFER_TIME)
        let answered = time(CCURL_INFO_STARTTRANSFER_TIME)
        let connected = time(CCURL_INFO_APPCONNECT_TIME) ?? time(CCURL_INFO_CONNECT_TIME)
        transfer.measure { all in
            if connections > 0, let connected { all.connect = connected }
            all.reusedConnection = connections == 0 && sent != nil
            if let sent, let answered, answered >= sent { all.firstByte = answered - sent }
        }
    }
}

/// A sequence of option settings that remembers the first failure.
@safe struct CurlSteps {
    let easy: OpaquePointer
    private(set) var failure: HTTPFailure?

    init(easy: OpaquePointer) { unsafe self.easy = unsafe easy }

    mutating func set(_ option: Int, _ value: Int) { unsafe note(ccurl_set_long(easy, Int32(option), value)) }
    mutating func set(_ option: Int, _ text: String) { unsafe note(ccurl_set_text(easy, Int32(option), text)) }

    mutating func note(_ code: Int32) {
        guard code != 0, failure == nil else { return }
        failure = .other(unsafe "libcurl rejected the request: \(String(cString: ccurl_code_text(code)))")
    }
}

// The functions that libcurl calls, on the client's thread only and only while the transfer is in progress, which
// retains the object.

private func running(_ context: UnsafeMutableRawPointer?) -> RunningTransfer? {
    unsafe context.map { unsafe Unmanaged<RunningTransfer>.fromOpaque($0).takeUnretainedValue() }
}

private let takeHeaderLine: ccurl_data_function = { bytes, size, count, context in
    let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    guard let transfer = unsafe running(context), unsafe transfer.takeHeader(line) else { return 0 }
    return line.count
}

private let takeBodyBytes: ccurl_data_function = { bytes, size, count, context in
    let part = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    guard unsafe !part.isEmpty else { return 0 }
    guard let transfer = unsafe running(context), unsafe transfer.takeBody(part) else { return 0 }
    return part.count
}

private let judgeAddress: ccurl_judge_function = { context, bytes, count in
    guard let transfer = unsafe running(context) else { return 0 }
    return unsafe transfer.allows([UInt8](UnsafeBufferPointer(start: bytes, count: count))) ? 1 : 0
}
