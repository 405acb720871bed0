internal import ScrubBase
public import FoundationEssentials
internal import ScrubMedia
public import ScrubSources
public import ScrubStreams

// A presentation by its address. `import Scrub` exposes this; programs without a network do not see it.
extension HLSVideo {
    /// Opens a playlist at an `http` or `https` address, or a file URL, without blocking the caller's thread. It stops
    /// if its task is cancelled, even while it waits for the server.
    ///
    /// It fetches the playlist and, if there are several renditions, the selected rendition's playlist, but no
    /// segments. A playlist file may also name addresses, unlike with ``HLSVideo/open(path:options:)``. Fetched
    /// segments are kept in the folder of the options' cache, which by default is not set. Playlists and keys are not
    /// kept.
    ///
    /// - Parameters:
    ///   - url: the address. Its user name and password are sent to its own host only and are never repeated.
    ///   - options: the options for selecting a rendition, opening segments and decoding.
    ///   - network: the options for requests to the servers.
    /// - Throws: ``ScrubError`` as thrown by ``HLSVideo/init(path:options:)``. Also `noInput` if the server does not
    ///   have the playlist or denies access, `usage` for an unsupported scheme, and `inputOutput` if the connection
    ///   fails. `CancellationError` if the task was cancelled.
    public static func open(
        url: URL, options: HLSVideo.Options = .init(), network: NetworkOptions = .init()
    ) async throws -> HLSVideo {
        let name = try url.mediumName
        return try await BlockingWork.run(on: .shared) {
            try HLSVideo.open(named: name, options: options, network: network)
        }
    }
}
