#if Viewer
public import ScrubMedia
public import ScrubSources

/// A viewer's content, and who may access it.
public struct ViewerConfiguration: Sendable {
    /// Files, folders and addresses, in the order of the list.
    public var names: [String]
    /// The address to listen on. Default: only this machine.
    public var host = "127.0.0.1"
    /// The port to listen on; 0, the default, chooses a free one.
    public var port = 0
    /// Whether to use the next free port if that one is in use. Default false, which makes it an error.
    public var takesNextPort = false
    /// Whether a token is required even if only this machine can reach the viewer. Other machines always need one.
    public var usesToken = false
    /// Options for opening videos.
    public var options = VideoAsset.OpenOptions()
    /// Options for requests to the servers of addresses.
    public var network = NetworkOptions()
    /// A folder with the page's files to use instead of those in the program, for developers of the page. Default
    /// `nil`.
    public var pageFolder: String?
    /// The resource limits.
    public var limits = ViewerLimits()

    /// Creates a configuration with default values.
    public init(names: [String]) { self.names = names }
}

/// A viewer's resource limits.
public struct ViewerLimits: Sendable, Hashable {
    /// The maximum number of open connections; further ones wait in the system's queue. Default 256.
    public var connections = 256
    /// The maximum number of clients (a browser's tabs, and each picture in them) known at any one time. Default 64.
    public var clients = 64
    /// The maximum number of frame requests that wait for a decoder. Default 256.
    public var queue = 256
    /// The maximum bytes of decoded pictures, including those that decoders keep. Default 512 MiB.
    public var pictureByteLimit = 512 << 20
    /// The maximum bytes of kept encoded pictures. Default 64 MiB.
    public var encodedByteLimit = 64 << 20
    /// The maximum number of videos open at any one time. Default 16.
    public var openMedia = 16
    /// The maximum time that a connection may be silent. Default 60 s.
    public var idleTime = Duration.seconds(60)
    /// The maximum time that a reader may accept no part of a response. Default 30 s.
    public var stallTime = Duration.seconds(30)
    /// The time after which the nearest picture is delivered while the exact one is decoded. Default 20 ms: twice that
    /// and a response fit into 50 ms.
    public var patience = Duration.milliseconds(20)
    /// How long an idle client's decoder is kept. Default 30 s.
    public var restTime = Duration.seconds(30)
    /// The delay of the response to a wrong token, after ten of them. Default 1 s.
    public var penalty = Duration.seconds(1)
    /// The time between two signs of life in an event stream. Default 15 s.
    public var heartbeat = Duration.seconds(15)

    /// Creates limits with default values.
    public init() {}
}
#endif
