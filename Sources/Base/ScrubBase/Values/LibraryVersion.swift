/// A C library's version at run time and the version of the headers used at build time.
package struct LibraryVersion: Sendable, Equatable {
    package let name: String
    /// The run-time version; `nil` if the library does not report it, or if it is loaded on demand and not installed.
    package let running: String?
    /// The build-time version; `nil` if its headers do not contain it.
    package let built: String?

    package init(_ name: String, running: String?, built: String?) {
        (self.name, self.running, self.built) = (name, running, built)
    }
}
