package import ScrubFileIO
package import ScrubBase
package import ScrubMedia
package import ScrubSources
package import ScrubStreams

extension HLSVideo {
    /// Opens the HLS presentation that a person named; `nil` if the medium does not begin like a playlist.
    ///
    /// - Parameters:
    ///   - name: a path or an address, as it was written.
    ///   - source: its bytes.
    package static func open(
        named name: String, _ source: MediaSource, options: HLSVideo.Options, network: NetworkOptions
    ) throws(ScrubError) -> HLSVideo? {
        // A video is longer, and its first bytes may have to be fetched. The file's own bytes are used, because a
        // playlist's cost is separate from a video's.
        guard source.byteCount <= mostPlaylistBytes else { return nil }
        guard source.file.map({ isPlaylist($0) }) ?? isPlaylist(source) else { return nil }
        return try open(named: name, options: options, network: network, spent: source.networkCost ?? NetworkCost())
    }

    /// Opens the HLS presentation that a person named, and waits for it. It stops if the work on this thread is
    /// cancelled.
    ///
    /// - Parameters:
    ///   - name: a path or an address, as it was written.
    ///   - options: the options, with the cache's folder, where segments are also kept.
    ///   - spent: the cost of determining that it is a playlist.
    package static func open(
        named name: String, options: HLSVideo.Options, network: NetworkOptions, spent: NetworkCost = NetworkCost()
    ) throws(ScrubError) -> HLSVideo {
        let path = network.usesCache ? options.openOptions.cache.path : nil
        return try open(name, options: options) { url throws(ScrubError) in
            NetworkStreamAccess(
                options: network, cache: path.flatMap { NetworkService.shared.cache($0) },
                client: try NetworkService.shared.client(network), playlist: url,
                segmentLimit: options.openOptions.limits.maximumOpenFileCount, spent: spent)
        }
    }
}

/// A medium that a person named, opened far enough to distinguish a video from a playlist.
package enum OpenedMedium {
    case video(MediaSource)
    case playlist(HLSVideo)

    /// Opens a medium.
    ///
    /// - Parameters:
    ///   - name: the name as it was written, possibly with a password.
    ///   - options: the options for opening the video later.
    package init(
        _ name: String, options: VideoAsset.OpenOptions, network: NetworkOptions
    ) throws(ScrubError) {
        let source = try MediaSource(at: name, cache: options.cache, network: network)
        var hls = HLSVideo.Options()
        hls.openOptions = options
        let playlist = try HLSVideo.open(named: name, source, options: hls, network: network)
        self = playlist.map { .playlist($0) } ?? .video(source)
    }

    /// Returns the video's bytes: those of a file or an address, or all segments of a playlist.
    package func mediaSource() throws(ScrubError) -> MediaSource {
        switch self {
        case .video(let source): source
        case .playlist(let playlist): try playlist.mediaSource()
        }
    }
}
