internal import ScrubFileIO
package import ScrubSourcesLogic
package import ScrubHTTPTransport
package import ScrubMediaCache
package import ScrubBase

/// The shared state of all network videos in this process: a client for each set of options, and a cache for each
/// folder. It creates them when the first address is opened.
///
/// Thread safety: safe from any thread.
package final class NetworkService: Sendable {
    /// The process's instance.
    package static let shared = NetworkService()

    private struct State {
        var clients: [NetworkOptions: HTTPClient] = [:]
        /// The caches by folder; `nil` for an unusable folder, which is reported once.
        var caches: [String: MediaCache?] = [:]
    }

    private let state = Locked(State())

    private init() {}

    /// Returns a file on the network.
    ///
    /// - Parameter path: the cache directory; `nil` for none.
    package func file(
        _ url: RemoteURL, options: NetworkOptions, cachePath path: String?
    ) throws(ScrubError) -> RemoteFile {
        // libcurl is loaded while the catalogue is opened.
        if state.withLock({ $0.clients.isEmpty }) { HTTPClient.prepare() }
        return try RemoteFile(
            url, options: options, cache: options.usesCache ? path.flatMap(cache) : nil, client: try client(options))
    }

    /// Returns the client for a set of options.
    package func client(_ options: NetworkOptions) throws(ScrubError) -> HTTPClient {
        try state.withLock { (state) throws(ScrubError) in
            // Options that do not concern the client must not create another one.
            var key = options
            (key.headers, key.usesCache, key.cacheIdentity) = ([:], true, nil)
            if let known = state.clients[key] { return known }
            let client = try HTTPClient(options: try key.clientOptions(environment: NetworkService.environment))
            state.clients[key] = client
            return client
        }
    }

    /// Returns the cache of a directory; `nil` if it cannot be used, which is reported (``CacheWarnings``).
    package func cache(_ path: String) -> MediaCache? {
        state.withLock { state in
            if let known = state.caches[path] { return known }
            do throws(ScrubError) {
                let made = try MediaCache(path: path, warning: { CacheWarnings.shared.tell($0) })
                state.caches[path] = .some(made)
                return made
            } catch {
                state.caches[path] = .some(nil)
                CacheWarnings.shared.tell(error)
                return nil
            }
        }
    }

    /// Waits until fetched bytes are saved. Otherwise a process does not wait for it at its end.
    package func flush() {
        for cache in state.withLock({ $0.caches.values.compactMap { $0 } }) { cache.flush() }
    }

    /// The environment variables that select a proxy.
    private static var environment: [String: String] {
        let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"]
        return names.reduce(into: [:]) { $0[$1] = CacheDirectory.environmentVariable($1) }
    }
}
