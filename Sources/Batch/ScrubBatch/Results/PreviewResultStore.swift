internal import ScrubFileIO
internal import ScrubBase
internal import ScrubHashing
internal import ScrubMedia

/// Previews, which are in the cache, with a record of each film in a folder. A result exists as long as both do: the
/// cache evicts the least recently used files, and its files may be removed manually.
struct PreviewResultStore: ResultStore {
    private let records: FolderStore
    /// The cache directory; `nil` for none.
    private let cache: String?

    init(_ records: FolderStore, cache: String?) { (self.records, self.cache) = (records, cache) }

    var isOneDisk: Bool { records.isOneDisk }

    func workFolder(of file: FoundFile, key: String) -> String { records.workFolder(of: file, key: key) }

    func record(of file: FoundFile) -> BatchRecord? { records.record(of: file) }

    func holds(_ record: BatchRecord, of file: FoundFile, byHash: Bool) -> Bool {
        guard let previews = record.previews, let path = path(previews), isThere(previews),
            records.holds(record, of: file, byHash: byHash)
        else { return false }
        return !byHash || PackCheck(path: path, checksum: { xxh3($0, seed: $1) })?.isSound == true
    }

    /// The record's mark, and for existing previews their size and file name.
    func mark(of record: BatchRecord, of file: FoundFile) -> String? {
        mark(records.mark(of: record, of: file), record)
    }

    func isCurrent(_ mark: String?, of file: FoundFile) -> Bool {
        guard let parts = mark?.split(separator: " ", maxSplits: 2), let first = parts.first,
            records.isCurrent(String(first), of: file)
        else { return false }
        // A failure has no previews.
        guard parts.count == 3, let bytes = Int(parts[1]) else { return parts.count == 1 }
        return isThere(.init(name: String(parts[2]), bytes: bytes))
    }

    func obstacle(to asset: VideoAsset, of file: FoundFile) throws(ScrubError) -> ResultObstacle? {
        try records.obstacle(to: asset, of: file)
    }

    func put(_ results: [MadeResult]) throws(ScrubError) -> [Result<StoredResult, ScrubError>] {
        zip(results, try records.put(results)).map { result, stored in
            stored.map { StoredResult(mark: mark($0.mark, result.record), warnings: $0.warnings) }
        }
    }

    func sweep(_ files: [FoundFile], _ locks: LockTable, now: Int64) { records.sweep(files, locks, now: now) }

    private func mark(_ mark: String?, _ record: BatchRecord) -> String? {
        guard let mark, let previews = record.previews else { return mark }
        return "\(mark) \(previews.bytes) \(previews.name)"
    }

    /// Returns the path of previews; no name in a record leads out of the cache.
    private func path(_ previews: BatchRecord.Previews) -> String? {
        guard let cache, !previews.name.utf8.contains(UInt8(ascii: "/")) else { return nil }
        return cache + "/" + previews.name
    }

    /// Whether a film's previews exist: a file that was removed and restarted is shorter.
    private func isThere(_ previews: BatchRecord.Previews) -> Bool {
        guard let path = path(previews), let bytes = Folder.byteCount(of: path) else { return false }
        return bytes >= previews.bytes
    }
}
