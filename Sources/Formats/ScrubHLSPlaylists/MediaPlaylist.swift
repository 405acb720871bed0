/// A media playlist (RFC 8216, 4.3.3): segments in the order of their presentation.
///
/// Nothing in it is checked against the segments: its times are hints, its names are names.
package struct MediaPlaylist: Hashable, Sendable {
    /// The place of bytes.
    package struct Resource: Hashable, Sendable {
        /// The URI as it is in the playlist.
        package var uri: String
        /// The part of it; nil for all.
        package var range: Range<Int64>?
    }

    /// `EXT-X-KEY`: the encryption of the segments.
    package struct Key: Hashable, Sendable {
        package enum Method: Hashable, Sendable {
            /// Whole segments, AES-128 in CBC with PKCS7 padding.
            case aes128
            /// Anything else, as it is written: `SAMPLE-AES`, `SAMPLE-AES-CTR` ...
            case other(String)
        }

        package var method: Method
        package var uri: String
        /// 16 bytes; nil for the media sequence number.
        package var vector: [UInt8]?
        /// `identity` where the key's URI has the 16 bytes themselves.
        package var format: String
    }

    /// `EXT-X-MAP`: the bytes that are needed before segments can be parsed.
    package struct Initialization: Hashable, Sendable {
        package var resource: Resource
        /// Keys that held where it was written.
        package var keys: [Key]
        package var line: Int
    }

    /// A media segment.
    package struct Segment: Hashable, Sendable {
        package var resource: Resource
        package var duration: PlaylistTime
        /// Its beginning, by the playlist: the sum of all durations before it.
        package var start: PlaylistTime
        /// Its media sequence number.
        package var sequence: Int64
        /// The number of discontinuities before it, from ``MediaPlaylist/discontinuitySequence``.
        package var discontinuity: Int64
        /// Its place in ``MediaPlaylist/initializations``.
        package var initialization: Int?
        /// Its place in ``MediaPlaylist/keySets``; nil for one in the clear.
        package var keySet: Int?
        /// `EXT-X-GAP`: there is nothing to fetch.
        package var isGap: Bool
        /// The wall clock's time of its beginning, as it is written: for people, never a position.
        package var dateTime: String?
        /// The line of its URI.
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
    /// `EXT-X-INDEPENDENT-SEGMENTS`: each segment can be decoded alone; a promise that is not relied on.
    package var hasIndependentSegments = false
    package var segments: [Segment] = []
    package var initializations: [Initialization] = []
    package var keySets: [[Key]] = []

    package init() {}

    /// The sum of the segments' durations.
    package var duration: PlaylistTime { segments.last.map { $0.start + $0.duration } ?? .zero }
}
