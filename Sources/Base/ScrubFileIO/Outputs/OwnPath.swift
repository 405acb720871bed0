/// A path that the library itself chose, whose file it may replace: the cache, states, and files on their way to their
/// names. What a caller names is an ``OutputFile``.
package struct OwnPath: Sendable {
    package let path: String

    private init(_ path: String) { self.path = path }

    /// A file that is made in a run's folder (``OutputFolder/workPath``), to be named with all others of it.
    package static func staged(_ path: String) -> OwnPath { OwnPath(path) }

    /// A file of the cache, of a state, or of the system's folder for temporary ones.
    package static func kept(_ path: String) -> OwnPath { OwnPath(path) }
}
