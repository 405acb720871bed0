/// The versions of a C library: the one that the process runs with, and the one whose headers it was built with.
package struct LibraryVersion: Sendable, Equatable {
    package let name: String
    /// `nil` when the library does not tell its version, or is loaded when it is needed and is not installed.
    package let running: String?
    /// `nil` when its headers do not tell it.
    package let built: String?

    package init(_ name: String, running: String?, built: String?) {
        (self.name, self.running, self.built) = (name, running, built)
    }
}
