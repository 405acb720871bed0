internal import CScrubAVIF
internal import CScrubShims
internal import CScrubTurboJPEG
internal import CScrubWebP
package import ScrubBase

/// The libraries that encode pictures.
package enum PictureLibraries {
    /// The versions of the libraries. The first call loads libavif.
    package static var versions: [LibraryVersion] {
        let webP = WebPGetEncoderVersion()
        return unsafe [
            LibraryVersion(
                "libpng", running: String(cString: scrub_png_running_version()),
                built: String(cString: scrub_png_built_version())),
            LibraryVersion(
                "libturbojpeg", running: nil, built: scrub_turbojpeg_built_version().map { unsafe String(cString: $0) }),
            LibraryVersion("libwebp", running: "\(webP >> 16).\(webP >> 8 & 255).\(webP & 255)", built: nil),
            LibraryVersion(
                "libavif",
                running: cavif_load().flatMap { unsafe $0.pointee.version() }.map { unsafe String(cString: $0) },
                built: String(cString: cavif_version())),
        ]
    }
}
