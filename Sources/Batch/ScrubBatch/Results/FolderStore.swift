internal import ScrubFileIO
internal import ScrubBase
internal import ScrubMedia

/// Results in a folder of their own, below which each film has one: `DIR/<the film's path below its root>/`.
struct FolderStore: ResultStore {
    let folder: String

    var isOneDisk: Bool { true }

    func target(of file: FoundFile) -> String { folder + "/" + file.place }

    func workFolder(of file: FoundFile, key: String) -> String {
        BatchPlaces.work(folder, place: file.place, key: key)
    }

    func record(of file: FoundFile) -> BatchRecord? { BatchRecord.read(in: target(of: file)) }

    func holds(_ record: BatchRecord, of file: FoundFile, byHash: Bool) -> Bool {
        let target = target(of: file)
        if byHash { return record.isWhole(in: target) }
        return record.files.allSatisfy { Folder.byteCount(of: target + "/" + $0.name) == $0.bytes }
    }

    func mark(of record: BatchRecord, of file: FoundFile) -> String? { BatchPlaces.mark(target(of: file)) }

    func isCurrent(_ mark: String?, of file: FoundFile) -> Bool { mark == BatchPlaces.mark(target(of: file)) }

    func obstacle(to asset: VideoAsset, of file: FoundFile) throws(ScrubError) -> ResultObstacle? {
        try FolderStore.checkPlace(target(of: file))
        return nil
    }

    /// Everything of all of them is on the disk before the first gets its name, so none is ever half there, whatever
    /// ends. A power failure just then leaves some of them in their places and others not, each whole.
    func put(_ results: [MadeResult]) throws(ScrubError) -> [Result<StoredResult, ScrubError>] {
        if !results.isEmpty { try Folder.synchronizeFileSystem(of: folder) }
        return results.map { result in
            Result { () throws(ScrubError) in
                let target = target(of: result.outcome.file)
                try FolderStore.place(result.folder, at: target)
                return StoredResult(mark: BatchPlaces.mark(target))
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
                .inputOutput, "the folder of its results contains files that no batch has made", file: target,
                advice: "move it away, or give another folder with --to")
        }
    }

    func sweep(_ files: [FoundFile], _ locks: LockTable, now: Int64) {
        for folder in Set(files.compactMap { Folder.folder(of: target(of: $0)) }) {
            BatchPlaces.sweep(folder, locks, now: now)
        }
    }
}
