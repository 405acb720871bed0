/// A media playlist (RFC 8216, 4.3.3): segments in presentation order.
///
/// Nothing in it is checked against the segments: its times are hints, and its names are only names.
package struct MediaPlaylist: Hashable, Sendable {
    /// The location of bytes.
    package struct Resource: Hashable, Sendable {
        /// The URI as written in the playlist.
        package var uri: String
        /// The range of bytes within the resource; nil for all of it.
        package var range: Range<Int64>?
    }

    /// `EXT-X-KEY`: the encryption of the segments.
    package struct Key: Hashable, Sendable {
        package enum Method: Hashable, Sendable {
            /// Whole segments, AES-128 in CBC with PKCS7 padding.
            case aes128
            /// Any other method, as written: `SAMPLE-AES`, `SAMPLE-AES-CTR` ...
            case other(String)
        }

        package var method: Method
        package var uri: String
        /// The 16-byte initialization vector; nil to use the media sequence number.
        package var vector: [UInt8]?
        /// The key format; `identity` if the key's URI refers to the 16 bytes themselves.
        package var format: String
    }

    /// `EXT-X-MAP`: the bytes that are needed before segments can be parsed.
    package struct Initialization: Hashable, Sendable {
        package var resource: Resource
        /// The keys that applied where it was written.
        package var keys: [Key]
        package var line: Int
    }

    /// A media segment.
    package struct Segment: Hashable, Sendable {
        package var resource: Resource
        package var duration: PlaylistTime
        /// The segment's start according to the playlist: the sum of all durations before it.
        package var start: PlaylistTime
        /// The segment's media sequence number.
        package var sequence: Int64
        /// The number of discontinuities before it, from ``MediaPlaylist/discontinuitySequence``.
        package var discontinuity: Int64
        /// The segment's index in ``MediaPlaylist/initializations``.
        package var initialization: Int?
        /// The segment's index in ``MediaPlaylist/keySets``; nil if it is not encrypted.
        package var keySet: Int?
        /// `EXT-X-GAP`: there is nothing to fetch.
        package var isGap: Bool
        /// The wall-clock time of the segment's start, as written. For people, never used as a position.
        package var dateTime: String?
        /// The line number of its URI.
        package var line: Int
    }

    package var version: Int64 = 1
    package var targetDuration: Int64?
    package var mediaSequence: Int64 = 0
    package var discontinuitySequence: Int64 = 0
    /// `EXT-X-PLAYLIST-TYPE`: `VOD`, `EVENT`.
    package var type: String?
    /// `EXT-X-ENDLIST`: no further segment will come.
    package var isComplete = false
    /// `EXT-X-I-FRAMES-ONLY`: each segment is one key picture.
    package var hasOnlyKeyPictures = false
    /// `EXT-X-INDEPENDENT-SEGMENTS`: each segment can be decoded alone; this claim is not relied on.
    package var hasIndependentSegments = false
    package var segments: [Segment] = []
    package var initializations: [Initialization] = []
    package var keySets: [[Key]] = []

    package init() {}

    /// The sum of the segments' durations.
    package var duration: PlaylistTime { segments.last.map { $0.start + $0.duration } ?? .zero }
}
