internal import ScrubBase

/// An interface for evicting fetched media when saved files need their room. Only the catalogue of the media may evict
/// them.
///
/// Thread safety: safe from any thread.
package final class MediaEvictionHook: Sendable {
    /// The process's instance.
    package static let shared = MediaEvictionHook()

    private let makers = Locked<[String: @Sendable (Int64) -> Void]>([:])

    private init() {}

    /// Sets the closure that frees bytes on disk for a cache directory, if it can. The most recently set closure is
    /// used.
    package func onLack(in path: String, _ body: @escaping @Sendable (Int64) -> Void) {
        makers.withLock { $0[Folder.absolute(path)] = body }
    }

    /// Requests that bytes be freed in a cache directory. Has no effect if this process does not have the directory's
    /// catalogue open.
    func free(_ count: Int64, in path: String) {
        let body = makers.withLock { $0[Folder.absolute(path)] }
        body?(count)
    }
}
