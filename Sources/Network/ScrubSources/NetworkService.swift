internal import ScrubFileIO
package import ScrubSourcesLogic
package import ScrubHTTPTransport
package import ScrubMediaCache
package import ScrubBase

/// The shared state of all videos on the network in this process: a client for each way to ask, and a cache for each
/// folder. Nothing of it is made before the first address is opened.
///
/// Thread safety: safe from any thread.
package final class NetworkService: Sendable {
    /// The process's.
    package static let shared = NetworkService()

    private struct State {
        var clients: [NetworkOptions: HTTPClient] = [:]
        /// `nil` for a folder that cannot be used, which is said once.
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

    /// Returns the client that asks as the options say.
    package func client(_ options: NetworkOptions) throws(ScrubError) -> HTTPClient {
        try state.withLock { (state) throws(ScrubError) in
            // Options that are not the client's affair must not make another one.
            var key = options
            (key.headers, key.usesCache, key.cacheIdentity) = ([:], true, nil)
            if let known = state.clients[key] { return known }
            let client = try HTTPClient(options: try key.clientOptions(environment: NetworkService.environment))
            state.clients[key] = client
            return client
        }
    }

    /// Returns the cache of a directory; `nil` when it cannot be used, which is reported (``CacheWarnings``).
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

    /// Waits until fetched bytes are kept. Nothing else makes a process wait for it at its end.
    package func flush() {
        for cache in state.withLock({ $0.caches.values.compactMap { $0 } }) { cache.flush() }
    }

    /// The variables that say which proxy.
    private static var environment: [String: String] {
        let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"]
        return names.reduce(into: [:]) { $0[$1] = CacheDirectory.environmentVariable($1) }
    }
}
