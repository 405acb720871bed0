internal import CScrubFFmpeg
internal import CScrubLibAVLoader
internal import CScrubShims
internal import ScrubBase

/// The libav libraries that the process runs with.
package enum Libraries {
    /// One number for the versions of libavformat and libavcodec.
    package static var version: UInt64 { UInt64(formatVersion) << 32 | UInt64(codecVersion) }

    // Known without loading them, as a rule.
    static var formatVersion: UInt32 { scrub_libav_version(SCRUB_LIBAV_FORMAT) }
    static var codecVersion: UInt32 { scrub_libav_version(SCRUB_LIBAV_CODEC) }

    /// libavcodec's major version: 59 is FFmpeg 5's, 60 is FFmpeg 6's, 61 is FFmpeg 7's.
    static var codecMajor: UInt32 { codecVersion >> 16 }

    /// FFmpeg's own name of the build, such as `7.1.5-0+deb13u1`: distributions mend decoders without another version.
    package static var release: String { unsafe String(cString: av_version_info()) }

    /// Loads libavformat and libavcodec now, and not with the first call: for a process that may open no file later.
    package static func load() { scrub_libav_load() }

    /// Begins to load them on a thread of its own, which ``load()`` and the first call wait for. It takes 20 ms, in
    /// which a program can read its command line and an index.
    package static func loadAhead() { scrub_libav_load_ahead() }

    /// Returns the error of all that needs libavformat or libavcodec; `nil` where they were loaded, or not asked for.
    static func loadError(_ doing: String) -> ScrubError? {
        guard let reason = unsafe scrub_libav_failure() else { return nil }
        return ScrubError(
            .unavailable, unsafe "\(doing): FFmpeg's libraries cannot be loaded: \(String(cString: reason))",
            advice: "install libavformat and libavcodec of the FFmpeg that this was built for")
    }

    /// Discards the prints of libav and the libraries behind it on C's `stderr`; see `scrub_silence_stderr`.
    package static func silence() { scrub_silence_stderr() }
}
