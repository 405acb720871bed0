internal import Glibc
internal import ScrubBase

/// The files that this process reads as videos, playlists, lists and scripts. No output ever replaces any of them.
///
/// A file is identified by its device and inode number. This covers every path to it: through symbolic links, hard
/// links, relative and absolute paths, and paths in another case on file systems that ignore case. With FUSE, one file
/// may have a different inode number for each spelling of its name. In that case, paths are compared without regard to
/// case, along with size and modification time.
///
/// Thread safety: safe from any thread. Cost: a lock and a table lookup for each file that is opened or written.
package enum InputFileRegistry {
    /// A file's device and inode number.
    struct Number: Hashable, Sendable {
        let device: UInt64
        let inode: UInt64
    }

    private struct Reading {
        /// The number of readers that have it open.
        var count = 0
        /// The file's identity when it was opened, and later when it was closed. The system reuses the inode number of
        /// a removed file.
        var last: FileSource.Identity?
        /// The absolute path, case-folded; `nil` if it is unknown.
        var name: String?
    }

    private struct State {
        var readings: [Number: Reading] = [:]
        var isKept = false
    }

    private static let state = Locked(State())

    /// Remembers files until the process ends, even after they are closed. For programs that run one command.
    package static func keepForGood() { state.withLock { $0.isKept = true } }

    /// Records a file that is about to be read. Ignores paths without a file.
    package static func note(path: String) {
        guard let facts = FileFacts(path: path), facts.kind == .file else { return }
        let name = name(of: path)
        state.withLock { state in
            state.readings[Number(facts), default: Reading()].last = FileSource.Identity(facts)
            state.readings[Number(facts)]?.name = name
        }
    }

    /// Records that a file was opened.
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

    /// Records that a file was closed.
    ///
    /// - Parameter last: the file's current identity; `nil` if it no longer has a name.
    static func end(_ number: Number, _ last: FileSource.Identity?) {
        state.withLock { state in
            guard var reading = state.readings[number] else { return }
            reading.count -= 1
            reading.last = last
            state.readings[number] = reading.count > 0 || state.isKept && last != nil ? reading : nil
        }
    }

    /// Returns whether the file at a path is registered.
    ///
    /// - Parameter facts: the file's facts, with links followed.
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

    /// Returns whether an open file is registered, such as standard output redirected by a shell.
    package static func contains(descriptor: Int32) -> Bool {
        var facts = stat()
        return unsafe fstat(descriptor, &facts) == 0 && contains(FileFacts(facts))
    }
}

extension InputFileRegistry.Number {
    init(_ facts: FileFacts) { self.init(device: facts.device, inode: facts.inode) }
}

extension FileSource.Identity {
    fileprivate init(_ facts: FileFacts) { self.init(byteCount: facts.byteCount, modified: facts.modified) }
}
