package import ScrubSourcesLogic
package import ScrubHTTPTransport
package import ScrubMediaCache
package import ScrubBase
package import ScrubSources

/// Access to http and https addresses in playlists only, never to files.
///
/// Thread safety: safe from any thread.
package final class NetworkStreamAccess: StreamAccess {
    private struct State {
        /// The open media.
        var open: [RemoteFile] = []
        /// The cost of resources that are no longer open.
        var ended = NetworkCost()
    }

    private let options: NetworkOptions
    private let cache: MediaCache?
    private let client: any HTTPRequestStarter
    private let origin: RemoteURL.Origin?
    private let state: Locked<State>
    /// The maximum number of media that are retained for their cost; others are released with their readers.
    private let openLimit: Int

    /// Creates an access.
    ///
    /// - Parameters:
    ///   - cache: the cache for media; playlists and keys are never cached. `nil` for none.
    ///   - client: the client for all requests.
    ///   - playlist: the address that the caller named, whose host alone receives the options' header fields. `nil` for
    ///     a playlist file: they are sent to no host.
    ///   - segmentLimit: the number of segments that its reader keeps open; twice as many are retained here.
    ///   - spent: the cost of determining that it is a playlist.
    package init(
        options: NetworkOptions, cache: MediaCache?, client: any HTTPRequestStarter, playlist: RemoteURL?,
        segmentLimit: Int = MediaLimits().maximumOpenFileCount, spent: NetworkCost = NetworkCost()
    ) {
        state = Locked(State(ended: spent))
        (self.options, self.cache, self.client, origin) = (options, cache, client, playlist?.origin)
        openLimit = 2 * max(1, min(segmentLimit, 1 << 20))
    }

    package var cost: NetworkCost? {
        state.withLock { state in state.open.reduce(state.ended) { $0 + $1.cost } }
    }

    package func resolve(_ reference: String, from base: StreamAddress) throws(ScrubError) -> StreamAddress {
        if case .otherScheme(let scheme) = StreamReference(reference) {
            throw ScrubError(
                .unavailable, "'\(reference.prefix(80))' cannot be opened: \(scheme) addresses are not supported",
                file: base.name, advice: "a playlist on the network may refer only to http and https addresses")
        }
        guard case .url(let url) = base else {
            throw ScrubError(
                .badData, "'\(reference.prefix(80))' is in a local playlist, which has no network address",
                file: base.name)
        }
        do throws(ScrubError) {
            return .url(try url.resolving(reference))
        } catch {
            throw ScrubError(
                .badData, "'\(reference.prefix(80))' cannot be used: \(error.causeWording)", file: base.name,
                advice: error.adviceWording)
        }
    }

    package func open(_ address: StreamAddress, for purpose: StreamPurpose) throws(ScrubError) -> StreamResource {
        guard case .url(let url) = address else {
            throw ScrubError(.badData, "'\(address.name)' is a local file, which remote content must not reference")
        }
        var options = options
        // The caller's header fields are for the host that the caller named.
        if url.origin != origin { options.headers = [:] }
        let file = try RemoteFile(
            url, options: options, cache: purpose == .media ? cache : nil, client: client, opening: .ofManyFiles)
        // Released outside the lock, because closing a file waits for its thread.
        let closed = state.withLock { state -> RemoteFile? in
            defer { state.open.append(file) }
            guard state.open.count >= openLimit else { return nil }
            let oldest = state.open.removeFirst()
            state.ended = state.ended + oldest.cost
            return oldest
        }
        withExtendedLifetime(closed) {}
        return StreamResource(source: file, address: file.answeredURL.map { .url($0) } ?? address)
    }
}

extension NetworkCost {
    /// Returns the cost since an earlier value.
    func since(_ earlier: NetworkCost) -> NetworkCost {
        NetworkCost(
            requestCount: requestCount - earlier.requestCount,
            fetchedByteCount: fetchedByteCount - earlier.fetchedByteCount,
            cachedByteCount: cachedByteCount - earlier.cachedByteCount, retryCount: retryCount - earlier.retryCount)
    }
}
