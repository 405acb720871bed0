internal import Glibc
package import ScrubBase

extension Folder {
    /// Returns the names of the files below a folder, relative to it.
    ///
    /// - Parameter depth: the maximum nesting of folders to search. Links to folders are not followed.
    /// - Throws: `noInput` if the folder cannot be read.
    package static func files(in path: String, depth: Int = 4) throws(ScrubError) -> [String] {
        guard let names = names(in: path) else {
            throw ScrubError(.noInput, "is not a readable folder", file: path)
        }
        var found: [String] = []
        for name in names {
            var facts = stat()
            guard unsafe lstat(path + "/" + name, &facts) == 0 else { continue }
            if facts.st_mode & S_IFMT == S_IFREG {
                found.append(name)
            } else if facts.st_mode & S_IFMT == S_IFDIR, depth > 0 {
                found += try files(in: path + "/" + name, depth: depth - 1).map { name + "/" + $0 }
            }
        }
        return found.sorted()
    }

    /// Returns the names in a folder, in the system's order, without `.` and `..`; `nil` if it cannot be read.
    static func names(in path: String) -> [String]? {
        guard let folder = unsafe opendir(path) else { return nil }
        defer { unsafe closedir(folder) }
        return unsafe names(in: folder)
    }

    private static func names(in folder: OpaquePointer) -> [String] {
        guard let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) else { return [] }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            // The entry ends after the name, not after the field's declared 256 bytes.
            let field = unsafe UnsafeRawPointer(entry).advanced(by: nameOffset)
            let name = unsafe String(systemName: field.assumingMemoryBound(to: CChar.self))
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Returns the contents of a file.
    ///
    /// - Parameter limit: the maximum size; a larger file is rejected.
    package static func contents(of path: String, limit: Int) throws(ScrubError) -> [UInt8] {
        try FileSource(path: path).contents(limit: limit)
    }

    /// Returns the size of a regular file in bytes; `nil` if there is no such file.
    package static func byteCount(of path: String) -> Int? {
        var facts = stat()
        guard unsafe lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(facts.st_size)
    }

    /// Returns an absolute path without links; `nil` if the path does not exist.
    package static func resolved(_ path: String) -> String? {
        guard let found = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(found) }
        return unsafe String(systemName: found)
    }

    /// Returns the permissions of a file or folder: the lowest nine bits of its mode.
    package static func permissions(of path: String) throws(ScrubError) -> Int {
        var facts = stat()
        guard unsafe lstat(path, &facts) == 0 else { throw ScrubError(.noInput, "its mode cannot be read", file: path) }
        return Int(facts.st_mode & 0o777)
    }

    /// Removes a folder with its contents, or a file or link of that name. The target of a link is left untouched, even
    /// if the link has since replaced a folder. Files that cannot be removed stay.
    package static func removeTree(_ path: String) { removeTree(AT_FDCWD, path) }

    private static func removeTree(_ parent: Int32, _ name: String) {
        // Removing an empty folder does not need a descriptor, and there may be none left.
        if unlinkat(parent, name, 0) == 0 || unlinkat(parent, name, AT_REMOVEDIR) == 0 { return }
        let opened = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard opened >= 0 else { return }
        guard let folder = unsafe fdopendir(opened) else {
            close(opened)
            return
        }
        for name in unsafe names(in: folder) { removeTree(opened, name) }
        unsafe closedir(folder)
        unlinkat(parent, name, AT_REMOVEDIR)
    }
}
