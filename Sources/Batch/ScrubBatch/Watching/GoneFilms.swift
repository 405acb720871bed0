internal import ScrubBatchLogic
internal import ScrubFileIO
package import ScrubBase

/// Removes the results of films that no longer exist.
///
/// Only unmodified results of a batch are removed: folders whose record names exactly the files in them. If a root is
/// missing or empty, or more than half of all films are gone at once, the disk is assumed not to be mounted. In that
/// case, no results are removed.
package struct GoneFilms {
    package struct Report: Sendable {
        /// Films whose results are removed, and where the results were.
        package var removed: [(path: String, place: String)] = []
        /// Why others' results are not.
        package var words: [ScrubError] = []
    }

    private let options: BatchOptions
    private let state: BatchState
    private let locks: LockTable

    init(_ options: BatchOptions, _ state: BatchState) throws(ScrubError) {
        (self.options, self.state) = (options, state)
        try Folder.make(options.folder + "/" + BatchOutputNames.folderName)
        locks = try LockTable(path: options.folder + "/" + BatchOutputNames.folderName + "/locks")
    }

    /// Looks for the films of a root that are in the state, and removes the results of missing ones.
    ///
    /// Films are identified by the root's path as it was given: films that were processed under another name of the
    /// root are left untouched. Cost: a stat(2) call for each film.
    package func sweep(_ root: WatchRoot) throws(ScrubError) -> Report {
        var report = Report()
        var (known, gone, others, last) = (0, [BatchState.Row](), [String](), "")
        let entries = FileFacts(path: root.path)?.kind == .folder ? try? Folder.sortedNames(in: root.path).count : nil
        while !Cancellation.isCurrentCancelled {
            let rows = try state.rows(after: last)
            guard let end = rows.last else { break }
            last = end.place
            for row in rows where root.place(of: row.path).map(ExactName.init) == ExactName(row.place) {
                if row.status == .other {
                    if entries != nil, GoneFilms.isGone(row) { others.append(row.place) }
                    continue
                }
                known += 1
                if entries == nil || GoneFilms.isGone(row) { gone.append(row) }
            }
            // There is nothing to do, however many there are.
            if entries == nil, known > 0 { break }
        }
        guard !Cancellation.isCurrentCancelled else { return report }
        if let refusal = GoneRule.refusal(rootEntries: entries, known: known, gone: gone.count) {
            report.words.append(GoneFilms.word(refusal, root))
            return report
        }
        try state.forget(others)
        for row in gone where !Cancellation.isCurrentCancelled {
            do throws(ScrubError) {
                guard try remove(row) else { continue }
                try state.forget([row.place])
                report.removed.append((row.path, row.place))
            } catch {
                report.words.append(error)
            }
        }
        return report
    }

    /// Whether a film is really gone, which it is not if its folder is gone too.
    private static func isGone(_ row: BatchState.Row) -> Bool {
        guard FileFacts.isAbsent(row.path) else { return false }
        var above = Folder.folder(of: row.path)
        while let folder = above {
            if let facts = FileFacts(path: folder) {
                // An empty folder on a disk other than the film's: a mount point.
                let isOther = row.facts.map { $0.device != facts.device } ?? false
                return !(isOther && Folder.list(folder).isEmpty)
            }
            guard FileFacts.isAbsent(folder) else { return false }
            above = Folder.folder(of: folder)
        }
        return false
    }

    /// - Returns: false if a run is working there.
    private func remove(_ row: BatchState.Row) throws(ScrubError) -> Bool {
        guard let place = BatchOutputNames.place(of: row.place) else { return true }
        let lock = BatchOutputNames.lock(row.place)
        guard locks.take(lock) else { return false }
        defer { locks.release(lock) }
        let target = options.folder + "/" + place
        guard FileFacts(path: target, followsLinks: false) != nil else { return true }
        guard let record = BatchRecord.read(in: target), ExactName(record.file) == ExactName(row.place),
            GoneFilms.holds(target, exactly: record)
        else {
            throw ScrubError(
                .inputOutput, "the film is gone, but its results were kept because their folder contains other files",
                file: target, advice: "remove the folder yourself")
        }
        // Moved out of sight in one step: if the process is killed after that, the rest is removed like any killed
        // run's leftovers.
        let aside = BatchOutputNames.work(options.folder, place: place, key: row.key ?? record.key)
        Folder.removeTree(aside)
        guard Folder.move(target, to: aside) else {
            throw ScrubError(.inputOutput, "the film is gone, but its results cannot be removed", file: target)
        }
        Folder.removeTree(aside)
        // Folders that contained nothing else.
        var above = Folder.folder(of: place)
        while let folder = above {
            Folder.removeEmpty(options.folder + "/" + folder)
            above = Folder.folder(of: folder)
        }
        return true
    }

    /// Whether a folder contains the record and its files, with their sizes, and nothing else.
    private static func holds(_ folder: String, exactly record: BatchRecord) -> Bool {
        var missing = Dictionary(record.files.map { (ExactName($0.name), $0.bytes) }) { first, _ in first }
        var stack = [""]
        while let prefix = stack.popLast() {
            guard let names = try? Folder.sortedNames(in: folder + "/" + prefix) else { return false }
            // An empty folder is not a result of a batch.
            if names.isEmpty { return false }
            for name in names {
                guard let facts = FileFacts(path: folder + "/" + prefix + name, followsLinks: false) else {
                    return false
                }
                switch facts.kind {
                case .folder: stack.append(prefix + name + "/")
                case .file where prefix.isEmpty && name == BatchRecord.fileName: break
                case .file:
                    guard missing.removeValue(forKey: ExactName(prefix + name)) == Int(facts.byteCount) else {
                        return false
                    }
                default: return false
                }
            }
        }
        return missing.isEmpty
    }

    private static func word(_ refusal: GoneRule.Refusal, _ root: WatchRoot) -> ScrubError {
        let cause =
            switch refusal {
            case .rootIsMissing: "the folder is missing, so no results of its films are removed"
            case .rootIsEmpty: "the folder is empty, so no results of its films are removed"
            case .tooMany(let gone, let known):
                "\(gone) of \(known) films disappeared at the same time, so no results are removed"
            }
        return ScrubError(
            .noInput, cause, file: root.path,
            advice: "mount the missing file system; if the films were deleted, remove their results yourself")
    }
}
