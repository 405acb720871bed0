/// The still picture formats that are written: single pictures and those of thumbnail sets.
public enum ImageFormat: String, Hashable, Sendable, CaseIterable {
    /// JPEG (ISO/IEC 10918-1), the one format that every player and television reads.
    case jpeg
    /// PNG (ISO/IEC 15948).
    case png
    /// WebP (RFC 9649).
    case webp
    /// AVIF (AV1 Image File Format).
    case avif

    /// The media type (IANA's registry).
    public var mimeType: String { "image/\(rawValue)" }

    /// The suffix of a file's name, without the point.
    public var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

    /// The `CODECS` value of an HLS image stream; `jpeg` is the specification's own (Image Media Playlist 0.4), the
    /// others are named alike.
    public var hlsCodec: String { rawValue }

    /// The greatest width and height in pixels. It is 65,500 for JPEG as libjpeg's encoder and decoder take, 14 bits in
    /// a WebP bitstream, 31 bits in PNG, and for AVIF 16384, the limit of graphics processors.
    public var largestSide: Int {
        switch self {
        case .jpeg: JPEGLimits.longestSide
        case .png: 0x7FFF_FFFF
        case .webp: 16_383
        case .avif: 16_384
        }
    }
}
