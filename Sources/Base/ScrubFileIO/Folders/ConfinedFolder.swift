internal import Glibc
package import ScrubBase
internal import SystemPackage

/// A folder whose files are named by untrusted data, such as the sheets named in an index file. No name can lead out of
/// it.
///
/// Names are resolved component by component from the open folder, without following links. Therefore, neither `..` nor
/// a link created during a read can lead elsewhere. The folder itself may be a link, because its name comes from the
/// caller.
///
/// Thread safety: safe from any thread.
package final class ConfinedFolder: Sendable {
    /// The path as the caller wrote it.
    package let path: String
    private let descriptor: FileDescriptor

    /// Opens a folder.
    ///
    /// - Throws: ``ScrubError/Code/noInput`` if the folder does not exist or cannot be read.
    package init(path: String) throws(ScrubError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw ScrubError(.noInput, "is not a valid folder name", file: path, advice: "specify a folder")
        }
        do {
            descriptor = try FileDescriptor.open(
                FilePath(systemName: path), .readOnly, options: [.directory, .closeOnExec])
        } catch {
            let advice: Wording? = error as? Errno == .notDirectory ? "specify a folder" : nil
            throw ScrubError(
                system: error, .noInput, doing: "cannot be opened as a folder", file: path, advice: advice)
        }
        self.path = path
    }

    deinit { try? descriptor.close() }

    /// Returns the components of a path after resolving each `..`.
    ///
    /// - Throws: ``ScrubError/Code/badData`` for a path that is absolute, leads out of the folder, does not name a
    ///   file, or contains a NUL, at which the system would truncate it.
    package static func components(of name: String) throws(ScrubError) -> [String] {
        func fault(_ cause: String) -> ScrubError {
            ScrubError(
                .badData, "'\(name)' \(cause)",
                advice: "a set or a playlist on disk may refer only to files inside its folder")
        }
        // Compares bytes, because to Swift a combining mark joins the slash before it.
        guard !name.utf8.contains(0) else { throw fault("contains a NUL byte, which is not allowed in a file name") }
        guard name.utf8.first != UInt8(ascii: "/") else {
            throw fault("is outside the folder of the file that refers to it")
        }
        let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard let last = parts.last, !last.isEmpty, !last.elementsEqual(".".utf8), !last.elementsEqual("..".utf8) else {
            throw fault("does not name a file")
        }
        var components: [String] = []
        for part in parts where !part.isEmpty && !part.elementsEqual(".".utf8) {
            if part.elementsEqual("..".utf8) {
                guard components.popLast() != nil else {
                    throw fault("is outside the folder of the file that refers to it")
                }
            } else {
                components.append(String(decoding: part, as: UTF8.self))
            }
        }
        return components
    }

    /// Opens a regular file below the folder.
    ///
    /// - Parameters:
    ///   - name: the file's path relative to the folder, with `/` between components.
    ///   - saysFolder: whether errors include the folder's path. False for readers that must not see anything above the
    ///     folder.
    /// - Throws: ``ScrubError/Code/badData`` for a name that ``components(of:)`` rejects and for one that contains a
    ///   link, ``ScrubError/Code/noInput`` if there is no such file.
    package func open(_ name: String, saysFolder: Bool = false) throws(ScrubError) -> FileSource {
        let parts = try ConfinedFolder.components(of: name)
        return try inFolder(of: parts, name) { (folder, last) throws(ScrubError) in
            let shown = saysFolder ? path + "/" + name : name
            return try FileSource(try folder.open(last, O_RDONLY | O_NONBLOCK, name), path: shown)
        }
    }

    /// Returns the contents of a file below the folder.
    ///
    /// - Parameter limit: the maximum size; a larger file is rejected.
    /// - Throws: the errors of ``open(_:)``.
    package func contents(of name: String, limit: Int, saysFolder: Bool = false) throws(ScrubError) -> [UInt8] {
        try open(name, saysFolder: saysFolder).contents(limit: limit)
    }

    /// Removes a file below the folder, and folders that become empty. Files that cannot be removed stay, and the
    /// target of a link is left untouched.
    package func remove(_ name: String) {
        guard var parts = try? ConfinedFolder.components(of: name) else { return }
        var flags: Int32 = 0
        while !parts.isEmpty {
            let isRemoved = try? inFolder(of: parts, name) { (folder, last) throws(ScrubError) in
                unlinkat(folder.descriptor.rawValue, last, flags) == 0
            }
            guard isRemoved == true else { return }
            parts.removeLast()
            flags = AT_REMOVEDIR
        }
    }

    /// Calls a closure with the folder that contains the last component.
    private func inFolder<R>(
        of parts: [String], _ name: String, _ body: (borrowing Level, String) throws(ScrubError) -> R
    ) throws(ScrubError) -> R {
        guard let last = parts.last else { throw ScrubError(.badData, "'\(name)' does not name a file") }
        var folder = Level(descriptor: descriptor, isOwned: false)
        for part in parts.dropLast() {
            folder = Level(descriptor: try folder.open(part, O_RDONLY | O_DIRECTORY, name), isOwned: true)
        }
        return try body(folder, last)
    }

    /// An open folder on the path to a file.
    private struct Level: ~Copyable {
        let descriptor: FileDescriptor
        let isOwned: Bool

        deinit { if isOwned { try? descriptor.close() } }

        /// Opens a component.
        ///
        /// - Parameter name: the full name that contains the component, for errors.
        func open(_ part: String, _ flags: Int32, _ name: String) throws(ScrubError) -> FileDescriptor {
            let opened = openat(descriptor.rawValue, part, flags | O_NOFOLLOW | O_CLOEXEC)
            guard opened < 0 else { return FileDescriptor(rawValue: opened) }
            let reason = Errno(rawValue: errno)
            var facts = stat()
            let isLink =
                unsafe fstatat(descriptor.rawValue, part, &facts, AT_SYMLINK_NOFOLLOW) == 0
                && facts.st_mode & S_IFMT == S_IFLNK
            throw isLink
                ? ScrubError(.badData, "'\(name)' contains a link, which may lead outside the set's folder")
                : ScrubError(system: reason, .noInput, doing: "'\(name)' cannot be opened")
        }
    }
}
