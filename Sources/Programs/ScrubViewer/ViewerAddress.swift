#if Viewer
internal import ScrubBase
internal import ScrubViewerLogic

/// The address at which a viewer responds.
public struct ViewerAddress: Sendable, Hashable {
    /// The page's address, with the token if one is needed.
    public let url: String
    /// The prefix of the API's addresses, with the token if one is needed; ends with a slash.
    public let api: String
    /// The chosen port.
    public let port: Int
    /// The token for access; `nil` if none is required.
    public let token: String?

    init(host: String, port: Int, token: String?) {
        let authority =
            (HostNames.isWildcard(host) ? "127.0.0.1" : host.contains(":") ? "[\(host)]" : host) + ":\(port)"
        (self.port, self.token) = (port, token)
        url = "http://\(authority)/" + (token.map { "?token=\($0)" } ?? "")
        api = "http://\(authority)/" + (token.map { "token/\($0)/" } ?? "") + "api/"
    }

    /// The line for programs: `url`, `api`, and `token` if there is one.
    public var json: String {
        var line = JSONText()
        line.add("url", url)
        line.add("api", api)
        if let token { line.add("token", token) }
        return line.text
    }
}
#endif
