internal import ScrubFileIO
internal import ScrubSourcesLogic
public import FoundationEssentials
internal import ScrubIndex
public import ScrubMedia
public import ScrubSources

// A video by its address. `import Scrub` exposes this; programs without a network do not see it.
extension VideoAsset {
    /// Opens an `http` or `https` address, or a file URL, synchronously.
    ///
    /// It requests only the byte ranges that are needed for frames. Fetched bytes are kept in the folder of
    /// ``VideoAsset/OpenOptions/cache`` and are not fetched again: a second opening requests only new bytes.
    ///
    /// For an HLS playlist, the video consists of all its segments (`HLSVideo.asset()`, with its cost), in the best
    /// rendition. ``HLSVideo/open(url:options:network:)`` offers a choice of renditions, reads presentations that are
    /// not a single video, and finds single frames without reading all segments.
    ///
    /// It blocks like ``init(path:options:)``, and while it waits for the server; each read ends within
    /// ``NetworkOptions/readTimeout``. In asynchronous code, use ``open(url:options:network:)``.
    ///
    /// - Parameters:
    ///   - url: the address. Its user name and password are sent to its own host only and are never repeated.
    ///   - options: the options for opening the video.
    ///   - network: the options for requests to the server.
    /// - Throws: ``ScrubError`` as thrown by ``init(path:options:)``. Also `noInput` if the server does not have the
    ///   resource or denies access, `usage` for an unsupported scheme, and `inputOutput` if the connection fails or the
    ///   content changes.
    @available(*, noasync, message: "it blocks; in asynchronous code use 'try await VideoAsset.open(url:)'")
    public convenience init(
        url: URL, options: VideoAsset.OpenOptions = .init(), network: NetworkOptions = .init()
    ) throws(ScrubError) {
        try self.init(named: try url.mediumName, options: options, network: network)
    }

    /// Opens a medium by path or address and waits for it.
    package convenience init(
        named name: String, options: VideoAsset.OpenOptions = .init(), network: NetworkOptions = .init()
    ) throws(ScrubError) {
        let medium = try OpenedMedium(name, options: options, network: network)
        try self.init(file: try medium.mediaSource(), options: options, rules: .init())
    }

    /// Opens an `http` or `https` address, or a file URL. It does not block the caller's thread or the cooperative
    /// pool.
    ///
    /// It stops if its task is cancelled. Storage, cost and errors: as for ``init(url:options:network:)``.
    ///
    /// - Throws: ``ScrubError``, or `CancellationError` if the task was cancelled.
    public static func open(
        url: URL, options: VideoAsset.OpenOptions = .init(), network: NetworkOptions = .init()
    ) async throws -> VideoAsset {
        try await open(named: try url.mediumName, options: options, network: network)
    }

    /// Opens the medium that a person named: a path or an address.
    package static func open(
        named name: String, options: VideoAsset.OpenOptions = .init(), network: NetworkOptions = .init()
    ) async throws -> VideoAsset {
        try await open { () throws(ScrubError) in try VideoAsset(named: name, options: options, network: network) }
    }

    /// The network cost so far; `nil` for a local medium.
    public var networkCost: NetworkCost? { file.networkCost }
}

extension URL {
    /// The path of a file's address, or else the address itself.
    package var mediumName: String {
        get throws(ScrubError) {
            if isFileURL { return path(percentEncoded: false) }
            guard absoluteString.isNetworkAddress else {
                throw ScrubError(
                    .usage, "has a scheme that is not asked: \(scheme ?? "none")",
                    file: absoluteString.saidName, advice: "give an http, https or file address")
            }
            return absoluteString
        }
    }
}
