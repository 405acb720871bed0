/// A path chosen by the library itself, at which it may replace a file: in the cache, for saved states, and for files
/// that do not have their final names yet. A path that a caller names is an ``OutputFile``.
package struct InternalPath: Sendable {
    package let path: String

    private init(_ path: String) { self.path = path }

    /// Returns a path in a run's working folder (``OutputFolder/workPath``). The file gets its final name together with
    /// all others.
    package static func staged(_ path: String) -> InternalPath { InternalPath(path) }

    /// Returns a path in the cache, of a saved state, or in the system's temporary folder.
    package static func kept(_ path: String) -> InternalPath { InternalPath(path) }
}
