internal import Glibc
internal import ScrubBase

/// The files that this process reads as films, playlists, lists and scripts: no output replaces one of them.
///
/// A file is known by its file system and its number there, so by every name that it has: through links, as a second
/// name, relative or from the root, and in another case where names have none. Behind FUSE one file may have a number
/// for each name in another case; there the names are compared without it, and size and time of change.
///
/// Thread safety: safe from any thread. Cost: a lock and a look into a table for each file that is opened or written.
package enum ReadFiles {
    /// A file as the system numbers it.
    struct Number: Hashable, Sendable {
        let device: UInt64
        let inode: UInt64
    }

    private struct Reading {
        /// How many readers have it open.
        var count = 0
        /// What it was when it was opened, and then closed. The system gives its number to another file when it is
        /// removed.
        var last: FileSource.Identity?
        /// The path, from the root and without case; `nil` where it is not known.
        var name: String?
    }

    private struct State {
        var readings: [Number: Reading] = [:]
        var isKept = false
    }

    private static let state = Locked(State())

    /// Keeps files in mind after they are closed too, until the process ends: for a program that does one thing.
    package static func keepForGood() { state.withLock { $0.isKept = true } }

    /// Notes a file that is going to be read; names of no file are passed over.
    package static func note(path: String) {
        guard let facts = FileFacts(path: path), facts.kind == .file else { return }
        let name = name(of: path)
        state.withLock { state in
            state.readings[Number(facts), default: Reading()].last = FileSource.Identity(facts)
            state.readings[Number(facts)]?.name = name
        }
    }

    /// Notes that a file is open.
    static func begin(_ number: Number, _ identity: FileSource.Identity, _ path: String) {
        let name = name(of: path)
        state.withLock { state in
            var reading = state.readings[number] ?? Reading()
            reading.count += 1
            (reading.last, reading.name) = (identity, name ?? reading.name)
            state.readings[number] = reading
        }
    }

    private static func name(of path: String) -> String? { Folder.resolved(path)?.lowercased() }

    /// Notes that it is closed.
    ///
    /// - Parameter last: what it is now; `nil` for one that has no name any more.
    static func end(_ number: Number, _ last: FileSource.Identity?) {
        state.withLock { state in
            guard var reading = state.readings[number] else { return }
            reading.count -= 1
            reading.last = last
            state.readings[number] = reading.count > 0 || state.isKept && last != nil ? reading : nil
        }
    }

    /// Whether the file of a name is one of them.
    ///
    /// - Parameter facts: the file's, behind a link.
    package static func contains(_ path: String, _ facts: FileFacts) -> Bool {
        if contains(facts) { return true }
        guard facts.kind == .file else { return false }
        let names = state.withLock { state in
            state.readings.compactMap { number, reading in
                number.device == facts.device && reading.last == FileSource.Identity(facts) ? reading.name : nil
            }
        }
        return !names.isEmpty && name(of: path).map(names.contains) == true
    }

    private static func contains(_ facts: FileFacts) -> Bool {
        guard facts.kind == .file, let reading = state.withLock({ $0.readings[Number(facts)] }) else { return false }
        return reading.count > 0 || reading.last == FileSource.Identity(facts)
    }

    /// Whether an open file is one of them, such as standard output that a shell has opened.
    package static func contains(descriptor: Int32) -> Bool {
        var facts = stat()
        return unsafe fstat(descriptor, &facts) == 0 && contains(FileFacts(facts))
    }
}

extension ReadFiles.Number {
    init(_ facts: FileFacts) { self.init(device: facts.device, inode: facts.inode) }
}

extension FileSource.Identity {
    fileprivate init(_ facts: FileFacts) { self.init(byteCount: facts.byteCount, modified: facts.modified) }
}
