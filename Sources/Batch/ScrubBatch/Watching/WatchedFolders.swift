internal import ScrubBatchLogic
internal import ScrubFileIO
internal import ScrubBase

/// The folders below some roots, each watched, or polled if the system does not send notifications.
///
/// Use from one thread at a time. Memory: as for `FolderTree`; the kernel uses about a KiB for each folder.
struct WatchedFolders {
    /// The news.
    struct News {
        /// Files to which something has happened.
        var files: [String] = []
        /// Files that no longer exist.
        var gone: [String] = []
        /// Folders that no longer exist.
        var goneFolders: [String] = []
        /// Whether files may have disappeared without a notification.
        var hasLost = false
        /// Whether everything may have changed.
        var needsWalk = false
        /// The messages for the user, each once.
        var words: [ScrubError] = []
    }

    private struct Root {
        let source: WatchRoot
        var id: FolderTree.ID?
        /// The folder.
        var number: [UInt64] = []
    }

    /// The messages that are reported once.
    private enum Word: Hashable { case isFull, isRemote, hasNoEvents, overflow, rootIsGone(String) }

    /// The system's watch; `nil` if none is left, in which case everything is checked.
    let watch: FolderWatch?
    private let leftOut: Set<[UInt64]>
    private let hears: @Sendable (String) -> Bool
    private(set) var tree = FolderTree()
    private var roots: [Root]
    private var said: Set<Word> = []
    /// Polled folders that had changed at the last check: a second change within one clock tick would not be visible.
    private var unsure: Set<FolderTree.ID> = []

    /// - Parameters:
    ///   - hears: whether the kernel reports all changes in a folder.
    init(
        _ roots: [WatchRoot], leavingOut folders: [String], watch: FolderWatch?,
        hears: @escaping @Sendable (String) -> Bool = { Folder.hearsOfChanges($0) }
    ) {
        self.roots = roots.map { Root(source: $0) }
        leftOut = Set(folders.compactMap { FileFacts(path: $0).map { [$0.device, $0.inode] } })
        (self.watch, self.hears) = (watch, hears)
    }

    /// Forgets all watches and begins again with the existing folders: everything that happens in them from now on is
    /// reported.
    mutating func rebuild() -> News {
        var news = News()
        for place in roots.indices {
            if let id = roots[place].id { forget(id) }
            roots[place].id = nil
            begin(place, &news)
        }
        return news
    }

    private mutating func begin(_ place: Int, _ news: inout News) {
        let path = roots[place].source.path
        guard let facts = FileFacts(path: path), facts.kind == .folder else {
            say(
                .rootIsGone(path),
                ScrubError(
                    .noInput, "the folder is missing, so no results of its films are removed", file: path,
                    advice: "mount it; Scrub checks for it every minute"), &news)
            return
        }
        said.remove(.rootIsGone(path))
        let id = tree.add(root: path)
        (roots[place].id, roots[place].number) = (id, [facts.device, facts.inode])
        add(id, &news, tellsFiles: false)
    }

    /// Watches a folder and those below it.
    ///
    /// Each folder is watched first and then read, so that files that arrive in the meantime are seen twice rather than
    /// missed.
    private mutating func add(_ id: FolderTree.ID, _ news: inout News, tellsFiles: Bool) {
        var stack = [id]
        while let id = stack.popLast() {
            guard let path = tree.path(id), let facts = FileFacts(path: path), facts.kind == .folder,
                !leftOut.contains([facts.device, facts.inode])
            else {
                forget(id)
                continue
            }
            follow(id, path, facts, &news)
            stack += list(id, path, &news, tellsFiles: tellsFiles)
        }
    }

    private mutating func follow(_ id: FolderTree.ID, _ path: String, _ facts: FileFacts, _ news: inout News) {
        switch watch?.add(path) {
        case .watched(let number)?:
            tree.watch(id, as: number)
            if hears(path) { return }
            say(
                .isRemote,
                ScrubError(
                    .unavailable,
                    "is on another machine or a FUSE file system, where changes are not reported: it is checked every minute and fully rescanned once a day",
                    file: path,
                    advice: "to see changes immediately, run scrub batch --watch on the machine that has the disk"),
                &news)
        case .isFull?:
            say(
                .isFull,
                ScrubError(
                    .unavailable,
                    "no more folders can be watched: this one and others are checked every minute and fully rescanned once a day",
                    file: path,
                    advice: "set sysctl fs.inotify.max_user_watches=1048576, and start again"), &news)
        case .isGone?: break
        case nil:
            say(
                .hasNoEvents,
                ScrubError(
                    .unavailable,
                    "folders cannot be watched: they are checked every minute and fully rescanned once a day",
                    advice: "raise fs.inotify.max_user_instances with sysctl, and start again"), &news)
        }
        tree.poll(id, mark: facts.modified)
        unsure.insert(id)
    }

    /// Reads a folder.
    ///
    /// - Returns: the folders in it that were not known.
    private mutating func list(
        _ id: FolderTree.ID, _ path: String, _ news: inout News, tellsFiles: Bool
    ) -> [FolderTree.ID] {
        var fresh: [FolderTree.ID] = []
        for name in Folder.list(path) where !MediaWalk.isPassedOver(name) {
            let below = MediaWalk.path(of: name, in: path)
            guard let facts = FileFacts(path: below, followsLinks: false) else { continue }
            switch facts.kind {
            case .folder where MediaWalk.isPassedOver(folder: name): break
            case .folder:
                let isKnown = tree.node(id)?.children[ExactName(name)] != nil
                if !isKnown, let child = tree.add(name, in: id) { fresh.append(child) }
            case .file, .link: if tellsFiles { news.files.append(below) }
            case .other: break
            }
        }
        return fresh
    }

    private mutating func forget(_ id: FolderTree.ID) {
        for number in tree.remove(id) { watch?.remove(number) }
        unsure.remove(id)
    }

    private mutating func say(_ word: Word, _ error: ScrubError, _ news: inout News) {
        if said.insert(word).inserted { news.words.append(error) }
    }

    /// Reads the events that have arrived; never waits.
    ///
    /// - Parameter rounds: the maximum number of times that 64 KiB of events are read.
    mutating func drain(rounds: Int = 64) -> News {
        var news = News()
        for _ in 0..<rounds {
            guard let events = watch?.events(), !events.isEmpty else { break }
            for event in events { take(event, &news) }
        }
        return news
    }

    /// Handles one event.
    mutating func take(_ event: FolderWatch.Event, _ news: inout News) {
        if event.kind == .overflowed {
            say(
                .overflow,
                ScrubError(
                    .unavailable,
                    "more changes happened than the kernel could queue: all folders are scanned again",
                    advice: "set sysctl fs.inotify.max_queued_events=131072 if this happens often"), &news)
            news.needsWalk = true
            return
        }
        guard let id = tree.folder(watch: event.watch), let path = tree.path(id) else { return }
        if event.kind == .lost {
            forget(id)
            for place in roots.indices where roots[place].id == id {
                roots[place].id = nil
                // It may already be there again.
                begin(place, &news)
                news.needsWalk = true
            }
            return
        }
        guard !MediaWalk.isPassedOver(event.name), !event.name.isEmpty else { return }
        let below = MediaWalk.path(of: event.name, in: path)
        switch (event.kind, event.isFolder) {
        case (.came, true):
            guard !MediaWalk.isPassedOver(folder: event.name) else { return }
            if let known = tree.node(id)?.children[ExactName(event.name)] {
                // Another folder may have taken its name.
                if case .watched(let number)? = watch?.add(below), tree.node(known)?.watch == number { return }
                forget(known)
            }
            if let child = tree.add(event.name, in: id) { add(child, &news, tellsFiles: true) }
        case (.came, false): news.files.append(below)
        case (.went, true):
            if let child = tree.node(id)?.children[ExactName(event.name)] { forget(child) }
            news.goneFolders.append(below)
        default: news.gone.append(below)
        }
    }

    /// Checks the roots, and folders without notifications.
    mutating func poll() -> News {
        var news = News()
        for place in roots.indices {
            let path = roots[place].source.path
            let facts = FileFacts(path: path)
            let number = facts.flatMap { $0.kind == .folder ? [$0.device, $0.inode] : nil }
            if let id = roots[place].id, number == roots[place].number, tree.node(id) != nil { continue }
            // It has appeared or disappeared, or another disk is mounted over it.
            if let id = roots[place].id { forget(id) }
            roots[place].id = nil
            begin(place, &news)
            if roots[place].id != nil { news.needsWalk = true }
        }
        for id in tree.polled {
            guard let path = tree.path(id) else { continue }
            guard let facts = FileFacts(path: path), facts.kind == .folder else {
                forget(id)
                news.goneFolders.append(path)
                continue
            }
            let hasChanged = tree.node(id)?.mark != facts.modified
            guard hasChanged || unsure.contains(id) else { continue }
            tree.poll(id, mark: facts.modified)
            if hasChanged { unsure.insert(id) } else { unsure.remove(id) }
            for child in list(id, path, &news, tellsFiles: true) { add(child, &news, tellsFiles: true) }
            if hasChanged { news.hasLost = true }
        }
        return news
    }
}

/// A watched folder.
package struct WatchRoot: Hashable, Sendable {
    package let path: String
    /// The prefix of places below it, empty or with a trailing slash.
    package let prefix: String

    package init(path: String, prefix: String) { (self.path, self.prefix) = (path, prefix) }

    /// Returns the place of a file below it; `nil` for any other file.
    func place(of path: String) -> String? {
        let above = Array((self.path.utf8.last == UInt8(ascii: "/") ? self.path : self.path + "/").utf8)
        guard path.utf8.count > above.count, path.utf8.starts(with: above) else { return nil }
        return prefix + String(Substring(path.utf8.dropFirst(above.count)))
    }
}
