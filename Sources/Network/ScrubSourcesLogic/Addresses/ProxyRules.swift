internal import Glibc

/// The rules that select a proxy for a request, if any.
package struct ProxyRules: Hashable, Sendable {
    private var forScheme: [RemoteURL.Scheme: String] = [:]
    private var exceptions: [String] = []

    /// No proxies.
    package static let none = ProxyRules()

    private init() {}

    /// Creates rules with one proxy for everything, such as `http://proxy:3128` or `socks5h://localhost:1080`.
    package init(_ proxy: String) {
        forScheme = [.http: proxy, .https: proxy]
    }

    /// Creates rules from environment variables: `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, with lower
    /// case taking precedence over upper case.
    ///
    /// `HTTP_PROXY` is not read, because the client can set it on a server that runs CGI programs.
    package init(environment: [String: String]) {
        func value(_ names: String...) -> String? {
            for name in names {
                if let text = environment[name], !text.isEmpty { return text }
            }
            return nil
        }
        forScheme[.http] = value("http_proxy", "all_proxy", "ALL_PROXY")
        forScheme[.https] = value("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
        exceptions = (value("no_proxy", "NO_PROXY") ?? "")
            .split { $0 == "," || $0 == " " }.map { String($0).lowercased() }
    }

    /// Returns the proxy as it was given, with its credentials; `nil` for a direct connection.
    package func proxy(for url: RemoteURL) -> String? {
        guard let proxy = forScheme[url.scheme], !exceptions.contains(where: { ProxyRules.matches($0, url) }) else {
            return nil
        }
        return proxy
    }

    /// Returns whether a rule matches: `*`, a network, an address, or a name that includes all names below it. If it
    /// has a port, that must be equal.
    private static func matches(_ rule: String, _ url: RemoteURL) -> Bool {
        guard rule != "*" else { return true }
        if let network = try? HostRule(rule), network.isNetwork {
            return url.address.map(network.matches) ?? false
        }
        var name = rule[...]
        if let colon = name.lastIndex(of: ":"), let port = DecimalText.int64(name[name.index(after: colon)...]) {
            guard port == Int64(url.port) else { return false }
            name = name[..<colon]
        }
        name = name.hasPrefix("*") ? name.dropFirst() : name
        name = name.hasPrefix(".") ? name.dropFirst() : name
        guard !name.isEmpty else { return false }
        return url.bracketedHost == name || url.host == name || url.address == nil && url.host.hasSuffix("." + name)
    }
}

extension ProxyRules {
    /// Returns the rules for this process's current variables.
    package static func ofThisProcess() -> ProxyRules {
        let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"]
        var environment: [String: String] = [:]
        for name in names {
            if let value = unsafe getenv(name) { environment[name] = unsafe String(cString: value) }
        }
        return ProxyRules(environment: environment)
    }
}
