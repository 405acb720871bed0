#if Viewer
internal import ScrubBase
internal import ScrubViewerLogic

/// The address of a running viewer.
public struct ViewerAddress: Sendable, Hashable {
    /// The page's address, with the token if one is required.
    public let url: String
    /// The base address of the API, with the token if one is required. It ends with a slash.
    public let api: String
    /// The port on which the viewer listens.
    public let port: Int
    /// The access token; `nil` if none is required.
    public let token: String?

    init(host: String, port: Int, token: String?) {
        let authority =
            (HostNames.isWildcard(host) ? "127.0.0.1" : host.contains(":") ? "[\(host)]" : host) + ":\(port)"
        (self.port, self.token) = (port, token)
        url = "http://\(authority)/" + (token.map { "?token=\($0)" } ?? "")
        api = "http://\(authority)/" + (token.map { "token/\($0)/" } ?? "") + "api/"
    }

    /// A JSON object for programs, on one line: `url`, `api` and, if there is one, `token`.
    public var json: String {
        var line = JSONText()
        line.add("url", url)
        line.add("api", api)
        if let token { line.add("token", token) }
        return line.text
    }
}
#endif
