internal import CScrubFFmpeg
internal import CScrubLibAVLoader
internal import CScrubShims
internal import ScrubBase

/// The libav libraries that the process uses.
package enum Libraries {
    /// The versions of libavformat and libavcodec as one number.
    package static var version: UInt64 { UInt64(formatVersion) << 32 | UInt64(codecVersion) }

    // Usually known without loading them.
    static var formatVersion: UInt32 { scrub_libav_version(SCRUB_LIBAV_FORMAT) }
    static var codecVersion: UInt32 { scrub_libav_version(SCRUB_LIBAV_CODEC) }

    /// libavcodec's major version: 59 is FFmpeg 5's, 60 is FFmpeg 6's, 61 is FFmpeg 7's.
    static var codecMajor: UInt32 { codecVersion >> 16 }

    /// FFmpeg's own name of the build, such as `7.1.5-0+deb13u1`: distributions fix decoders without changing the
    /// library version.
    package static var release: String { unsafe String(cString: av_version_info()) }

    /// Loads libavformat and libavcodec now instead of on the first call, for a process that cannot open files later.
    package static func load() { scrub_libav_load() }

    /// Starts loading them on a separate thread, for which ``load()`` and the first call wait. Loading takes 20 ms,
    /// during which a program can parse its command line and read an index.
    package static func loadAhead() { scrub_libav_load_ahead() }

    /// Returns the error for anything that needs libavformat or libavcodec; `nil` if they were loaded or have not been
    /// needed yet.
    static func loadError(_ doing: String) -> ScrubError? {
        guard let reason = unsafe scrub_libav_failure() else { return nil }
        return ScrubError(
            .unavailable, unsafe "\(doing): FFmpeg's libraries cannot be loaded: \(String(cString: reason))",
            advice: "install libavformat and libavcodec from the FFmpeg that Scrub was built for")
    }

    /// Discards the output of libav and its dependencies on C's `stderr`; see `scrub_silence_stderr`.
    package static func silence() { scrub_silence_stderr() }
}
