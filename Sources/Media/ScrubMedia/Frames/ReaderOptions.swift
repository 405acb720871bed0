package import ScrubDecoding

extension FrameReader {
    /// The resources of a reader.
    ///
    /// Calls that throw refuse a number that is too small with `usage`; for ``FrameReader/init(_:options:)`` it is a
    /// precondition that none is.
    public struct Options: Sendable, Hashable {
        /// Decoders that stay open between requests, each with its own reference pictures, 1 or more. Default 4.
        public var decoderLimit = 4
        /// Bytes of decoded pictures that are kept for later requests, 0 or more. Default
        /// ``ScrubBudget/defaultByteLimit``.
        public var cacheByteLimit = ScrubBudget.defaultByteLimit
        /// Threads that decode at the same time, 1 or more; `nil` for as many as there are processors.
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
}
