internal import ScrubSourcesLogic
package import ScrubHTTPTransport
package import ScrubBase

/// Options for reading videos on the network. Opening throws `usage` for numbers and times that are too small.
public struct NetworkOptions: Hashable, Sendable {
    /// Header fields of each request, such as `Authorization`. They are sent only to the host of the address, not to
    /// hosts that it redirects to.
    public var headers: [String: String] = [:]
    /// The value of the `User-Agent` header.
    public var userAgent = "scrub"
    /// The only hosts that are allowed: `example.com`, `*.example.com`, `192.0.2.7`, `10.0.0.0/8`; empty for all. The
    /// rules also apply to the resolved address of a name and to each redirect. Bytes on disk do not bypass these
    /// rules. With any of these rules, the beginning of the medium is requested from the server even if all of it was
    /// fetched before.
    public var allowedHosts: [String] = []
    /// Hosts that are denied, in the same notation, regardless of ``allowedHosts``.
    public var deniedHosts: [String] = []
    /// Whether addresses of private and local networks are denied unless ``allowedHosts`` contains their network. Use
    /// this in services that open addresses from untrusted users. Off by default.
    public var isPublicOnly = false
    /// The proxy to use.
    public var proxy = Proxy.environment
    /// A file of certificates (PEM) to trust instead of the system's.
    public var certificateFile: String?
    /// The maximum time for connecting, more than 0. 5 s by default.
    public var connectTimeout = Duration.seconds(5)
    /// The maximum time until the headers of a response arrive, more than 0. 10 s by default.
    public var answerTimeout = Duration.seconds(10)
    /// The maximum time during which a response body may arrive at less than 1 KiB per second, more than 0. 10 s by
    /// default.
    public var stallTimeout = Duration.seconds(10)
    /// The maximum time for one read, including retries, more than 0. 30 s by default.
    public var readTimeout = Duration.seconds(30)
    /// Whether to keep fetched bytes on disk and to reuse them. On by default.
    public var usesCache = true
    /// A name that separates one caller's cache entries from another's for the same address, such as a tenant's name.
    /// Different credentials in the address and in ``headers`` always have separate entries.
    public var cacheIdentity: String?
    /// The maximum number of bytes of one video in memory, including those in transit. 64 MiB by default; less than 4
    /// MiB counts as 4 MiB.
    public var memoryByteLimit = 64 << 20
    /// The maximum number of connections to one host, 1 or more. 4 by default; more than 6 count as 6.
    public var connectionLimit = 4

    /// A proxy server.
    public struct Proxy: Hashable, Sendable {
        enum Kind: Hashable { case environment, none, address(String) }
        let kind: Kind

        /// The proxy from the environment: `https_proxy`, `http_proxy`, `all_proxy` and `no_proxy`.
        public static let environment = Proxy(kind: .environment)
        /// No proxy.
        public static let none = Proxy(kind: .none)
        /// Returns a proxy for all hosts, such as `http://proxy.example.com:3128`.
        public static func address(_ address: String) -> Proxy { Proxy(kind: .address(address)) }
    }

    /// Creates options with default values.
    public init() {}
}

extension NetworkOptions {
    /// The hosts and addresses that may be contacted.
    var addressPolicy: AddressPolicy {
        get throws(ScrubError) {
            try AddressPolicy(allow: allowedHosts, deny: deniedHosts, publicOnly: isPublicOnly)
        }
    }

    /// The timeouts of one request.
    package var timeouts: HTTPTimeouts {
        HTTPTimeouts(
            connect: connectTimeout, firstByte: answerTimeout, total: nil, leastRate: 1024, rateWindow: stallTimeout)
    }

    /// Returns the client options for these options.
    ///
    /// - Parameter environment: the variables for ``Proxy/environment``.
    /// - Throws: ``ScrubError/Code/usage`` for an invalid host rule, and for a number or a time that is too small.
    package func clientOptions(environment: [String: String]) throws(ScrubError) -> HTTPClientOptions {
        for (name, time) in [
            ("connectTimeout", connectTimeout), ("answerTimeout", answerTimeout), ("stallTimeout", stallTimeout),
            ("readTimeout", readTimeout),
        ] where time <= .zero {
            throw ScrubError.wrongRequest("NetworkOptions.\(name) is \(time)", advice: "use more than 0")
        }
        guard connectionLimit >= 1 else {
            throw ScrubError.wrongRequest(
                "NetworkOptions.connectionLimit is \(connectionLimit)", advice: "use 1 or more")
        }
        let proxies =
            switch proxy.kind {
            case .environment: ProxyRules(environment: environment)
            case .none: ProxyRules.none
            case .address(let address): ProxyRules(address)
            }
        return HTTPClientOptions(
            userAgent: userAgent, connectionsPerHost: min(connectionLimit, 6),
            policy: try addressPolicy,
            proxies: proxies, certificateFile: certificateFile)
    }
}
