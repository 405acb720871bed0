#if Viewer
public import ScrubMedia
public import ScrubSources

/// What a viewer shows, and to whom.
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
    /// How videos are opened.
    public var options = VideoAsset.OpenOptions()
    /// How servers of addresses are asked.
    public var network = NetworkOptions()
    /// A folder with the page's files in place of those in the program, for developers of the page; `nil`, the default,
    /// for those.
    public var pageFolder: String?
    /// What is used at most.
    public var limits = ViewerLimits()

    /// Makes a configuration with the defaults.
    public init(names: [String]) { self.names = names }
}

/// What a viewer uses at most.
public struct ViewerLimits: Sendable, Hashable {
    /// Open connections; what comes beyond waits in the system's queue. Default 256.
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
    /// How long a connection may be silent. Default 60 s.
    public var idleTime = Duration.seconds(60)
    /// How long a reader may take nothing of an answer. Default 30 s.
    public var stallTime = Duration.seconds(30)
    /// How soon the nearest picture is given while the exact one is decoded. Default 20 ms: two of them and an answer
    /// fit into 50.
    public var patience = Duration.milliseconds(20)
    /// How long a client's decoder is kept when nothing is asked. Default 30 s.
    public var restTime = Duration.seconds(30)
    /// How long a wrong token waits for its answer, after ten of them. Default 1 s.
    public var penalty = Duration.seconds(1)
    /// How often a stream of events says that it is there. Default 15 s.
    public var heartbeat = Duration.seconds(15)

    /// Makes limits with the defaults.
    public init() {}
}
#endif
