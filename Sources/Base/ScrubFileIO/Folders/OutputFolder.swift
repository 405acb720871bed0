internal import Glibc
package import ScrubBase
internal import SystemPackage

/// A folder into which one run writes files that belong together. They are made in a folder inside it and get their
/// names all at once, when every one of them is whole. A run that fails changes nothing in it.
///
/// A folder whose caller names it later, as a whole (``stagingPrefix``), needs no second one inside. Files are made in
/// their places, and a run that fails may leave some of them.
///
/// The folder is locked as long as this object lives (``FolderLock``). Use from one thread.
package final class OutputFolder {
    /// The folder.
    package let path: String
    /// The folder that files are written in; those below folders are below folders of the same names here. The folder
    /// itself where that has no name yet.
    package let workPath: String
    /// The instructions that could not be followed, a sentence each.
    package private(set) var warnings: [String] = []
    private let kind: OutputKind
    private let replacesFiles: Bool
    private let lock: FolderLock
    private let isStaged: Bool
    private let waits: Bool
    /// Whether the folder was not there before.
    private let isNew: Bool
    /// Files of an earlier run that this one no longer has, by the folder that their names are relative to.
    private var obsolete: [(folder: String, name: String)] = []
    /// Paths of files that an earlier run wrote, according to its manifest.
    private var known: Set<String> = []

    /// The name of the folder inside. It is there while a run writes, and after one that was killed.
    private static let workName = ".scrub-unfinished"

    /// Whether a name is that of a file or folder which is there only until a run is over: readers of sets pass these
    /// over.
    package static func isTransient(_ name: String) -> Bool { name.hasPrefix(".scrub-") }

    /// The beginning of a folder's temporary name, until everything in it is whole.
    package static let stagingPrefix = ".scrub-film-"

    /// Creates the folder and its parents if needed, and locks it.
    ///
    /// - Parameters:
    ///   - kind: the kind of the files.
    ///   - replacesFiles: whether to replace files that no earlier run wrote.
    ///   - waits: whether to wait for another run to end, instead of throwing an error.
    /// - Throws: as ``FolderLock``, ``Folder/make(_:isPrivate:followsLinks:)``.
    package init(
        path: String, kind: OutputKind = .set, replacesFiles: Bool = false, waits: Bool = false
    ) throws(ScrubError) {
        (self.path, self.kind, self.replacesFiles, self.waits) = (path, kind, replacesFiles, waits)
        try OutputFile.checkIsNotRead(path, FileFacts(path: path))
        isStaged = path.lastPathComponent.hasPrefix(OutputFolder.stagingPrefix)
        workPath = isStaged ? path : path + "/" + OutputFolder.workName
        var (isNew, lock): (Bool, FolderLock?) = (false, nil)
        // Between making and locking it another run that failed may have taken it away again.
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
                .inputOutput, "the folder goes away again and again", file: path,
                advice: "leave it in its place, or take another folder")
        }
        (self.lock, self.isNew) = (lock, isNew)
        if let problem = lock.problem {
            warnings.append("\(path) cannot be locked (\(problem)): another run into it would not be noticed")
        }
        guard !isStaged else { return }
        // Left by a run that was killed; no other process uses it.
        Folder.removeTree(workPath)
        let made = workPath
        try Leftovers.step { (leftovers) throws(ScrubError) in
            try Folder.make(made, followsLinks: false)
            leftovers.add(folder: made, in: isNew ? path : nil)
        }
    }

    deinit {
        Leftovers.step { leftovers in
            if !isStaged { Folder.removeTree(workPath) }
            // A folder that is not empty stays.
            if isNew { rmdir(path) }
            leftovers.forget(folder: workPath)
        }
    }

    /// Makes a folder below, for files on their way.
    ///
    /// - Returns: its path, and the path that it will have.
    package func makeFolder(_ name: String) throws(ScrubError) -> (work: String, final: String) {
        let made = workPath + "/" + name
        try Leftovers.step { (_) throws(ScrubError) in _ = try Folder.make(made, followsLinks: false) }
        return (workPath + "/" + name, path + "/" + name)
    }

    /// Records files of an earlier run, which go when this one's are in their places. Names that lead out of the folder
    /// or through a link are left alone, and so are files that this run writes.
    ///
    /// - Parameter folder: the folder that the names are relative to, at its final place.
    package func replace(_ names: some Sequence<String>, in folder: String) {
        obsolete += names.map { (folder, $0) }
    }

    /// Records files that an earlier run wrote, according to its manifest. This run may replace them.
    ///
    /// - Parameter folder: the folder that the names are relative to, at its final place.
    package func recognize(_ names: some Sequence<String>, in folder: String) {
        known.formUnion(names.map { folder + "/" + $0 })
    }

    /// Checks that files may have their names, before the work of making them.
    ///
    /// - Parameter folder: the folder that the names are relative to, at its final place.
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
    /// - Parameter leftover: a folder that is not needed once the files have their names; it is removed then.
    /// - Throws: ``ScrubError/Code/usage`` if a name belongs to a file that must not be replaced,
    ///   ``ScrubError/Code/unavailable`` if another run writes into a subfolder, ``ScrubError/Code/inputOutput`` if the
    ///   folder was removed meanwhile or a file cannot be renamed.
    package func commit(removing leftover: String? = nil) throws(ScrubError) {
        guard lock.isCurrent else {
            throw ScrubError(
                .inputOutput, "the folder was removed or replaced while it was written into", file: path,
                advice: "\(term: .callAgain), and leave the folder in its place")
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
                // A link may lead to a folder that is locked already.
                let place = path + "/" + name
                guard !lock.isFolder(at: place), !locks.contains(where: { $0.isFolder(at: place) }) else { continue }
                locks.append(try FolderLock(path: place, waits: waits))
            }
        }
        // In one step: if the process is ended meanwhile, all of them are moved or none.
        try Leftovers.step { (_) throws(ScrubError) in
            try moveAll(files.sorted { (OutputFolder.rank($0), $0) < (OutputFolder.rank($1), $1) })
            if let leftover { Folder.removeTree(leftover) }
        }
        let written = Set(files.map { path + "/" + $0 })
        for (folder, name) in obsolete where !written.contains(folder + "/" + name) {
            // A manifest may name anything.
            let path = folder + "/" + name
            if let facts = FileFacts(path: path), ReadFiles.contains(path, facts) { continue }
            try? FolderScope(path: folder).remove(name)
        }
        obsolete = []
    }

    /// Gives files their names one after the other. If one cannot have its name, those before it give theirs back.
    private func moveAll(_ files: [String]) throws(ScrubError) {
        var undo: [() -> Void] = []
        do throws(ScrubError) {
            for (number, file) in files.enumerated() {
                let (work, target) = (workPath + "/" + file, try self.target(path + "/" + file))
                let earlier = "\(workPath)/.earlier-\(number)"
                let present = try target.present()
                // A second name keeps what was there. Where the file system has none, the new file stays in its place.
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

    /// Readers look at manifests first: these come when all that they name is there.
    private static func rank(_ file: String) -> Int {
        if file.hasSuffix("manifest.json") || file.hasSuffix(".bif.json") || file.hasSuffix(".trickplay.json") {
            return 2
        }
        let isIndex = [".vtt", ".json", ".m3u8", ".mpd", ".html", ".svg", ".txt"].contains { file.hasSuffix($0) }
        return isIndex ? 1 : 0
    }

    private static func hasChanged(_ path: String) -> ScrubError {
        ScrubError(
            .inputOutput, "another program put a file there meanwhile", file: path,
            advice: "\(term: .callAgain), and leave the folder to it")
    }

    /// - Parameter isThere: whether there is a file that may be replaced; otherwise the name must be free.
    private static func move(_ file: String, to target: OutputFile, isThere: Bool) throws(ScrubError) {
        if !isThere, FileFacts(path: file)?.device == FileFacts(path: Folder.folder(of: target.path) ?? ".")?.device {
            guard try Folder.placeNew(file, at: target.path) else { throw hasChanged(target.path) }
            return
        }
        guard rename(file, target.path) != 0 else { return }
        let reason = Errno(rawValue: errno)
        // A folder below may be a link to another disk.
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
