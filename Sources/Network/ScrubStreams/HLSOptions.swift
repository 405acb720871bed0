public import ScrubMedia

extension HLSVideo {
    /// Options for opening and reading an HLS presentation. Opening throws `usage` for values that
    /// ``FrameReader/Options`` and ``VideoAsset/OpenOptions/limits`` exclude.
    public struct Options: Sendable {
        /// Pixels across that pictures are wanted in at most: a rendition that is wider is not taken, unless all are.
        /// `nil` for any.
        public var preferredMaximumWidth: Int?
        /// Pixels down, in the same way.
        public var preferredMaximumHeight: Int?
        /// Bits per second that a rendition may have at its peak, by its playlist; where all have more, the one with
        /// the least is taken. `nil` for any.
        public var peakBitRate: Int64?
        /// The stream's place in a segment, as ``VideoAsset/OpenOptions/stream``.
        public var stream: Int?
        /// The place of saved indexes, for segments whose bytes have an identifier (``ByteSource/contentIdentifier``).
        /// Default none.
        public var cache = VideoAsset.IndexCache.none
        /// The resources of decoding. Its cache is shared by the segments that are open, at most three.
        public var reader = FrameReader.Options()
        /// The limits of each segment, as ``VideoAsset/OpenOptions/limits``.
        public var limits = MediaLimits()
        /// The most bytes of a decoded picture, as ``VideoAsset/OpenOptions/pictureByteLimit``.
        public var pictureByteLimit: Int {
            get { limits.pictureByteCount }
            set { limits.pictureByteCount = newValue }
        }

        /// Makes options.
        public init() {}
    }
}

extension HLSVideo {
    /// A rendition of a presentation, as the master playlist describes it.
    ///
    /// Frames of different renditions are not aligned: a frame number belongs to one rendition alone.
    public struct Rendition: Hashable, Sendable {
        /// Its playlist, as it is in the master playlist.
        public let uri: String
        /// Bits per second at the peak.
        public let bandwidth: Int64
        /// Pixels across, where the playlist says them.
        public let width: Int?
        /// Pixels down, where the playlist says them.
        public let height: Int?
        /// The codecs as RFC 6381 names them, where the playlist says them.
        public let codecs: [String]
    }
}
