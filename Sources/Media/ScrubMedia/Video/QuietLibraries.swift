internal import ScrubLibAV

/// The prints of the libraries behind libav.
package enum QuietLibraries {
    /// Has them print nothing from now on, for the rest of the process: standard error is the program's. For programs,
    /// as the first thing that they do; a library never calls it.
    package static func begin() { Libraries.silence() }
}
