/// The still picture formats that Scrub writes, for single pictures and thumbnail sets.
public enum ImageFormat: String, Hashable, Sendable, CaseIterable {
    /// JPEG (ISO/IEC 10918-1), the only format that every player and television can read.
    case jpeg
    /// PNG (ISO/IEC 15948).
    case png
    /// WebP (RFC 9649).
    case webp
    /// AVIF (AV1 Image File Format).
    case avif

    /// The media type (IANA registry).
    public var mimeType: String { "image/\(rawValue)" }

    /// The file extension, without the dot.
    public var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

    /// The `CODECS` value of an HLS image stream. `jpeg` is from the specification (Image Media Playlist 0.4); the
    /// others are named by analogy.
    package var hlsCodec: String { rawValue }

    /// The maximum width and height in pixels: 65,500 for JPEG, the limit of libjpeg's encoder and decoder; 14 bits for
    /// WebP; 31 bits for PNG; 16384 for AVIF, the limit of graphics processors.
    package var largestSide: Int {
        switch self {
        case .jpeg: JPEGLimits.longestSide
        case .png: 0x7FFF_FFFF
        case .webp: 16_383
        case .avif: 16_384
        }
    }
}
