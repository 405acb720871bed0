package import ScrubSourcesLogic

/// The behaviour of a client to all servers.
package struct HTTPClientOptions: Sendable {
    /// Sent as `User-Agent`, such as `scrub/1.0`.
    package var userAgent: String
    /// The most transfers at a time to one origin, and so the most connections; the rest waits in line.
    package var connectionsPerHost: Int
    /// Which hosts and addresses may be connected to.
    package var policy: AddressPolicy
    /// The proxies; by default those of the environment.
    package var proxies: ProxyRules
    /// A file of certificates (PEM) to trust instead of the system's; `nil` for the system's.
    package var certificateFile: String?
    /// Whether a redirect may lead from `https` to `http`.
    package var allowsInsecureRedirects: Bool
    /// The most redirects of one transfer.
    package var redirectLimit: Int
    /// The most bytes of an answer's header, status line included.
    package var headerByteLimit: Int
    /// The most lines of an answer's header.
    package var headerLineLimit: Int

    package init(
        userAgent: String, connectionsPerHost: Int = 4, policy: AddressPolicy = .everything,
        proxies: ProxyRules = .ofThisProcess(), certificateFile: String? = nil, allowsInsecureRedirects: Bool = false,
        redirectLimit: Int = 5, headerByteLimit: Int = 64 * 1024, headerLineLimit: Int = 100
    ) {
        self.userAgent = userAgent
        self.connectionsPerHost = connectionsPerHost
        self.policy = policy
        self.proxies = proxies
        self.certificateFile = certificateFile
        self.allowsInsecureRedirects = allowsInsecureRedirects
        self.redirectLimit = redirectLimit
        self.headerByteLimit = headerByteLimit
        self.headerLineLimit = headerLineLimit
    }
}
