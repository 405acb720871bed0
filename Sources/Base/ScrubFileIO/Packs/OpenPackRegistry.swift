internal import ScrubBase

/// The packs that this process has open, so that two sessions of one video share a writer.
///
/// Thread safety: safe from any thread; packs are opened one at a time.
final class OpenPackRegistry: Sendable {
    /// The process's packs.
    static let shared = OpenPackRegistry()

    private struct Entry {
        weak var pack: RecordPack?
    }

    private let entries = Locked<[String: Entry]>([:])

    private init() {}

    /// Returns the result of `open` for a path. It is called with the pack that is already open there.
    func pack(at path: String, open: (RecordPack?) -> RecordPack?) -> RecordPack? {
        entries.withLock { entries in
            entries = entries.filter { $0.value.pack != nil }
            let pack = open(entries[path]?.pack)
            if let pack { entries[path] = Entry(pack: pack) }
            return pack
        }
    }
}
