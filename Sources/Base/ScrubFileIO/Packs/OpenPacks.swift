internal import ScrubBase

/// The packs that this process has open, so that two sessions of one film share one writer.
///
/// Thread safety: safe from any thread; openings come one after another.
final class OpenPacks: Sendable {
    /// The process's.
    static let shared = OpenPacks()

    private struct Entry {
        weak var pack: RecordPack?
    }

    private let entries = Locked<[String: Entry]>([:])

    private init() {}

    /// Returns what `open` gives for a path; it is called with the pack that is open there.
    func pack(at path: String, open: (RecordPack?) -> RecordPack?) -> RecordPack? {
        entries.withLock { entries in
            entries = entries.filter { $0.value.pack != nil }
            let pack = open(entries[path]?.pack)
            if let pack { entries[path] = Entry(pack: pack) }
            return pack
        }
    }
}
