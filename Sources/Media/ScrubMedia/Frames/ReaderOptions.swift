package import ScrubDecoding

extension FrameReader {
    /// The resources of a reader.
    ///
    /// Throwing calls reject values that are too small with `usage`. For ``FrameReader/init(_:options:)``, valid values
    /// are a precondition.
    public struct Options: Sendable, Hashable {
        /// The number of decoders that stay open between requests, each with its own reference pictures, 1 or more.
        /// Default 4.
        public var decoderLimit = 4
        /// The bytes of decoded pictures to keep for later requests, 0 or more. Default
        /// 256 MiB, or 80 pictures of 1080p.
        public var cacheByteLimit = ScrubBudget.defaultByteLimit
        /// The number of threads that decode at the same time, 1 or more; `nil` for one per processor.
        public var threadCount: Int?

        /// Creates options with default values.
        public init() {}

        package var engine: FrameEngine.Options {
            var options = FrameEngine.Options()
            options.decoderLimit = decoderLimit
            options.cacheByteLimit = cacheByteLimit
            options.threadCount = threadCount ?? Processors.count
            return options
        }
    }
}
