package import ScrubFileIO
internal import ScrubSourcesLogic
package import ScrubBase
internal import ScrubIndex
package import ScrubMedia
package import ScrubSources

// Opens the media that a person names. This is the only place that distinguishes paths from addresses.
extension MediaSource {
    /// Opens the bytes at a name: a path, or an `http` or `https` address.
    ///
    /// - Parameters:
    ///   - name: the name as it was written, possibly with a password.
    ///   - cache: the location of indexes, with fetched bytes next to them.
    package convenience init(
        at name: String, cache: VideoAsset.IndexCache = .standard, network: NetworkOptions = .init()
    ) throws(ScrubError) {
        guard name.isNetworkAddress else {
            try self.init(path: name)
            return
        }
        let shown = name.saidName
        do throws(ScrubError) {
            let file = try NetworkService.shared.file(
                try RemoteURL(name), options: network, cachePath: cache.path)
            try self.init(file, name: shown)
        } catch {
            throw error.inFile(shown)
        }
    }

    /// The network cost; `nil` for a local medium.
    package var networkCost: NetworkCost? {
        (source as? RemoteFile)?.cost ?? (source as? any CostingSource)?.networkCost
    }
}

extension VideoAsset {
    /// Creates a video from open bytes, and waits for it.
    ///
    /// - Parameter savesBeside: whether a new index may still be in the process of being saved when this returns.
    package convenience init(
        _ source: MediaSource, options: VideoAsset.OpenOptions = .init(), savesBeside: Bool = false
    ) throws(ScrubError) {
        try self.init(file: source, options: options, rules: .init(), savesBeside: savesBeside)
    }
}
