internal import ScrubFileIO
internal import ScrubSourcesLogic
public import FoundationEssentials
internal import ScrubIndex
public import ScrubMedia
public import ScrubSources

// A video by its address. `import Scrub` exposes this; programs without a network do not see it.
extension VideoAsset {
    /// Opens the video at a URL (`http`, `https` or `file`) synchronously.
    ///
    /// Only the byte ranges that are needed for frames are requested. Fetched bytes are saved in the folder that
    /// ``VideoAsset/OpenOptions/cache`` specifies. When the video is opened again, saved bytes are not requested again.
    ///
    /// For an HLS playlist, the video consists of all segments of the best rendition, and opening it costs as much as
    /// `HLSVideo.asset()`. ``HLSVideo/open(url:options:network:)`` offers a choice of renditions, reads presentations
    /// that are not a single video, and finds single frames without reading all segments.
    ///
    /// The call blocks like ``init(path:options:)``, and also while it waits for the server. Each read ends within
    /// ``NetworkOptions/readTimeout``. In asynchronous code, use ``open(url:options:network:)``.
    ///
    /// - Parameters:
    ///   - url: the URL. Its user name and password are sent only to its host, and never appear in errors.
    ///   - options: the options for opening the video.
    ///   - network: the options for requests to the server.
    /// - Throws: the errors of ``init(path:options:)``; `noInput` if the server does not have the resource or denies
    ///   access, `usage` for an unsupported scheme, and `inputOutput` if the connection fails or the content changes.
    @available(*, noasync, message: "this blocks; in async code, use 'try await VideoAsset.open(url:)'")
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

    /// Opens the video at a URL (`http`, `https` or `file`), without blocking the caller's thread or the cooperative
    /// pool.
    ///
    /// The call stops if its task is cancelled. Caching, cost and errors are the same as for
    /// ``init(url:options:network:)``.
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
                    .usage, "has an unsupported scheme: \(scheme ?? "none")",
                    file: absoluteString.saidName, advice: "use an http, https or file address")
            }
            return absoluteString
        }
    }
}
