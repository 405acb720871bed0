#if Viewer
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import ScrubBase
internal import ScrubViewerLogic

/// Decides which requests are admitted. It checks, in this order: the server's name, the origin of the page, the
/// method, which must not change anything, and the token.
///
/// Thread safety: safe from any task.
final class Gate: Sendable {
    /// The gate's decision.
    enum Word: Sendable {
        /// Admitted, with the target.
        case pass(RequestTarget, parts: [Substring])
        case refuse(Response)
    }

    private let token: String?
    private let port: Int
    private let hosts: HostNames
    private let penalty: Duration
    private let failures = Locked((count: 0, waiting: 0))

    init(_ names: HostNames, port: Int, token: String?, penalty: Duration) {
        (hosts, self.port, self.token, self.penalty) = (names, port, token, penalty)
    }

    private static let otherSite = Answer.failure(
        .forbidden, "pages of other sites cannot access the viewer", hint: "open the address that scrub view printed",
        code: "origin")

    /// Checks a request before anything else does.
    func look(_ request: Request) async -> Word {
        guard let host = request.head.authority else {
            return .refuse(
                Answer.failure(
                    .badRequest, "the request does not name a host", hint: "send one Host header", code: "host"))
        }
        let names = HTTPField.Name("Host").map { request.headers[values: $0] } ?? []
        guard names.isEmpty else {
            return .refuse(
                Answer.failure(
                    .badRequest, "the request names more than one host", hint: "send one Host header", code: "host"))
        }
        guard hosts.allows(host) else {
            return .refuse(
                Answer.failure(
                    .forbidden, "the request names a host that is not this viewer",
                    hint: "use the address that scrub view printed",
                    code: "host"))
        }
        let sites = HTTPField.Name("Sec-Fetch-Site").map { request.headers[values: $0] } ?? []
        guard sites.allSatisfy({ $0 == "same-origin" || $0 == "none" }) else {
            return .refuse(Gate.otherSite)
        }
        guard request.headers[values: .origin].allSatisfy(hosts.allows(origin:)) else {
            return .refuse(Gate.otherSite)
        }
        guard request.method == .get || request.method == .head else {
            var response = Answer.failure(
                .methodNotAllowed, "only GET and HEAD are supported", hint: "use GET", code: "method")
            response.headers[.allow] = "GET, HEAD"
            return .refuse(response)
        }
        guard let target = RequestTarget(request.head.path ?? "") else {
            return .refuse(
                Answer.failure(
                    .badRequest, "the request does not name a path", hint: "start the request target with /",
                    code: "path"))
        }
        return await admit(request, target)
    }

    private func admit(_ request: Request, _ target: RequestTarget) async -> Word {
        guard let token else { return .pass(target, parts: target.parts) }
        var parts = target.parts
        var said: [String] = []
        var isInPath = false
        if parts.first == "token", parts.count > 1 {
            said.append(String(parts[1]))
            parts.removeFirst(2)
            isInPath = true
        }
        let isInQuery = target["token"] != nil
        if let word = target["token"] { said.append(word) }
        for value in request.headers[values: .authorization] where value.hasPrefix("Bearer ") {
            said.append(String(value.dropFirst("Bearer ".count)))
        }
        for field in request.headers[values: .cookie] {
            for pair in field.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1).map { $0.trimmingPrefix { $0 == " " } }
                if parts.count == 2, parts[0] == cookieName { said.append(String(parts[1])) }
            }
        }
        guard said.contains(where: { Gate.isSame($0, token) }) else {
            return .refuse(await refusal(isGuess: !said.isEmpty))
        }
        guard isInQuery, !isInPath, parts.first != "api" else { return .pass(target, parts: parts) }
        // Removed from the address and thereby from the history: the cookie contains the token from now on.
        var response = Response(status: .seeOther, headers: [.location: String(target.path)])
        response.headers[.setCookie] = "\(cookieName)=\(token); HttpOnly; SameSite=Strict; Path=/"
        return .refuse(response)
    }

    /// Cookies do not distinguish ports; the name does.
    private var cookieName: String { "scrub-\(port)" }

    private func refusal(isGuess: Bool) async -> Response {
        let response = Answer.failure(
            .unauthorized, isGuess ? "the token is wrong" : "a token is needed",
            hint: "use the address that scrub view printed",
            code: "token")
        guard isGuess else { return response }
        let (isMany, isCrowd) = failures.withLock { failures in
            failures.count += 1
            guard failures.count > 10 else { return (false, false) }
            failures.waiting += 1
            return (true, failures.waiting > 16)
        }
        guard isMany else { return response }
        defer { failures.withLock { $0.waiting -= 1 } }
        // Parallel guesses are not delayed, because that would take connections from others.
        guard !isCrowd else {
            return Answer.failure(
                .tooManyRequests, "too many wrong tokens",
                hint: "wait a moment, then use the address that scrub view printed", code: "token")
        }
        try? await Task.sleep(for: penalty)
        return response
    }

    /// Compares in constant time, which does not reveal where they differ.
    static func isSame(_ said: String, _ token: String) -> Bool {
        let (said, token) = (Array(said.utf8), Array(token.utf8))
        var difference = UInt8(said.count == token.count ? 0 : 1)
        for (place, byte) in token.enumerated() { difference |= byte ^ (place < said.count ? said[place] : 0) }
        return difference == 0
    }

    /// Returns 128 random bits.
    static func newToken() -> String {
        var random = SystemRandomNumberGenerator()
        return (0..<2).map { _ in PlainText.hexadecimal(UInt64.random(in: 0 ... .max, using: &random)) }.joined()
    }
}
#endif
