internal import ScrubFileIO
internal import ScrubBase
internal import ScrubMedia

/// Results in a separate folder, in which each film has its own folder: `DIR/<the film's path below its root>/`.
struct FolderStore: ResultStore {
    let folder: String

    var isOneDisk: Bool { true }

    func target(of file: FoundFile) -> String { folder + "/" + file.place }

    func workFolder(of file: FoundFile, key: String) -> String {
        BatchOutputNames.work(folder, place: file.place, key: key)
    }

    func record(of file: FoundFile) -> BatchRecord? { BatchRecord.read(in: target(of: file)) }

    func holds(_ record: BatchRecord, of file: FoundFile, byHash: Bool) -> Bool {
        let target = target(of: file)
        if byHash { return record.isWhole(in: target) }
        return record.files.allSatisfy { Folder.byteCount(of: target + "/" + $0.name) == $0.bytes }
    }

    func mark(of record: BatchRecord, of file: FoundFile) -> String? { BatchOutputNames.mark(target(of: file)) }

    func isCurrent(_ mark: String?, of file: FoundFile) -> Bool { mark == BatchOutputNames.mark(target(of: file)) }

    func obstacle(to asset: VideoAsset, of file: FoundFile) throws(ScrubError) -> ResultObstacle? {
        try FolderStore.checkPlace(target(of: file))
        return nil
    }

    /// All results are completely on the disk before the first gets its name, so none is ever incomplete, even after a
    /// crash. After a power failure at that moment, some of them are in their places and others are not, but each is
    /// complete.
    func put(_ results: [MadeResult]) throws(ScrubError) -> [Result<StoredResult, ScrubError>] {
        if !results.isEmpty { try Folder.synchronizeFileSystem(of: folder) }
        return results.map { result in
            Result { () throws(ScrubError) in
                let target = target(of: result.outcome.file)
                try FolderStore.place(result.folder, at: target)
                return StoredResult(mark: BatchOutputNames.mark(target))
            }
        }
    }

    /// Gives a result its name, unless something else is there.
    static func place(_ work: String, at target: String) throws(ScrubError) {
        try checkPlace(target)
        try Folder.place(work, at: target)
    }

    private static func checkPlace(_ target: String) throws(ScrubError) {
        guard BatchRecord.isReplaceable(target) else {
            throw ScrubError(
                .inputOutput, "the results folder contains files that were not written by a batch", file: target,
                advice: "move the folder elsewhere, or specify another one with --to")
        }
    }

    func sweep(_ files: [FoundFile], _ locks: LockTable, now: Int64) {
        for folder in Set(files.compactMap { Folder.folder(of: target(of: $0)) }) {
            BatchOutputNames.sweep(folder, locks, now: now)
        }
    }
}
