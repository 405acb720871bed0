internal import Glibc
package import ScrubBase
internal import SystemPackage

/// Folders that are written into.
package enum Folder {
    /// Makes a folder if it is not there, but not those above it: a typing error there is to be noticed.
    ///
    /// - Parameter isPrivate: whether nobody but the owner may look into it.
    package static func make(_ path: String, isPrivate: Bool = false) throws(ScrubError) {
        guard mkdir(path, isPrivate ? 0o700 : 0o777) != 0 else { return }
        let reason = Errno(rawValue: errno)
        var facts = stat()
        if reason == .fileExists, stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR { return }
        throw ScrubError(
            .inputOutput, "the folder cannot be made: \(reason.description)", file: path,
            advice: reason == .noSuchFileOrDirectory ? "make the one above it first" : nil)
    }

    /// A path from the root; links are not followed.
    package static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/") else { return path }
        guard let working = getcwd(nil, 0) else { return "/" + path }
        defer { free(working) }
        return String(cString: working) + "/" + path
    }

    /// Removes a file, and the folders that this leaves empty below another one. What cannot be removed stays.
    ///
    /// - Parameters:
    ///   - path: the file; nothing happens when it is not there or is none.
    ///   - root: the folder that stays, with a `/` at its end.
    package static func removeFile(_ path: String, emptiedBelow root: String) {
        guard unlink(path) == 0 else { return }
        var folder = path[...]
        while let slash = folder.lastIndex(of: "/"), folder[..<slash].utf8.count > root.utf8.count {
            folder = folder[..<slash]
            guard rmdir(String(folder)) == 0 else { return }
        }
    }
}
