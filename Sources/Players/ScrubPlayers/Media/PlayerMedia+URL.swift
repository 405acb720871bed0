public import FoundationEssentials
internal import Scrub
public import ScrubMedia
public import ScrubSources

extension PlayerMedia {
    /// Creates a medium from a URL, which is the address of a video on the network or of a file. The video is opened
    /// when it is needed.
    ///
    /// - Parameters:
    ///   - url: an `http`, `https` or `file` address. Its user name and password never appear in names, identifiers or
    ///     errors.
    ///   - identifier: the video's identifier. If it is `nil`, the identifier is the address without its user name and
    ///     password, or the path of the file.
    ///   - poster: a picture to use for ``Key/poster``, so that none has to be decoded.
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
