internal import ScrubBase

/// What removes fetched media where saved files need their room: only the media's catalogue may.
///
/// Thread safety: safe from any thread.
package final class MediaRoom: Sendable {
    /// The process's.
    package static let shared = MediaRoom()

    private let makers = Locked<[String: @Sendable (Int64) -> Void]>([:])

    private init() {}

    /// Sets what frees bytes on the disk for a cache directory, if it can; the latest counts.
    package func onLack(in path: String, _ body: @escaping @Sendable (Int64) -> Void) {
        makers.withLock { $0[Folder.absolute(path)] = body }
    }

    /// Asks for bytes of a cache directory. Does nothing if this process does not have its catalogue open.
    func free(_ count: Int64, in path: String) {
        let body = makers.withLock { $0[Folder.absolute(path)] }
        body?(count)
    }
}
