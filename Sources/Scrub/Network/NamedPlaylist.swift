package import FileIO
package import ScrubBase
internal import ScrubMedia
package import ScrubSources
package import ScrubStreams

extension HLSVideo {
    /// The HLS presentation that a person named; `nil` for what does not begin as a playlist does.
    ///
    /// - Parameters:
    ///   - name: a path or an address, as it was written.
    ///   - source: its bytes.
    ///   - options: with the cache's folder, where segments are kept too.
    package static func open(
        named name: String, _ source: MediaSource, options: HLSOptions, network: NetworkOptions
    ) throws(ScrubError) -> HLSVideo? {
        guard isPlaylist(source) else { return nil }
        let path = network.usesCache ? options.cache.path : nil
        return try open(name, options: options) { url throws(ScrubError) in
            NetworkStreamAccess(
                options: network, cache: path.flatMap { NetworkService.shared.cache($0) },
                client: try NetworkService.shared.client(network), playlist: url)
        }
    }
}
