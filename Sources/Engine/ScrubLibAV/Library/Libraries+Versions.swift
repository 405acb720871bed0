internal import CScrubFFmpeg
package import ScrubBase

extension Libraries {
    /// The versions of the libav libraries, lowest-level first.
    package static var versions: [LibraryVersion] {
        [
            LibraryVersion(
                "libavutil", running: text(avutil_version()),
                built: text(LIBAVUTIL_VERSION_MAJOR, LIBAVUTIL_VERSION_MINOR, LIBAVUTIL_VERSION_MICRO)),
            LibraryVersion(
                "libavcodec", running: text(codecVersion),
                built: text(LIBAVCODEC_VERSION_MAJOR, LIBAVCODEC_VERSION_MINOR, LIBAVCODEC_VERSION_MICRO)),
            LibraryVersion(
                "libavformat", running: text(formatVersion),
                built: text(LIBAVFORMAT_VERSION_MAJOR, LIBAVFORMAT_VERSION_MINOR, LIBAVFORMAT_VERSION_MICRO)),
            LibraryVersion(
                "libswscale", running: text(swscale_version()),
                built: text(LIBSWSCALE_VERSION_MAJOR, LIBSWSCALE_VERSION_MINOR, LIBSWSCALE_VERSION_MICRO)),
        ]
    }

    /// - Parameter number: the version as made by `AV_VERSION_INT`: 16, 8, and 8 bits.
    private static func text(_ number: UInt32) -> String { "\(number >> 16).\(number >> 8 & 255).\(number & 255)" }
    private static func text(_ parts: Int32...) -> String { parts.map(String.init).joined(separator: ".") }
}
