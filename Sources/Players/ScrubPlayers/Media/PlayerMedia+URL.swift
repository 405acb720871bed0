public import FoundationEssentials
internal import Scrub
public import ScrubMedia
public import ScrubSources

extension PlayerMedia {
    /// A video on the network, or a file by its address; opened when it is needed.
    ///
    /// - Parameters:
    ///   - url: an `http`, `https` or `file` address; its name and password are repeated nowhere.
    ///   - identifier: which video it is; `nil` for the address without name and password, and a file's path.
    ///   - poster: a picture of the caller's for ``Key/poster``, which need not be loaded then.
    ///   - options: the options for opening it.
    ///   - network: the options for requests to the server.
    public convenience init(
        url: URL, identifier: PlayerMedia.Identifier? = nil, poster: FramePicture? = nil,
        options: VideoAsset.OpenOptions = .init(),
        network: NetworkOptions = .init()
    ) {
        // An invalid address is an error of the medium, when it is loaded.
        let name = (try? url.mediumName) ?? url.absoluteString
        self.init(named: name, identifier: identifier, poster: poster, options: options, network: network)
    }

    /// Creates a medium from a person's words: a path or an address.
    package convenience init(
        named name: String, identifier: PlayerMedia.Identifier? = nil, poster: FramePicture? = nil,
        options: VideoAsset.OpenOptions = .init(),
        network: NetworkOptions = .init()
    ) {
        let own =
            name.isNetworkAddress
            ? PlayerMedia.Identifier(name.withoutUserInformation) : PlayerMedia.Identifier(path: name)
        self.init(
            name: name.saidName, identifier: identifier ?? own, poster: poster,
            opening: { try await VideoAsset.open(named: name, options: options, network: network) })
    }
}
