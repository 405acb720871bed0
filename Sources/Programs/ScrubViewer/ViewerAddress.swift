#if Viewer
internal import ScrubBase
internal import ScrubViewerLogic

/// The address at which a viewer answers.
public struct ViewerAddress: Sendable, Hashable {
    /// The page, with the token in it where one is needed.
    public let url: String
    /// The beginning of the API's addresses, with the token in it if one is needed; ends with a slash.
    public let api: String
    /// The port that was chosen.
    public let port: Int
    /// The token that opens it; `nil` if none is asked for.
    public let token: String?

    init(host: String, port: Int, token: String?) {
        let authority =
            (HostNames.isWildcard(host) ? "127.0.0.1" : host.contains(":") ? "[\(host)]" : host) + ":\(port)"
        (self.port, self.token) = (port, token)
        url = "http://\(authority)/" + (token.map { "?token=\($0)" } ?? "")
        api = "http://\(authority)/" + (token.map { "token/\($0)/" } ?? "") + "api/"
    }

    /// The line for programs: `url`, `api`, and `token` where there is one.
    public var json: String {
        var line = JSONText()
        line.add("url", url)
        line.add("api", api)
        if let token { line.add("token", token) }
        return line.text
    }
}
#endif
