internal import Glibc
package import ScrubBase
internal import SystemPackage

/// An exclusive lock on a folder for one run, until this object is released.
///
/// The folder itself is locked (`flock`), not a file in it. The lock leaves nothing behind, works for a folder that
/// cannot be written to, and recognizes the same folder under any path. Locks belong to an open file, so two runs in
/// one process also exclude each other. The system releases the lock however the process ends. The lock does not work
/// between machines that share the folder over a network, because on Linux folder locks are local to the machine.
///
/// Thread safety: safe from any thread.
package final class FolderLock: Sendable {
    /// The path as the caller wrote it.
    package let path: String
    /// The reason, as a clause, why the lock does not exclude other processes, if the system cannot lock the folder.
    package let problem: String?
    private let descriptor: FileDescriptor?

    /// Locks an existing folder.
    ///
    /// - Parameters:
    ///   - waits: whether to wait for the run that holds the lock, instead of throwing. Cancellation of the work on
    ///     this thread is checked ten times per second.
    ///   - lock: the system call, or a substitute in tests.
    /// - Throws: ``ScrubError/Code/unavailable`` with the process if another run holds the lock, or if the wait was
    ///   cancelled; ``ScrubError/Code/inputOutput`` if there is no such folder.
    package init(
        path: String, waits: Bool = false,
        lock: (_ descriptor: Int32, _ operation: Int32) -> Int32 = flock
    ) throws(ScrubError) {
        self.path = path
        guard !path.utf8.contains(0) else { throw ScrubError(.inputOutput, "is not a valid folder name", file: path) }
        while true {
            let opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            if opened < 0 {
                let reason = Errno(rawValue: errno)
                if reason == .interrupted { continue }
                // A folder that can be written to but not read cannot be opened for locking.
                guard reason == .permissionDenied else {
                    throw ScrubError(system: reason, .inputOutput, doing: "the folder cannot be opened", file: path)
                }
                (descriptor, problem) = (nil, "it cannot be read")
                return
            }
            let folder = FileDescriptor(rawValue: opened)
            let reason = lock(opened, LOCK_EX | LOCK_NB) == 0 ? nil : Errno(rawValue: errno)
            switch reason {
            case nil:
                // The folder may have been removed and recreated before it was locked.
                if FolderLock.isSame(folder, path) {
                    (descriptor, problem) = (folder, nil)
                    return
                }
                try? folder.close()
            case Errno.wouldBlock:
                let holder = FolderLock.holder(of: folder)
                try? folder.close()
                let who = holder ?? "another process"
                guard waits else {
                    throw ScrubError(
                        .unavailable, "another run is writing to this folder: \(who)", file: path,
                        advice: "\(term: .waitsForOtherRuns), or use another folder", fact: .otherRun)
                }
                if Cancellation.isCurrentCancelled {
                    throw .cancelled(
                        "cancelled while waiting for \(who)", advice: "\(term: .callAgain) when that run has finished"
                    ).inFile(path)
                }
                usleep(100_000)
            case Errno.interrupted: try? folder.close()
            case .some(let reason):
                (descriptor, problem) = (folder, reason.description)
                return
            }
        }
    }

    deinit {
        guard let descriptor else { return }
        // Closing the file is not enough: a child between fork and exec also has it open and would hold the lock
        // slightly longer.
        if problem == nil { _ = flock(descriptor.rawValue, LOCK_UN) }
        try? descriptor.close()
    }

    /// Whether the path still names the locked folder.
    package var isCurrent: Bool { descriptor.map { FolderLock.isSame($0, path) } ?? true }

    /// Returns whether another path names this folder.
    package func isFolder(at other: String) -> Bool { descriptor.map { FolderLock.isSame($0, other) } ?? false }

    /// Returns the process that has locked a folder, such as `process 4711 (scrub)`; `nil` if it is not locked, or if
    /// the holder is not visible.
    package static func holder(ofFolder path: String) -> String? {
        let opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { return nil }
        let folder = FileDescriptor(rawValue: opened)
        defer { try? folder.close() }
        return holder(of: folder)
    }

    private static func isSame(_ folder: FileDescriptor, _ path: String) -> Bool {
        var (own, named) = (stat(), stat())
        return unsafe fstat(folder.rawValue, &own) == 0 && fstatat(AT_FDCWD, path, &named, 0) == 0
            && own.st_dev == named.st_dev
            && own.st_ino == named.st_ino
    }

    /// Looks up the lock in `/proc/locks` (proc_locks(5)): `1: FLOCK ADVISORY WRITE 4711 08:01:1234 0 EOF`, with the
    /// device in hexadecimal. A process in another namespace has no process number there.
    private static func holder(of folder: FileDescriptor) -> String? {
        var facts = stat()
        guard unsafe fstat(folder.rawValue, &facts) == 0, let text = SystemFile.text("/proc/locks") else { return nil }
        // Combined as in makedev(3), whose own functions are macros.
        let device = UInt64(facts.st_dev)
        let major = device >> 8 & 0xFFF | device >> 32 & ~0xFFF
        let minor = device & 0xFF | device >> 12 & 0xFFFF_FF00
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count >= 6, words[1] == "FLOCK", let process = Int32(words[4]), process > 0 else { continue }
            let parts = words[5].split(separator: ":")
            guard parts.count == 3, UInt64(parts[0], radix: 16) == major, UInt64(parts[1], radix: 16) == minor,
                UInt64(parts[2]) == UInt64(facts.st_ino)
            else { continue }
            if process == getpid() { return "this process itself" }
            let name = SystemFile.text("/proc/\(process)/comm")?.split(separator: "\n").first
            return "process \(process)" + (name.map { " (\($0))" } ?? "")
        }
        return nil
    }
}
