internal import Glibc
internal import ScrubBase
internal import SystemPackage

/// A file that is written before it gets its name, and is removed if it never gets one.
///
/// The file has no name at all (`O_TMPFILE`, open(2)), so the system removes it however the process ends. On file
/// systems without this feature, it is a file with a temporary name next to the target.
final class Neighbour {
    let descriptor: FileDescriptor
    /// The file's temporary name, or the name that it briefly has before the target's, because a hard link never
    /// replaces a file.
    private let path: String
    private var hasName: Bool

    /// Creates the file.
    ///
    /// - Parameters:
    ///   - path: a unique name in the target's folder.
    ///   - isPrivate: whether only the owner may read it.
    init(_ path: String, isPrivate: Bool) throws {
        self.path = path
        let permissions: FilePermissions = isPrivate ? .ownerReadWrite : [.ownerReadWrite, .groupRead, .otherRead]
        if let unnamed = Neighbour.unnamed(in: path.pathOfFolder ?? ".", permissions) {
            (descriptor, hasName) = (unnamed, false)
            return
        }
        descriptor = try TemporaryFileNames.step { leftovers in
            let made = try FileDescriptor.open(
                FilePath(systemName: path), .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
                permissions: permissions)
            leftovers.add(file: path)
            return made
        }
        hasName = true
    }

    private static func unnamed(in folder: String, _ permissions: FilePermissions) -> FileDescriptor? {
        // `__O_TMPFILE` of <asm-generic/fcntl.h>, which Swift does not import, with its O_DIRECTORY.
        let temporary = FileDescriptor.OpenOptions(rawValue: 0o20_000_000 | O_DIRECTORY)
        guard
            let file = try? FileDescriptor.open(
                FilePath(systemName: folder), .writeOnly, options: [temporary, .closeOnExec], permissions: permissions)
        else { return nil }
        var facts = stat()
        // Without /proc, the file could not be given a name later.
        guard unsafe fstatat(AT_FDCWD, name(of: file), &facts, 0) == 0 else {
            try? file.close()
            return nil
        }
        return file
    }

    private static func name(of file: FileDescriptor) -> String { "/proc/self/fd/\(file.rawValue)" }

    /// Gives the file the name of an output.
    ///
    /// A free name is taken only while it is free. An existing file is first exchanged with the new one and then
    /// checked. If it is not the file that may be replaced, it gets its name back.
    ///
    /// - Throws: the errors of ``OutputFile``, or an `Errno`.
    func place(at output: OutputFile) throws {
        OutputMark.put(output.kind, on: hasName ? path : Neighbour.name(of: descriptor), for: output.path)
        try TemporaryFileNames.step { leftovers in
            // Another process may write to the same name at the same time.
            for _ in 0..<100 {
                if let facts = try output.present() {
                    try takeName(leftovers)
                    guard try replace(facts, at: output.path) else { continue }
                } else {
                    guard try takeFree(output.path) else { continue }
                }
                hasName = false
                leftovers.forget(file: path)
                return
            }
            throw Errno.fileExists
        }
    }

    /// Takes a free name.
    ///
    /// - Returns: false if the name is no longer free.
    private func takeFree(_ target: String) throws -> Bool {
        if hasName { return try Folder.placeNew(path, at: target) }
        if link(Neighbour.name(of: descriptor), target) == 0 { return true }
        guard errno == EEXIST else { throw Errno(rawValue: errno) }
        return false
    }

    /// Replaces a file, which is removed.
    ///
    /// - Returns: false if a different file now has the name; that file keeps it.
    private func replace(_ facts: FileFacts, at target: String) throws -> Bool {
        guard [.file, .link].contains(facts.kind) else {
            throw facts.kind == .folder ? Errno.isDirectory : Errno.fileExists
        }
        let isSame = { (path: String) in FileFacts(path: path, followsLinks: false).map(facts.isSameFile) ?? false }
        switch Folder.exchangeNames(path, target) {
        case 0:
            guard isSame(path) else {
                _ = Folder.exchangeNames(path, target)
                return false
            }
            unlink(path)
        case ENOENT: return false
        case EINVAL, ENOSYS:
            guard isSame(target) else { return false }
            guard ScrubFileIO.rename(path, target) == 0 else { throw Errno(rawValue: errno) }
        case let number: throw Errno(rawValue: number)
        }
        return true
    }

    private func takeName(_ leftovers: TemporaryFileNames) throws {
        guard !hasName else { return }
        guard link(Neighbour.name(of: descriptor), path) == 0 else { throw Errno(rawValue: errno) }
        hasName = true
        leftovers.add(file: path)
    }

    /// Gives the file its name, replacing any existing file.
    func rename(to target: String) throws {
        try TemporaryFileNames.step { leftovers in
            try takeName(leftovers)
            guard ScrubFileIO.rename(path, target) == 0 else { throw Errno(rawValue: errno) }
            hasName = false
            leftovers.forget(file: path)
        }
    }

    deinit {
        try? descriptor.close()
        if hasName {
            TemporaryFileNames.step { leftovers in
                unlink(path)
                leftovers.forget(file: path)
            }
        }
    }
}
