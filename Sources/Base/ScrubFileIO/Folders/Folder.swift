internal import Glibc
package import ScrubBase
internal import SystemPackage

/// Folders that are written into.
package enum Folder {
    /// Makes a folder if it is not there, and those above it, as `mkdir -p` does: the one rule for all that is written.
    ///
    /// - Parameters:
    ///   - isPrivate: whether only the owner may look into it.
    ///   - followsLinks: whether a link to a folder will do; not for a name that comes from a file.
    /// - Returns: whether it was not there.
    @discardableResult
    package static func make(
        _ path: String, isPrivate: Bool = false, followsLinks: Bool = true
    ) throws(ScrubError) -> Bool {
        guard !path.isEmpty else {
            throw ScrubError(.usage, "is not the name of a folder", file: path, advice: "give the folder a name")
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
        // Whether it could have been made is all the same then.
        if isKnown, facts.st_mode & S_IFMT == S_IFDIR { return false }
        throw ScrubError(
            system: reason, .inputOutput, doing: "the folder cannot be made", file: path)
    }

    /// Returns the folder that a file or folder is in; `nil` for a name alone, which is in the working directory.
    package static func folder(of path: String) -> String? {
        let name = path.utf8[...].dropLast { $0 == UInt8(ascii: "/") }
        guard let slash = name.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let above = name[..<slash].dropLast { $0 == UInt8(ascii: "/") }
        return above.isEmpty ? "/" : String(Substring(above))
    }

    /// Returns a path from the root; links are not followed.
    package static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/") else { return path }
        guard let working = unsafe getcwd(nil, 0) else { return "/" + path }
        defer { unsafe free(working) }
        return unsafe String(systemName: working) + "/" + path
    }
}

extension BidirectionalCollection where SubSequence == Self {
    /// Returns the collection without the elements at its end that are such.
    fileprivate func dropLast(_ isSuch: (Element) -> Bool) -> Self {
        var rest = self
        while let last = rest.last, isSuch(last) { rest.removeLast() }
        return rest
    }
}
