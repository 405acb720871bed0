public import ScrubMedia

extension HLSVideo {
    /// Options for opening and reading an HLS presentation.
    ///
    /// Opening throws `usage` for values that are invalid in ``FrameReader/Options`` or
    /// ``VideoAsset/OpenOptions/limits``. Thread safety: a value type.
    public struct Options: Sendable {
        /// The preferred maximum width of pictures in pixels. A wider rendition is not selected, unless all are wider.
        /// `nil` for any.
        public var preferredMaximumWidth: Int?
        /// The preferred maximum height of pictures in pixels, like the width.
        public var preferredMaximumHeight: Int?
        /// The maximum peak bit rate of a rendition in bits per second, according to its playlist. If all exceed it,
        /// the one with the lowest rate is selected. `nil` for any.
        public var peakBitRate: Int64?
        /// The options for opening segments: the stream's index in each segment, the limits on each segment, and the
        /// cache.
        ///
        /// ``VideoAsset/OpenOptions/cache`` is the location of fetched bytes, and of the indexes of segments whose
        /// bytes have an identifier (``ByteSource/contentIdentifier``). By default, nothing is kept.
        /// ``VideoAsset/OpenOptions/progress`` and ``VideoAsset/OpenOptions/keepsPreviews`` only apply to the whole
        /// presentation, `HLSVideo.asset()`.
        public var openOptions = VideoAsset.OpenOptions(cache: .none)
        /// The resources of decoding. Open segments, at most three, share the cache.
        public var reader = FrameReader.Options()

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
