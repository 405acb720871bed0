internal import ScrubLibAV

/// Control over messages printed by the libraries behind libav.
package enum LibraryLogging {
    /// Silences the libraries for the rest of the process, because standard error belongs to the program. Programs call
    /// it first; a library never calls it.
    package static func begin() { Libraries.silence() }
}
