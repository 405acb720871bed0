internal import ScrubSourcesLogic
package import ScrubHTTPTransport
package import ScrubBase

/// Options for reading videos over the network. Opening throws `usage` for an invalid host rule, and for a timeout or a
/// number of connections that is too small.
public struct NetworkOptions: Hashable, Sendable {
    /// Header fields to send with each request, such as `Authorization`. They are sent only to the host in the address,
    /// not to hosts to which it redirects.
    public var headers: [String: String] = [:]
    /// The value of the `User-Agent` header.
    public var userAgent = "scrub"
    /// The only allowed hosts, such as `example.com`, `*.example.com`, `192.0.2.7` or `10.0.0.0/8`. If the list is
    /// empty, all hosts are allowed. The rules also apply to the address that a name resolves to, and to each redirect.
    /// Cached bytes do not bypass them: if ``allowedHosts``, ``deniedHosts`` or ``isPublicOnly`` restricts the hosts,
    /// the beginning of the medium is requested from the server even if the whole medium is cached.
    public var allowedHosts: [String] = []
    /// Hosts that are denied, in the same notation, regardless of ``allowedHosts``.
    public var deniedHosts: [String] = []
    /// Whether addresses of private and local networks are denied unless ``allowedHosts`` contains their network. Use
    /// this in services that open addresses from untrusted users. Off by default.
    public var isPublicOnly = false
    /// The proxy to use.
    public var proxy = Proxy.environment
    /// A PEM file with the certificates to trust instead of the system's.
    public var certificateFile: String?
    /// The maximum time for connecting. It must be greater than 0; the default is 5 s.
    public var connectTimeout = Duration.seconds(5)
    /// The maximum time until the headers of a response arrive. It must be greater than 0; the default is 10 s.
    public var answerTimeout = Duration.seconds(10)
    /// The maximum time during which a response body may arrive at less than 1 KiB per second. It must be greater than
    /// 0; the default is 10 s.
    public var stallTimeout = Duration.seconds(10)
    /// The maximum time for one read, including retries. It must be greater than 0; the default is 30 s.
    public var readTimeout = Duration.seconds(30)
    /// Whether to keep fetched bytes on disk and to reuse them. On by default.
    public var usesCache = true
    /// A name that separates one caller's cache entries from another's for the same address, such as a tenant's name.
    /// Requests with different credentials, in the address or in ``headers``, always have separate entries.
    public var cacheIdentity: String?
    /// The maximum number of bytes of one video in memory, including those in transit. The default is 64 MiB; values
    /// below 4 MiB are raised to 4 MiB.
    public var memoryByteLimit = 64 << 20
    /// The maximum number of connections to one host. It must be at least 1; the default is 4, and values above 6 are
    /// lowered to 6.
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
