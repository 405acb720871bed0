internal import Glibc
package import ScrubBase
internal import SystemPackage

/// Operations on folders.
package enum Folder {
    /// Creates a folder and its parents if they do not exist, like `mkdir -p`. All code that writes uses this.
    ///
    /// - Parameters:
    ///   - isPrivate: whether only the owner may read the folder.
    ///   - followsLinks: whether a link to a folder is accepted; false for a name that comes from a file.
    /// - Returns: whether the folder was created.
    @discardableResult
    package static func make(
        _ path: String, isPrivate: Bool = false, followsLinks: Bool = true
    ) throws(ScrubError) -> Bool {
        guard !path.isEmpty else {
            throw ScrubError(.usage, "is not a valid folder name", file: path, advice: "give the folder a name")
        }
        let mode: mode_t = isPrivate ? 0o700 : 0o777
        guard mkdir(path, mode) != 0 else { return true }
        var reason = Errno(rawValue: errno)
        if reason == .noSuchFileOrDirectory, let above = folder(of: path) {
            try make(above, isPrivate: isPrivate)
            guard mkdir(path, mode) != 0 else { return true }
            reason = Errno(rawValue: errno)
        }
        var facts = stat()
        let isKnown = unsafe followsLinks ? fstatat(AT_FDCWD, path, &facts, 0) == 0 : lstat(path, &facts) == 0
        // In that case, it does not matter whether the folder could have been created.
        if isKnown, facts.st_mode & S_IFMT == S_IFDIR { return false }
        throw ScrubError(
            system: reason, .inputOutput, doing: "the folder cannot be created", file: path)
    }

    /// Returns the parent folder of a file or folder; `nil` for a plain name, which is in the working directory.
    package static func folder(of path: String) -> String? {
        let name = path.utf8[...].dropLast { $0 == UInt8(ascii: "/") }
        guard let slash = name.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let above = name[..<slash].dropLast { $0 == UInt8(ascii: "/") }
        return above.isEmpty ? "/" : String(Substring(above))
    }

    /// Returns an absolute path; links are not followed.
    package static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/") else { return path }
        guard let working = unsafe getcwd(nil, 0) else { return "/" + path }
        defer { unsafe free(working) }
        return unsafe String(systemName: working) + "/" + path
    }
}

extension BidirectionalCollection where SubSequence == Self {
    /// Returns the collection without the elements at its end that satisfy a predicate.
    fileprivate func dropLast(_ isSuch: (Element) -> Bool) -> Self {
        var rest = self
        while let last = rest.last, isSuch(last) { rest.removeLast() }
        return rest
    }
}
