public import ScrubMedia

extension HLSVideo {
    /// Options for opening and reading an HLS presentation. Opening throws `usage` for values that are invalid in
    /// ``FrameReader/Options`` or ``VideoAsset/OpenOptions/limits``.
    public struct Options: Sendable {
        /// The preferred maximum width of pictures in pixels. A wider rendition is not selected, unless all are wider.
        /// `nil` for any.
        public var preferredMaximumWidth: Int?
        /// The preferred maximum height of pictures in pixels, like the width.
        public var preferredMaximumHeight: Int?
        /// The maximum peak bit rate of a rendition in bits per second, according to its playlist. If all exceed it,
        /// the one with the lowest rate is selected. `nil` for any.
        public var peakBitRate: Int64?
        /// The stream's index in a segment, as in ``VideoAsset/OpenOptions/stream``.
        public var stream: Int?
        /// The location of saved indexes, for segments whose bytes have an identifier
        /// (``ByteSource/contentIdentifier``). Default none.
        public var cache = VideoAsset.IndexCache.none
        /// The resources of decoding. Open segments, at most three, share the cache.
        public var reader = FrameReader.Options()
        /// The limits on each segment, as in ``VideoAsset/OpenOptions/limits``.
        public var limits = MediaLimits()
        /// The maximum number of bytes of a decoded picture, as in ``VideoAsset/OpenOptions/pictureByteLimit``.
        public var pictureByteLimit: Int {
            get { limits.pictureByteCount }
            set { limits.pictureByteCount = newValue }
        }

        /// Creates options with default values.
        public init() {}
    }
}

extension HLSVideo {
    /// A rendition of a presentation, as the master playlist describes it.
    ///
    /// Frames of different renditions are not aligned: a frame number belongs to one rendition alone.
    public struct Rendition: Hashable, Sendable {
        /// The URI of its playlist, as in the master playlist.
        public let uri: String
        /// The peak bit rate in bits per second.
        public let bandwidth: Int64
        /// The width in pixels, if the playlist contains it.
        public let width: Int?
        /// The height in pixels, if the playlist contains it.
        public let height: Int?
        /// The codec strings according to RFC 6381, if the playlist contains them.
        public let codecs: [String]
    }
}
