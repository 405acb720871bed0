#if Viewer
public import ScrubMedia
public import ScrubSources

/// The content of a viewer, and its readers.
public struct ViewerConfiguration: Sendable {
    /// Files, folders and addresses, in the order of the list.
    public var names: [String]
    /// The address to listen on. Default this machine alone.
    public var host = "127.0.0.1"
    /// The port to listen on; 0, the default, chooses a free one.
    public var port = 0
    /// Whether the next free port is taken where that one is in use. Default no: then it is an error.
    public var takesNextPort = false
    /// Whether a token is asked for although only this machine can reach it. Other machines are always asked.
    public var usesToken = false
    /// Options for opening videos.
    public var options = VideoAsset.OpenOptions()
    /// Options for asking servers of addresses.
    public var network = NetworkOptions()
    /// A folder with the page's files in place of those in the program, for developers of the page; `nil`, the default,
    /// for those.
    public var pageFolder: String?
    /// The greatest use of resources.
    public var limits = ViewerLimits()

    /// Makes a configuration with the defaults.
    public init(names: [String]) { self.names = names }
}

/// The greatest use of a viewer's resources.
public struct ViewerLimits: Sendable, Hashable {
    /// Open connections; further ones wait in the system's queue. Default 256.
    public var connections = 256
    /// Clients (a browser's tabs, and in them each picture) that are known at a time. Default 64.
    public var clients = 64
    /// Requests for frames that wait for a decoder. Default 256.
    public var queue = 256
    /// Bytes of decoded pictures, those included that decoders keep for themselves. Default 512 MiB.
    public var pictureByteLimit = 512 << 20
    /// Bytes of encoded pictures that are kept. Default 64 MiB.
    public var encodedByteLimit = 64 << 20
    /// Videos that are open at a time. Default 16.
    public var openMedia = 16
    /// The longest time that a connection may be silent. Default 60 s.
    public var idleTime = Duration.seconds(60)
    /// The longest time that a reader may take nothing of an answer. Default 30 s.
    public var stallTime = Duration.seconds(30)
    /// The time after which the nearest picture is given while the exact one is decoded. Default 20 ms: two of them and
    /// an answer fit into 50.
    public var patience = Duration.milliseconds(20)
    /// The time that an idle client's decoder is kept. Default 30 s.
    public var restTime = Duration.seconds(30)
    /// The time that a wrong token waits for its answer, after ten of them. Default 1 s.
    public var penalty = Duration.seconds(1)
    /// The time between two signs of life of a stream of events. Default 15 s.
    public var heartbeat = Duration.seconds(15)

    /// Makes limits with the defaults.
    public init() {}
}
#endif
