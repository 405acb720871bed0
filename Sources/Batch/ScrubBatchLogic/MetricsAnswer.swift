/// The response to a collector: `GET /metrics`, and nothing else.
///
/// A connection has one request and one response. It works on values only, without sockets.
package enum MetricsAnswer {
    /// The maximum size of a request in bytes.
    package static let requestLimit = 16 << 10
    private static let headEnd = Array("\r\n\r\n".utf8)

    /// Returns the response to the bytes of a request so far; `nil` while its header is incomplete.
    ///
    /// - Parameter text: called if it is requested.
    package static func answer(to request: [UInt8], text: () -> String) -> [UInt8]? {
        let length = headLength(of: request)
        if length == nil, request.count < requestLimit { return nil }
        // However the bytes arrived: even a complete header may be too long.
        guard let length, length + headEnd.count <= requestLimit else {
            return failure("431 Request Header Fields Too Large", "a request can be at most \(requestLimit) bytes long")
        }
        let head = String(decoding: request[..<length], as: UTF8.self)
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = (lines.first ?? "").split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2].hasPrefix("HTTP/1.") else {
            return failure("400 Bad Request", "this is not an HTTP/1.1 request")
        }
        guard words[1].prefix(while: { $0 != "?" }) == "/metrics" else {
            return failure("404 Not Found", "only /metrics is served: use GET /metrics")
        }
        guard words[0] == "GET" || words[0] == "HEAD" else {
            return failure("405 Method Not Allowed", "only GET and HEAD are supported: use GET", "Allow: GET, HEAD")
        }
        guard !lines.dropFirst().contains(where: announcesBody) else {
            return failure("413 Content Too Large", "requests must not have a body: use GET without a body")
        }
        return bytes("200 OK", "text/plain; version=0.0.4; charset=utf-8", text(), isHeadOnly: words[0] == "HEAD")
    }

    /// The bytes of the request's lines, without the empty line that ends them; `nil` until that line has arrived.
    private static func headLength(of request: [UInt8]) -> Int? {
        guard request.count >= headEnd.count else { return nil }
        return (0...request.count - headEnd.count)
            .first { request[$0..<$0 + headEnd.count].elementsEqual(headEnd) }
    }

    private static func announcesBody(_ line: Substring) -> Bool {
        let parts = line.split(separator: ":", maxSplits: 1).map { $0.lowercased().filter { !$0.isWhitespace } }
        return parts.first == "transfer-encoding" || parts.first == "content-length" && parts.last != "0"
    }

    private static func failure(_ status: String, _ reason: String, _ line: String? = nil) -> [UInt8] {
        bytes(status, "text/plain; charset=utf-8", reason + "\n", line)
    }

    private static func bytes(
        _ status: String, _ type: String, _ body: String, _ line: String? = nil, isHeadOnly: Bool = false
    ) -> [UInt8] {
        let lines =
            [
                "HTTP/1.1 \(status)", "Content-Type: \(type)", "Content-Length: \(body.utf8.count)",
                "Cache-Control: no-store", "X-Content-Type-Options: nosniff",
                "Cross-Origin-Resource-Policy: same-origin", "Connection: close",
            ] + (line.map { [$0] } ?? [])
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + (isHeadOnly ? "" : body)).utf8)
    }
}
