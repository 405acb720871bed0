internal import ScrubLibAV

/// What the libraries behind libav print by themselves.
package enum QuietLibraries {
    /// Has them print nothing from now on, for the rest of the process: standard error is the program's. For programs,
    /// as the first thing that they do; a library never calls it.
    package static func begin() { Libraries.silence() }
}
