public import ScrubMedia

extension HLSVideo {
    /// Options for opening and reading an HLS presentation.
    ///
    /// Opening throws `usage` for values that are invalid in ``FrameReader/Options`` or
    /// ``VideoAsset/OpenOptions/limits``. Thread safety: a value type.
    public struct Options: Sendable {
        /// The preferred maximum width of pictures in pixels. A wider rendition is selected only if all renditions are
        /// wider. `nil` means any width.
        public var preferredMaximumWidth: Int?
        /// The preferred maximum height of pictures in pixels. The same rules apply as for the width.
        public var preferredMaximumHeight: Int?
        /// The maximum peak bit rate of a rendition in bits per second, according to the master playlist. If all
        /// renditions exceed it, the one with the lowest rate is selected. `nil` means any rate.
        public var peakBitRate: Int64?
        /// The options for opening segments: the stream index in each segment, the limits for each segment, and the
        /// cache.
        ///
        /// ``VideoAsset/OpenOptions/cache`` specifies where to keep fetched bytes, and the indexes of segments whose
        /// bytes have an identifier (``ByteSource/contentIdentifier``). By default, nothing is kept.
        /// ``VideoAsset/OpenOptions/progress`` and ``VideoAsset/OpenOptions/keepsPreviews`` apply only when
        /// `HLSVideo.asset()` opens the whole presentation.
        public var openOptions = VideoAsset.OpenOptions(cache: .none)
        /// The options for decoding. Up to three open segments share the cache.
        public var reader = FrameReader.Options()

        /// Creates options with default values.
        public init() {}
    }
}

extension HLSVideo {
    /// A rendition of a presentation, as the master playlist describes it.
    ///
    /// Frames of different renditions are not aligned: a frame number is valid for one rendition only.
    public struct Rendition: Hashable, Sendable {
        /// The URI of its playlist, as in the master playlist.
        public let uri: String
        /// The peak bit rate in bits per second.
        public let bandwidth: Int64
        /// The width in pixels, if the master playlist specifies it.
        public let width: Int?
        /// The height in pixels, if the master playlist specifies it.
        public let height: Int?
        /// The codec strings according to RFC 6381, if the master playlist specifies them.
        public let codecs: [String]
    }
}
