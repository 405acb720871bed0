internal import CScrubCurl
internal import ScrubSourcesLogic

extension HTTPFailure {
    /// Creates the failure for a libcurl error code.
    ///
    /// - Parameters:
    ///   - text: libcurl's message for this case; may be empty.
    ///   - refusal: the reason why an address was not connected to.
    ///   - parser: the state of the response header.
    init(code: Int32, text: String, refusal: AddressRefusal?, parser: HTTPHeadParser, easy: OpaquePointer?) {
        unsafe self.init(
            code: code, text: text, refusal: refusal, hasBegun: parser.hasBegun, isComplete: parser.isComplete,
            easy: easy)
    }

    /// Creates a failure.
    ///
    /// - Parameters:
    ///   - hasBegun: whether any part of a response arrived.
    ///   - isComplete: whether its header arrived completely.
    init(
        code: Int32, text: String, refusal: AddressRefusal?, hasBegun: Bool, isComplete: Bool = true,
        easy: OpaquePointer?
    ) {
        let connectStatus = unsafe easy.map { unsafe ccurl_info($0, Int32(CCURL_INFO_HTTP_CONNECTCODE)) } ?? 0
        self =
            switch Int(code) {
            case CCURL_COULDNT_RESOLVE_HOST: .unknownHost
            case CCURL_COULDNT_RESOLVE_PROXY: .other("the proxy's host name cannot be resolved")
            case CCURL_COULDNT_CONNECT: refusal.map(HTTPFailure.forbiddenAddress) ?? .refused
            case CCURL_OPERATION_TIMEDOUT: .timedOut
            case CCURL_PARTIAL_FILE: .connectionLost(beforeFirstByte: false)
            case CCURL_GOT_NOTHING: .connectionLost(beforeFirstByte: true)
            case _ where connectStatus >= 300: .other("the proxy refused the request (status \(connectStatus))")
            case CCURL_PROXY_ERROR: .other("the proxy cannot be used")
            case CCURL_SEND_ERROR, CCURL_RECV_ERROR, CCURL_HTTP2_STREAM:
                .connectionLost(beforeFirstByte: !hasBegun)
            case CCURL_UNSUPPORTED_PROTOCOL, CCURL_WEIRD_SERVER_REPLY, CCURL_HTTP2, CCURL_BAD_CONTENT_ENCODING:
                .badResponse("it is not valid HTTP")
            // Libraries before 8.6 have no separate error for a line that is too long.
            case CCURL_TOO_LARGE, CCURL_OUT_OF_MEMORY:
                isComplete ? .other("not enough memory for the response") : .tooLarge("a header line is too long")
            case CCURL_SSL_CONNECT_ERROR, CCURL_SSL_CERTPROBLEM, CCURL_SSL_CIPHER, CCURL_PEER_FAILED_VERIFICATION,
                CCURL_SSL_CACERT_BADFILE, CCURL_SSL_ISSUER_ERROR, CCURL_SSL_INVALIDCERTSTATUS:
                .tls(HTTPFailure.plain(HTTPFailure.shown(text, code)))
            default: .other(HTTPFailure.shown(text, code))
            }
    }

    /// Returns the message for the most frequent failures, without the library's name and number.
    private static func plain(_ text: String) -> String {
        if text.contains("wrong version number") {
            return "the server does not use TLS on this port; did you mean http://?"
        }
        return text
    }

    /// Returns a message that may contain server text in a form that is safe to show.
    private static func shown(_ text: String, _ code: Int32) -> String {
        let words = unsafe text.isEmpty ? String(cString: ccurl_code_text(code)) : text
        return String(decoding: words.utf8.filter { (0x20..<0x7F).contains($0) }.prefix(200), as: UTF8.self)
    }
}
