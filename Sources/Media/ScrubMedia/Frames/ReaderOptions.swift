package import ScrubDecoding

extension FrameReader {
    /// The resources that a reader may use.
    ///
    /// A value that is too small is a `usage` error. In ``FrameReader/init(_:options:)``, which does not throw, it is a
    /// precondition failure.
    public struct Options: Sendable, Hashable {
        /// The maximum number of decoders that stay open between requests, each with its own reference pictures, 1 or
        /// more. Default 4.
        public var decoderLimit = 4
        /// The maximum size in bytes of the decoded pictures kept for later requests, 0 or more. Default 256 MiB,
        /// enough for 80 pictures at 1080p.
        public var cacheByteLimit = ScrubBudget.defaultByteLimit
        /// The number of threads that decode at the same time, 1 or more; `nil` for one per processor.
        public var threadCount: Int?

        /// Creates options with the default values.
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
