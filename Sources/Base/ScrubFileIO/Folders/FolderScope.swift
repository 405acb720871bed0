internal import Glibc
package import ScrubBase
internal import SystemPackage

/// A folder whose files are named by untrusted data, such as the sheets that an index file names. No name leads out of
/// it.
///
/// Names are walked from the open folder component by component, without following links. So neither `..` nor a link
/// that is put in place during a read can lead elsewhere. The folder itself may be a link: its name is the caller's.
///
/// Thread safety: safe from any thread.
package final class FolderScope: Sendable {
    /// The path as the caller wrote it.
    package let path: String
    private let descriptor: FileDescriptor

    /// Opens a folder.
    ///
    /// - Throws: ``ScrubError/Code/noInput`` if the folder does not exist or cannot be read.
    package init(path: String) throws(ScrubError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw ScrubError(.noInput, "is not the name of a folder", file: path, advice: "name a folder")
        }
        do {
            descriptor = try FileDescriptor.open(
                FilePath(systemName: path), .readOnly, options: [.directory, .closeOnExec])
        } catch {
            let advice: Wording? = error as? Errno == .notDirectory ? "name a folder" : nil
            throw ScrubError(
                system: error, .noInput, doing: "cannot be opened as a folder", file: path, advice: advice)
        }
        self.path = path
    }

    deinit { try? descriptor.close() }

    /// Returns the components of a path after each `..` has taken the one before it away.
    ///
    /// - Throws: ``ScrubError/Code/badData`` for an absolute path, one that leads out of the folder, one that names no
    ///   file, or one with a NUL, at which the system would cut it.
    package static func components(of name: String) throws(ScrubError) -> [String] {
        func fault(_ cause: String) -> ScrubError {
            ScrubError(
                .badData, "'\(name)' \(cause)",
                advice: "a set or a playlist on disk may only name files below its folder")
        }
        // Bytes are inspected: to Swift, a combining mark joins the slash before it.
        guard !name.utf8.contains(0) else { throw fault("contains a NUL, which a file's name cannot have") }
        guard name.utf8.first != UInt8(ascii: "/") else { throw fault("is outside the folder of what names it") }
        let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard let last = parts.last, !last.isEmpty, !last.elementsEqual(".".utf8), !last.elementsEqual("..".utf8) else {
            throw fault("names no file")
        }
        var components: [String] = []
        for part in parts where !part.isEmpty && !part.elementsEqual(".".utf8) {
            if part.elementsEqual("..".utf8) {
                guard components.popLast() != nil else { throw fault("is outside the folder of what names it") }
            } else {
                components.append(String(decoding: part, as: UTF8.self))
            }
        }
        return components
    }

    /// Opens a regular file below the folder.
    ///
    /// - Parameters:
    ///   - name: its path from the folder, with `/` between components.
    ///   - saysFolder: whether errors call it by the folder's path too: not for readers that are to see nothing above
    ///     the folder.
    /// - Throws: ``ScrubError/Code/badData`` for a name as ``components(of:)`` refuses it and for one with a link in
    ///   it, ``ScrubError/Code/noInput`` without such a file.
    package func open(_ name: String, saysFolder: Bool = false) throws(ScrubError) -> FileSource {
        let parts = try FolderScope.components(of: name)
        return try inFolder(of: parts, name) { (folder, last) throws(ScrubError) in
            let shown = saysFolder ? path + "/" + name : name
            return try FileSource(try folder.open(last, O_RDONLY | O_NONBLOCK, name), path: shown)
        }
    }

    /// Returns all bytes of a file below the folder.
    ///
    /// - Parameter limit: the most that is read; a longer file is refused.
    /// - Throws: as ``open(_:)``.
    package func contents(of name: String, limit: Int, saysFolder: Bool = false) throws(ScrubError) -> [UInt8] {
        try open(name, saysFolder: saysFolder).contents(limit: limit)
    }

    /// Removes a file below the folder, and the folders that this leaves empty. Files that cannot be removed stay, and
    /// the target of a link is left alone.
    package func remove(_ name: String) {
        guard var parts = try? FolderScope.components(of: name) else { return }
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

    /// Lends the folder that holds the last component.
    private func inFolder<R>(
        of parts: [String], _ name: String, _ body: (borrowing Level, String) throws(ScrubError) -> R
    ) throws(ScrubError) -> R {
        guard let last = parts.last else { throw ScrubError(.badData, "'\(name)' names no file") }
        var folder = Level(descriptor: descriptor, isOwned: false)
        for part in parts.dropLast() {
            folder = Level(descriptor: try folder.open(part, O_RDONLY | O_DIRECTORY, name), isOwned: true)
        }
        return try body(folder, last)
    }

    /// An open folder on the way to a file.
    private struct Level: ~Copyable {
        let descriptor: FileDescriptor
        let isOwned: Bool

        deinit { if isOwned { try? descriptor.close() } }

        /// - Parameter name: the name that the component is part of, for errors.
        func open(_ part: String, _ flags: Int32, _ name: String) throws(ScrubError) -> FileDescriptor {
            let opened = openat(descriptor.rawValue, part, flags | O_NOFOLLOW | O_CLOEXEC)
            guard opened < 0 else { return FileDescriptor(rawValue: opened) }
            let reason = Errno(rawValue: errno)
            var facts = stat()
            let isLink =
                unsafe fstatat(descriptor.rawValue, part, &facts, AT_SYMLINK_NOFOLLOW) == 0
                && facts.st_mode & S_IFMT == S_IFLNK
            throw isLink
                ? ScrubError(.badData, "'\(name)' has a link in it, which may lead out of the set's folder")
                : ScrubError(system: reason, .noInput, doing: "'\(name)' cannot be opened")
        }
    }
}
