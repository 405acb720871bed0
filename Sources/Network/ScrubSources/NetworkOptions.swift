internal import ScrubSourcesLogic
package import ScrubHTTPTransport
package import ScrubBase

/// Options for reading videos on the network. Opening refuses numbers and times that are too small with `usage`.
public struct NetworkOptions: Hashable, Sendable {
    /// Header fields of each request, such as `Authorization`. They go to the host of the address, and not to hosts
    /// that it redirects to.
    public var headers: [String: String] = [:]
    /// The value of `User-Agent`.
    public var userAgent = "scrub"
    /// Hosts that alone are allowed: `example.com`, `*.example.com`, `192.0.2.7`, `10.0.0.0/8`; empty for all. The
    /// address that a name has, and each redirect, is judged too. Bytes on disk do not bypass these rules. With any of
    /// them a server is asked for the beginning of the medium, also if all of it was fetched before.
    public var allowedHosts: [String] = []
    /// Hosts that are refused, in the same spellings, whatever ``allowedHosts`` says.
    public var deniedHosts: [String] = []
    /// Whether addresses of private and local networks are refused unless a network of ``allowedHosts`` has them: for
    /// services that open addresses of strangers. Off by default.
    public var isPublicOnly = false
    /// Through which proxy.
    public var proxy = Proxy.environment
    /// A file of certificates (PEM) to trust instead of the system's.
    public var certificateFile: String?
    /// The longest time that a connection may take, more than 0. 5 s by default.
    public var connectTimeout = Duration.seconds(5)
    /// The longest time that the head of an answer may take, more than 0. 10 s by default.
    public var answerTimeout = Duration.seconds(10)
    /// The longest time that a body may bring less than 1 KiB per second, more than 0. 10 s by default.
    public var stallTimeout = Duration.seconds(10)
    /// The longest time that one read may take, repeated requests included, more than 0. 30 s by default.
    public var readTimeout = Duration.seconds(30)
    /// Whether fetched bytes are kept on disk, and bytes on disk are used. On by default.
    public var usesCache = true
    /// A name that keeps one caller's entries in the cache from another's for the same address, such as a tenant's
    /// name. Credentials in the address and in ``headers`` keep them apart in any case.
    public var cacheIdentity: String?
    /// The most bytes of one video that are kept in memory, those on their way included. 64 MiB by default; less
    /// than 4 MiB counts as 4 MiB.
    public var memoryByteLimit = 64 << 20
    /// The most connections to one host, 1 or more, 4 by default; more than 6 count as 6.
    public var connections = 4

    /// A proxy to go through.
    public struct Proxy: Hashable, Sendable {
        enum Kind: Hashable { case environment, none, address(String) }
        let kind: Kind

        /// The values of `https_proxy`, `http_proxy`, `all_proxy` and `no_proxy`.
        public static let environment = Proxy(kind: .environment)
        /// None.
        public static let none = Proxy(kind: .none)
        /// Returns a proxy for all hosts, such as `http://proxy.example.com:3128`.
        public static func address(_ address: String) -> Proxy { Proxy(kind: .address(address)) }
    }

    /// The defaults.
    public init() {}
}

extension NetworkOptions {
    /// Which hosts and addresses may be asked.
    var addressPolicy: AddressPolicy {
        get throws(ScrubError) {
            try AddressPolicy(allow: allowedHosts, deny: deniedHosts, publicOnly: isPublicOnly)
        }
    }

    /// Times of one request.
    package var timeouts: HTTPTimeouts {
        HTTPTimeouts(
            connect: connectTimeout, firstByte: answerTimeout, total: nil, leastRate: 1024, rateWindow: stallTimeout)
    }

    /// Returns the client's options for these options.
    ///
    /// - Parameter environment: the variables for ``Proxy/environment``.
    /// - Throws: ``ScrubError/Code/usage`` for a rule of hosts that is not valid, and for a number or a time that is
    ///   too small.
    package func clientOptions(environment: [String: String]) throws(ScrubError) -> HTTPClientOptions {
        for (name, time) in [
            ("connectTimeout", connectTimeout), ("answerTimeout", answerTimeout), ("stallTimeout", stallTimeout),
            ("readTimeout", readTimeout),
        ] where time <= .zero {
            throw ScrubError.wrongRequest("NetworkOptions.\(name) is \(time)", advice: "give more than 0")
        }
        guard connections >= 1 else {
            throw ScrubError.wrongRequest("NetworkOptions.connections is \(connections)", advice: "give 1 or more")
        }
        let proxies =
            switch proxy.kind {
            case .environment: ProxyRules(environment: environment)
            case .none: ProxyRules.none
            case .address(let address): ProxyRules(address)
            }
        return HTTPClientOptions(
            userAgent: userAgent, connectionsPerHost: min(connections, 6),
            policy: try addressPolicy,
            proxies: proxies, certificateFile: certificateFile)
    }
}
