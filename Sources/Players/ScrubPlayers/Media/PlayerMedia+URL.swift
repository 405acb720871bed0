public import FoundationEssentials
internal import Scrub
public import ScrubMedia
public import ScrubSources

extension PlayerMedia {
    /// Creates a medium from the address of a video on the network or of a file. It is opened when needed.
    ///
    /// - Parameters:
    ///   - url: an `http`, `https` or `file` address. The user name and password in it are never repeated.
    ///   - identifier: the video's identifier; `nil` for the address without user name and password, or a file's path.
    ///   - poster: a picture to use for ``Key/poster``, which then need not be loaded.
    ///   - options: the options for opening the video.
    ///   - network: the options for requests to the server.
    public convenience init(
        url: URL, identifier: PlayerMedia.Identifier? = nil, poster: FramePicture? = nil,
        options: VideoAsset.OpenOptions = .init(),
        network: NetworkOptions = .init()
    ) {
        // An invalid address is reported as an error of the medium when it is loaded.
        let name = (try? url.mediumName) ?? url.absoluteString
        self.init(named: name, identifier: identifier, poster: poster, options: options, network: network)
    }

    /// Creates a medium from user input: a path or an address.
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
