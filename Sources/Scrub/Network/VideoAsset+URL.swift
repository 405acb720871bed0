internal import ScrubFileIO
internal import ScrubSourcesLogic
public import FoundationEssentials
internal import ScrubIndex
public import ScrubMedia
public import ScrubSources

// A video by its address. `import Scrub` shows this; programs without a network don't see it.
extension VideoAsset {
    /// Opens an `http` or `https` address, or a file's, and waits for it.
    ///
    /// The server is asked for ranges of bytes, and only for those that frames need. Fetched bytes are kept in the
    /// folder of ``VideoAsset/OpenOptions/cache``, and not fetched again: a second opening asks only for new bytes.
    ///
    /// Of an HLS playlist it is the video of all its segments (`HLSVideo.asset()`, with its cost), of the best
    /// rendition. ``HLSVideo`` has a choice of renditions, reads presentations that are not a single video, and finds
    /// single frames without reading all segments.
    ///
    /// Blocks as ``init(path:options:)`` does, and for answers of the server; each read ends within
    /// ``NetworkOptions/readTimeout``. In asynchronous code use ``open(url:options:network:)``.
    ///
    /// - Parameters:
    ///   - url: its name and password are sent to its own host and repeated nowhere.
    ///   - options: the options with which it is opened.
    ///   - network: the rules for asking the server.
    /// - Throws: ``ScrubError`` as ``init(path:options:)``. Also `noInput` if the server does not have it or it may not
    ///   be asked for, and `usage` for another scheme. It is `inputOutput` if the connection fails on the way or the
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

    /// Opens an `http` or `https` address, or a file's. Nothing blocks the caller's thread or the cooperative pool.
    ///
    /// Cancelled with its task. Storage, cost and errors: as ``init(url:options:network:)``.
    ///
    /// - Throws: ``ScrubError``, or `CancellationError` when the task was cancelled.
    public static func open(
        url: URL, options: VideoAsset.OpenOptions = .init(), network: NetworkOptions = .init()
    ) async throws -> VideoAsset {
        try await open(named: try url.mediumName, options: options, network: network)
    }

    /// Opens the medium that a person names: a path or an address.
    package static func open(
        named name: String, options: VideoAsset.OpenOptions = .init(), network: NetworkOptions = .init()
    ) async throws -> VideoAsset {
        try await open { () throws(ScrubError) in try VideoAsset(named: name, options: options, network: network) }
    }

    /// The network cost so far; `nil` for a local medium.
    public var networkCost: NetworkCost? { file.networkCost }
}

extension URL {
    /// The path of a file's address, else the address as it stands.
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
