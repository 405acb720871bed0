/// Whether a response matches the request, before any of its bytes is used.
package enum AnswerCheck: Hashable, Sendable {
    /// The response matches, and its body has this many bytes; `nil` if the header has no length.
    case fits(bodyBytes: Int64?)
    /// The response does not match the request; with the reason, a clause without a full stop.
    case wrong(String)
    /// Its body is larger than allowed.
    case tooLarge(String)

    /// Checks a header.
    ///
    /// - Parameters:
    ///   - range: the requested bytes; `nil` for the whole resource.
    ///   - several: the requested bytes if there were several ranges.
    ///   - bodyLimit: the maximum size of the body in bytes.
    package init(of head: HTTPHead, range: Range<Int64>?, several: ByteRanges? = nil, bodyLimit: Int64?) {
        let lengths = head.values("content-length")
        let length = head.contentLength
        guard lengths.isEmpty || length != nil else {
            self = .wrong("its Content-Length is invalid or contradictory")
            return
        }
        if let coding = head.values("transfer-encoding").first(where: {
            !["chunked", "identity", ""].contains($0.lowercased())
        }) {
            self = .wrong("it uses the transfer coding \(AnswerCheck.shown(coding)), which was not requested")
            return
        }
        if (200..<300).contains(head.status), let coding = head.contentCoding {
            self = .wrong("it uses the content coding \(AnswerCheck.shown(coding)), which was not requested")
            return
        }
        guard head.status == 206 else {
            if (200..<300).contains(head.status), let bodyLimit, let length, length > bodyLimit {
                self = .tooLarge("it has \(length) bytes, but the limit is \(bodyLimit)")
                return
            }
            // These may declare the length of a body that they do not have.
            self = .fits(bodyBytes: head.status == 204 || head.status == 304 ? 0 : length)
            return
        }
        if let several {
            self = AnswerCheck.parts(head, of: several, length: length, bodyLimit: bodyLimit)
        } else {
            self = AnswerCheck.part(head, of: range, length: length, bodyLimit: bodyLimit)
        }
    }

    /// Returns the check for several ranges: parts, whose own headers are checked as they arrive, or one of them alone.
    private static func parts(
        _ head: HTTPHead, of asked: ByteRanges, length: Int64?, bodyLimit: Int64?
    ) -> AnswerCheck {
        guard head.single("content-type")?.lowercased().hasPrefix("multipart/") == true else {
            guard let content = head.contentRange?.range, asked.contains(content) else {
                return .wrong("it contains a part that was not requested")
            }
            return part(head, of: content, length: length, bodyLimit: bodyLimit)
        }
        let most = min(bodyLimit ?? .max, MultipartRanges.byteLimit(asked: asked))
        if let length, length > most { return .tooLarge("it has \(length) bytes, but the limit is \(most)") }
        return .fits(bodyBytes: length)
    }

    private static func part(
        _ head: HTTPHead, of range: Range<Int64>?, length: Int64?, bodyLimit: Int64?
    ) -> AnswerCheck {
        guard let range else { return .wrong("it contains only a part of the file") }
        guard head.single("content-type")?.lowercased().hasPrefix("multipart/") != true else {
            return .wrong("it has several parts instead of one")
        }
        guard let content = head.contentRange?.range else { return .wrong("its range is missing or invalid") }
        guard content.lowerBound == range.lowerBound, content.upperBound <= range.upperBound else {
            return .wrong(
                "it contains bytes \(content.lowerBound)-\(content.upperBound - 1) instead of "
                    + "\(range.lowerBound)-\(range.upperBound - 1)")
        }
        let count = content.upperBound - content.lowerBound
        guard length == nil || length == count else { return .wrong("its length does not match its range") }
        if let bodyLimit, count > bodyLimit { return .tooLarge("it has \(count) bytes, but the limit is \(bodyLimit)") }
        return .fits(bodyBytes: count)
    }

    /// Returns a server's text in a form that is safe to show.
    private static func shown(_ text: String) -> String {
        String(decoding: text.utf8.filter(HTTPHeadParser.isTokenByte).prefix(32), as: UTF8.self)
    }
}

/// Header fields from a caller.
package enum RequestFields {
    /// The fields that only the client itself may send.
    private static let reserved: Set<String> = [
        "range", "if-range", "host", "accept-encoding", "connection", "content-length", "transfer-encoding", "te",
        "upgrade", "expect", "keep-alive", "proxy-connection", "trailer",
    ]

    /// Returns the reason why a field cannot be sent; `nil` if it can.
    package static func refusal(name: String, value: String) -> String? {
        guard !name.isEmpty, name.utf8.allSatisfy(HTTPHeadParser.isTokenByte) else {
            return "a header field has an invalid name"
        }
        guard !value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) else {
            return "the header field \(name) contains a line break or another control character"
        }
        return reserved.contains(name.lowercased()) ? "the header field \(name) is set by Scrub itself" : nil
    }

    /// Returns the value of `Authorization` for a user name and password.
    package static func basicAuthorization(_ userInfo: RemoteURL.UserInfo) -> String {
        "Basic " + base64(Array("\(userInfo.user):\(userInfo.password)".utf8))
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start...].prefix(3)
            let padded = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0..<4 {
                text.append(place <= group.count ? digits[padded >> (18 - 6 * place) & 63] : 0x3D)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
