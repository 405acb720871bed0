#if Viewer
public import ScrubMedia
public import ScrubSources

/// A viewer's content, and who may access it.
public struct ViewerConfiguration: Sendable {
    /// The files, folders and addresses to show, in this order.
    public var names: [String]
    /// The address to listen on. Default 127.0.0.1, which only this machine can reach.
    public var host = "127.0.0.1"
    /// The port to listen on. Default 0, which chooses a free port.
    public var port = 0
    /// Whether to use the next free port if ``port`` is in use. Default false: a port that is in use is an error.
    public var takesNextPort = false
    /// Whether a token is required even if only this machine can reach the viewer. Other machines always need a token.
    public var usesToken = false
    /// Options for opening videos.
    public var options = VideoAsset.OpenOptions()
    /// Options for requests that fetch media from the network.
    public var network = NetworkOptions()
    /// A folder with page files to use instead of the built-in ones; for developers of the page. Default `nil`.
    public var pageFolder: String?
    /// The resource limits.
    public var limits = ViewerLimits()

    /// Creates a configuration with default values.
    public init(names: [String]) { self.names = names }
}

/// A viewer's resource limits.
public struct ViewerLimits: Sendable, Hashable {
    /// The maximum number of open connections. Further connections wait in the system's queue. Default 256.
    public var connections = 256
    /// The maximum number of clients at the same time. Each video in each browser tab counts as a client. Default 64.
    public var clients = 64
    /// The maximum number of frame requests that wait for a decoder. Default 256.
    public var queue = 256
    /// The maximum size of all decoded pictures in bytes, including those that decoders hold. Default 512 MiB.
    public var pictureByteLimit = 512 << 20
    /// The maximum size of all cached encoded pictures in bytes. Default 64 MiB.
    public var encodedByteLimit = 64 << 20
    /// The maximum number of videos that are open at the same time. Default 16.
    public var openMedia = 16
    /// How long a connection may be silent before it is closed. Default 60 s.
    public var idleTime = Duration.seconds(60)
    /// How long a client may go without reading any part of a response before its connection is closed. Default 30 s.
    public var stallTime = Duration.seconds(30)
    /// How long a request during a drag waits for the exact picture before the nearest one is sent. Default 20 ms,
    /// so that two waits and a response fit into 50 ms.
    public var patience = Duration.milliseconds(20)
    /// How long an idle client's decoder is kept. Default 30 s.
    public var restTime = Duration.seconds(30)
    /// The delay of each response to a wrong token, after the first ten wrong tokens. Default 1 s.
    public var penalty = Duration.seconds(1)
    /// The interval between two heartbeats in an event stream. Default 15 s.
    public var heartbeat = Duration.seconds(15)

    /// Creates limits with default values.
    public init() {}
}
#endif
