package import ScrubDecoding

/// What a reader may use.
public struct ReaderOptions: Sendable, Hashable {
    /// Decoders that stay open between requests, each with its own reference pictures. Default 4.
    public var decoderLimit = 4
    /// Bytes of decoded pictures that are kept for later requests. Default 256 MiB.
    public var cacheByteLimit = 256 << 20
    /// Threads that decode at the same time; `nil` for as many as there are processors.
    public var threadCount: Int?

    /// Makes options.
    public init() {}

    package var engine: FrameEngine.Options {
        var options = FrameEngine.Options()
        options.decoderLimit = decoderLimit
        options.cacheByteLimit = cacheByteLimit
        options.threadCount = threadCount ?? Processors.count
        return options
    }
}
