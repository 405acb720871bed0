internal import Glibc
package import ScrubBase
internal import SystemPackage

/// A folder that one run alone writes into, until this object goes away.
///
/// The folder itself is locked (`flock`), not a file in it. Nothing is left behind, a folder that cannot be written
/// into can be locked, and it is the same folder by whatever path. Locks belong to an open file, so two runs in one
/// process exclude each other too. The system releases it when the process ends, however that ends. Between machines
/// that share the folder over a network nothing is locked: Linux keeps locks of folders to the machine.
///
/// Thread safety: safe from any thread.
package final class FolderLock: Sendable {
    /// The path as the caller wrote it.
    package let path: String
    /// Why the lock keeps no other process out, where the system cannot lock the folder; a clause.
    package let problem: String?
    private let descriptor: FileDescriptor?

    /// Locks a folder that is there.
    ///
    /// - Parameters:
    ///   - waits: whether to wait for the run that has it, instead of an error. A cancellation of the work on this
    ///     thread is looked for ten times a second.
    ///   - lock: the system call; another one in tests.
    /// - Throws: ``ScrubError/Code/unavailable`` if another run has it, with its process, or if the waiting was
    ///   cancelled; ``ScrubError/Code/inputOutput`` without such a folder.
    package init(
        path: String, waits: Bool = false,
        lock: (_ descriptor: Int32, _ operation: Int32) -> Int32 = flock
    ) throws(ScrubError) {
        self.path = path
        guard !path.utf8.contains(0) else { throw ScrubError(.inputOutput, "is not the name of a folder", file: path) }
        while true {
            let opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            if opened < 0 {
                let reason = Errno(rawValue: errno)
                if reason == .interrupted { continue }
                // One that may be written into and not read has no descriptor to lock.
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
                // It may have been removed, and made again, before it was locked.
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
                        .unavailable, "another run writes into this folder: \(who)", file: path,
                        advice: "\(term: .waitsForOtherRuns) or take another folder", fact: .otherRun)
                }
                if Cancellation.isCurrentCancelled {
                    throw .cancelled(
                        "broken off while waiting for \(who)", advice: "\(term: .callAgain) when it has ended"
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
        // Closing is not enough: a child between fork and exec has the open file too, and would keep the lock a little
        // longer.
        if problem == nil { _ = flock(descriptor.rawValue, LOCK_UN) }
        try? descriptor.close()
    }

    /// Whether the path still names the folder that was locked.
    package var isCurrent: Bool { descriptor.map { FolderLock.isSame($0, path) } ?? true }

    /// Whether this is the folder that another path names.
    package func isFolder(at other: String) -> Bool { descriptor.map { FolderLock.isSame($0, other) } ?? false }

    /// Returns the process that has locked a folder, such as `process 4711 (scrub)`; `nil` if it is not locked, or the
    /// holder cannot be seen.
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

    /// Looks the lock up in `/proc/locks` (proc_locks(5)): `1: FLOCK ADVISORY WRITE 4711 08:01:1234 0 EOF`, the device
    /// in hexadecimal. A process in another namespace has no number there.
    private static func holder(of folder: FileDescriptor) -> String? {
        var facts = stat()
        guard unsafe fstat(folder.rawValue, &facts) == 0, let text = SystemFile.text("/proc/locks") else { return nil }
        // As makedev(3) puts them together; its own functions are macros.
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
