/// The compressed formats whose picture headers this module reads.
package enum VideoCodec: UInt8, Sendable {
    /// ITU-T H.264, MPEG-4 Part 10 (AVC).
    case h264
    /// ITU-T H.265 (HEVC).
    case hevc
    /// AOMedia Video 1.
    case av1
    /// VP8, RFC 6386.
    case vp8
    /// VP9.
    case vp9
    /// ISO/IEC 11172-2.
    case mpeg1
    /// ISO/IEC 13818-2, ITU-T H.262.
    case mpeg2
    /// ISO/IEC 14496-2 (MPEG-4 Part 2).
    case mpeg4
    /// Any other codec, whose headers are not read.
    case other

    /// Whether the format is MPEG-1, -2 or -4, whose decoders begin with any picture that they can read, after a
    /// picture that they generate.
    package var beginsAnywhere: Bool {
        switch self {
        case .mpeg1, .mpeg2, .mpeg4: true
        case .h264, .hevc, .av1, .vp8, .vp9, .other: false
        }
    }
}
