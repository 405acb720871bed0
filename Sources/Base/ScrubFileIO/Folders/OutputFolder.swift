internal import Glibc
package import ScrubBase
internal import SystemPackage

/// A folder to which one run writes a group of related files. They are written to a subfolder and get their names
/// together when all of them are complete. A failed run does not change anything in the folder.
///
/// A folder that the caller later renames as a whole (``stagingPrefix``) does not need a subfolder. Files are then
/// written in place, and a failed run may leave some of them.
///
/// The folder is locked during this object's lifetime (``FolderLock``). Use from one thread.
package final class OutputFolder {
    /// The folder's path.
    package let path: String
    /// The folder in which files are written; its subfolders correspond to those of the final folder. It is the folder
    /// itself if the folder has no final name yet.
    package let workPath: String
    /// Warnings about instructions that could not be followed, one sentence each.
    package private(set) var warnings: [String] = []
    private let kind: OutputKind
    private let replacesFiles: Bool
    private let lock: FolderLock
    private let isStaged: Bool
    private let waits: Bool
    /// Whether the folder did not exist before.
    private let isNew: Bool
    /// Files of an earlier run that this run no longer has, with the folder to which their names are relative.
    private var obsolete: [(folder: String, name: String)] = []
    /// Paths of files that an earlier run wrote, according to its manifest.
    private var known: Set<String> = []

    /// The name of the subfolder. It exists while a run writes, and after a run was killed.
    private static let workName = ".scrub-unfinished"

    /// Returns whether a name is that of a file or folder that exists only during a run. Readers of sets skip these.
    package static func isTransient(_ name: String) -> Bool { name.hasPrefix(".scrub-") }

    /// The prefix of a folder's temporary name, until everything in it is complete.
    package static let stagingPrefix = ".scrub-film-"

    /// Creates the folder and its parents if needed, and locks it.
    ///
    /// - Parameters:
    ///   - kind: the kind of the files.
    ///   - replacesFiles: whether to replace files that no earlier run wrote.
    ///   - waits: whether to wait for another run to end, instead of throwing an error.
    /// - Throws: the errors of ``FolderLock``, ``Folder/make(_:isPrivate:followsLinks:)``.
    package init(
        path: String, kind: OutputKind = .set, replacesFiles: Bool = false, waits: Bool = false
    ) throws(ScrubError) {
        (self.path, self.kind, self.replacesFiles, self.waits) = (path, kind, replacesFiles, waits)
        try OutputFile.checkIsNotRead(path, FileFacts(path: path))
        isStaged = path.lastPathComponent.hasPrefix(OutputFolder.stagingPrefix)
        workPath = isStaged ? path : path + "/" + OutputFolder.workName
        var (isNew, lock): (Bool, FolderLock?) = (false, nil)
        // Another run that failed may have removed the folder again between creation and locking.
        for attempt in 0..<100 where lock == nil {
            isNew = try Folder.make(path)
            do throws(ScrubError) {
                lock = try FolderLock(path: path, waits: waits)
            } catch  where error.code == .inputOutput && attempt < 99 {
                continue
            }
        }
        guard let lock else {
            throw ScrubError(
                .inputOutput, "the folder was repeatedly removed before it could be locked", file: path,
                advice: "leave it in place, or use another folder")
        }
        (self.lock, self.isNew) = (lock, isNew)
        if let problem = lock.problem {
            warnings.append(
                "\(path) cannot be locked (\(problem)): another run that writes to it would not be detected")
        }
        guard !isStaged else { return }
        // Left behind by a run that was killed; no other process uses it.
        Folder.removeTree(workPath)
        let made = workPath
        try TemporaryFileNames.step { (leftovers) throws(ScrubError) in
            try Folder.make(made, followsLinks: false)
            leftovers.add(folder: made, in: isNew ? path : nil)
        }
    }

    deinit {
        TemporaryFileNames.step { leftovers in
            if !isStaged { Folder.removeTree(workPath) }
            // A folder that is not empty stays.
            if isNew { rmdir(path) }
            leftovers.forget(folder: workPath)
        }
    }

    /// Creates a subfolder for unfinished files.
    ///
    /// - Returns: its current path and its final path.
    package func makeFolder(_ name: String) throws(ScrubError) -> (work: String, final: String) {
        let made = workPath + "/" + name
        try TemporaryFileNames.step { (_) throws(ScrubError) in _ = try Folder.make(made, followsLinks: false) }
        return (workPath + "/" + name, path + "/" + name)
    }

    /// Records files of an earlier run, which are removed when this run's files are in place. Names that lead out of
    /// the folder or through a link are left untouched, and so are files that this run writes.
    ///
    /// - Parameter folder: the folder to which the names are relative, at its final path.
    package func replace(_ names: some Sequence<String>, in folder: String) {
        obsolete += names.map { (folder, $0) }
    }

    /// Records files that an earlier run wrote, according to its manifest. This run may replace them.
    ///
    /// - Parameter folder: the folder to which the names are relative, at its final path.
    package func recognize(_ names: some Sequence<String>, in folder: String) {
        known.formUnion(names.map { folder + "/" + $0 })
    }

    /// Checks that files may have their names, before doing the work of making them.
    ///
    /// - Parameter folder: the folder to which the names are relative, at its final path.
    /// - Throws: ``ScrubError/Code/usage`` if a name belongs to a file that must not be replaced.
    package func check(_ names: some Sequence<String>, in folder: String) throws(ScrubError) {
        guard !isStaged else { return }
        for name in names { _ = try target(folder + "/" + name) }
    }

    private func target(_ path: String) throws(ScrubError) -> OutputFile {
        try OutputFile(path, kind, replacesFiles: replacesFiles || known.contains(path))
    }

    /// Gives the files their names: pictures first, then the indexes that name them, manifests last. Replaces files of
    /// earlier runs.
    ///
    /// - Parameter leftover: a folder to remove once the files have their names.
    /// - Throws: ``ScrubError/Code/usage`` if a name belongs to a file that must not be replaced,
    ///   ``ScrubError/Code/unavailable`` if another run is writing to a subfolder, ``ScrubError/Code/inputOutput`` if
    ///   the folder has been removed in the meantime or a file cannot be renamed.
    package func commit(removing leftover: String? = nil) throws(ScrubError) {
        guard lock.isCurrent else {
            throw ScrubError(
                .inputOutput, "the folder was removed or replaced while being written to", file: path,
                advice: "\(term: .callAgain), and leave the folder in place")
        }
        guard !isStaged else {
            if let leftover { Folder.removeTree(leftover) }
            return
        }
        let files = try Folder.files(in: workPath, depth: 8)
        try check(files, in: path)
        for file in files { OutputMark.put(kind, on: workPath + "/" + file, for: path + "/" + file) }
        var (locks, known) = ([FolderLock](), Set<String>())
        for file in files {
            let parts = file.pathComponents
            for count in 1..<max(1, parts.count) {
                let name = parts.prefix(count).joined(separator: "/")
                guard known.insert(name).inserted else { continue }
                try Folder.make(path + "/" + name)
                // A link may lead to a folder that is already locked.
                let place = path + "/" + name
                guard !lock.isFolder(at: place), !locks.contains(where: { $0.isFolder(at: place) }) else { continue }
                locks.append(try FolderLock(path: place, waits: waits))
            }
        }
        // In one step: if the process is terminated in the meantime, either all of them are moved or none.
        try TemporaryFileNames.step { (_) throws(ScrubError) in
            try moveAll(files.sorted { (OutputFolder.rank($0), $0) < (OutputFolder.rank($1), $1) })
            if let leftover { Folder.removeTree(leftover) }
        }
        let written = Set(files.map { path + "/" + $0 })
        for (folder, name) in obsolete where !written.contains(folder + "/" + name) {
            // A manifest may contain any name.
            let path = folder + "/" + name
            if let facts = FileFacts(path: path), InputFileRegistry.contains(path, facts) { continue }
            try? ConfinedFolder(path: folder).remove(name)
        }
        obsolete = []
    }

    /// Renames files one after another. If one cannot be renamed, the preceding ones are renamed back.
    private func moveAll(_ files: [String]) throws(ScrubError) {
        var undo: [() -> Void] = []
        do throws(ScrubError) {
            for (number, file) in files.enumerated() {
                let (work, target) = (workPath + "/" + file, try self.target(path + "/" + file))
                let earlier = "\(workPath)/.earlier-\(number)"
                let present = try target.present()
                // A hard link keeps the previous file. On a file system without hard links, the new file stays in its
                // place.
                let isKept = present?.kind == .file && link(target.path, earlier) == 0
                if isKept, let present, FileFacts(path: earlier).map(present.isSameFile) != true {
                    throw OutputFolder.hasChanged(target.path)
                }
                try OutputFolder.move(work, to: target, isThere: present != nil)
                if isKept {
                    undo.append { _ = rename(earlier, target.path) }
                } else if present == nil {
                    undo.append { unlink(target.path) }
                }
            }
            // Another set may be written to the folder after this one.
            for number in files.indices { unlink("\(workPath)/.earlier-\(number)") }
        } catch {
            for step in undo.reversed() { step() }
            throw error
        }
    }

    /// Returns a file's rank. Readers open manifests first, so manifests come after everything that they name.
    private static func rank(_ file: String) -> Int {
        if file.hasSuffix("manifest.json") || file.hasSuffix(".bif.json") || file.hasSuffix(".trickplay.json") {
            return 2
        }
        let isIndex = [".vtt", ".json", ".m3u8", ".mpd", ".html", ".svg", ".txt"].contains { file.hasSuffix($0) }
        return isIndex ? 1 : 0
    }

    private static func hasChanged(_ path: String) -> ScrubError {
        ScrubError(
            .inputOutput, "another program created or replaced this file in the meantime", file: path,
            advice: "\(term: .callAgain), and make sure that no other program writes to the folder")
    }

    /// Moves a file to its final name.
    ///
    /// - Parameter isThere: whether there is a file that may be replaced; otherwise, the name must be free.
    private static func move(_ file: String, to target: OutputFile, isThere: Bool) throws(ScrubError) {
        if !isThere, FileFacts(path: file)?.device == FileFacts(path: Folder.folder(of: target.path) ?? ".")?.device {
            guard try Folder.placeNew(file, at: target.path) else { throw hasChanged(target.path) }
            return
        }
        guard rename(file, target.path) != 0 else { return }
        let reason = Errno(rawValue: errno)
        // A subfolder may be a link to another disk.
        guard reason == .improperLink else {
            throw ScrubError(system: reason, .inputOutput, doing: "cannot be written", file: target.path)
        }
        let source = try FileSource(path: file)
        var writer = try AtomicFileWriter(target)
        try writer.append(source, 0..<source.byteCount)
        try writer.commit()
        unlink(file)
    }
}
