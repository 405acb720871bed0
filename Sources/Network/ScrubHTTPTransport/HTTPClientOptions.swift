package import ScrubSourcesLogic

/// The options of a client, for all servers.
package struct HTTPClientOptions: Sendable {
    /// The `User-Agent` header, such as `scrub/1.0`.
    package var userAgent: String
    /// The maximum number of simultaneous transfers to one origin, and so of connections. The rest wait in line.
    package var connectionsPerHost: Int
    /// The hosts and addresses to which connections are allowed.
    package var policy: AddressPolicy
    /// The proxies; by default those in the environment.
    package var proxies: ProxyRules
    /// A file of certificates (PEM) to trust instead of the system's; `nil` for the system's.
    package var certificateFile: String?
    /// Whether a redirect may go from `https` to `http`.
    package var allowsInsecureRedirects: Bool
    /// The maximum number of redirects per transfer.
    package var redirectLimit: Int
    /// The maximum number of bytes in a response header, including the status line.
    package var headerByteLimit: Int
    /// The maximum number of lines in a response header.
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
