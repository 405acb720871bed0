internal import ScrubBase
public import FoundationEssentials
internal import ScrubMedia
public import ScrubSources
public import ScrubStreams

// A presentation by its address. `import Scrub` exposes this; programs without a network do not see it.
extension HLSVideo {
    /// Opens the playlist at a URL (`http`, `https` or `file`), without blocking the caller's thread. The call stops if
    /// its task is cancelled, even while it is waiting for the server.
    ///
    /// The call fetches the playlist and, if there are several renditions, the selected rendition's playlist, but no
    /// segments. Unlike with ``HLSVideo/open(path:options:)``, a playlist file may contain URLs. Fetched segments are
    /// saved in the cache folder that the options specify; by default, they are not saved. Playlists and keys are never
    /// saved.
    ///
    /// - Parameters:
    ///   - url: the URL. Its user name and password are sent only to its host, and never appear in errors.
    ///   - options: the options for selecting a rendition, opening segments and decoding.
    ///   - network: the options for requests to the servers.
    /// - Throws: the errors of ``HLSVideo/init(path:options:)``; `noInput` if the server does not have the playlist or
    ///   denies access, `usage` for an unsupported scheme, `inputOutput` if the connection fails; `CancellationError`
    ///   if the task was cancelled.
    public static func open(
        url: URL, options: HLSVideo.Options = .init(), network: NetworkOptions = .init()
    ) async throws -> HLSVideo {
        let name = try url.mediumName
        return try await BlockingWork.run(on: .shared) {
            try HLSVideo.open(named: name, options: options, network: network)
        }
    }
}
