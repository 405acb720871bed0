internal import CFFmpeg

/// The libav libraries that the process runs with.
package enum Libraries {
    /// One number for the versions of libavformat and libavcodec.
    package static var version: UInt64 { UInt64(avformat_version()) << 32 | UInt64(avcodec_version()) }
}
