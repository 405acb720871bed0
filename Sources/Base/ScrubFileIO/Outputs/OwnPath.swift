/// A path that the library itself chose. It may replace the file there. Examples are the cache, saved states, and files
/// that do not have their final names yet. A path that a caller names is an ``OutputFile``.
package struct OwnPath: Sendable {
    package let path: String

    private init(_ path: String) { self.path = path }

    /// A file in a run's working folder (``OutputFolder/workPath``). It gets its final name together with all others.
    package static func staged(_ path: String) -> OwnPath { OwnPath(path) }

    /// A file in the cache, a saved state, or a file in the system's temporary folder.
    package static func kept(_ path: String) -> OwnPath { OwnPath(path) }
}
