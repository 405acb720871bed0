package import ScrubFileIO
internal import ScrubSourcesLogic
package import ScrubBase
internal import ScrubIndex
package import ScrubMedia
package import ScrubSources

// Opens the media that a person names: the one place that tells paths from addresses.
extension MediaSource {
    /// Opens the bytes at a name: a path, or an `http` or `https` address.
    ///
    /// - Parameters:
    ///   - name: as it was written, with a password if there is one.
    ///   - cache: the place of indexes, and beside them of fetched bytes.
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

    /// The cost on the network; `nil` for a local medium.
    package var networkCost: NetworkCost? {
        (source as? RemoteFile)?.cost ?? (source as? any CostingSource)?.networkCost
    }
}

extension VideoAsset {
    /// A video of bytes that are open, and waits for it.
    ///
    /// - Parameter savesBeside: whether a new index may still be on its way to the disk when this returns.
    package convenience init(
        _ source: MediaSource, options: VideoAsset.OpenOptions = .init(), savesBeside: Bool = false
    ) throws(ScrubError) {
        try self.init(file: source, options: options, rules: .init(), savesBeside: savesBeside)
    }
}
