internal import Glibc
package import ScrubBase
internal import SystemPackage

/// Folders that are written into.
package enum Folder {
    /// Makes a folder if it is not there, but not those above it: a typing error there is to be noticed.
    ///
    /// - Parameters:
    ///   - isPrivate: whether nobody but the owner may look into it.
    ///   - followsLinks: whether a link to a folder will do; not for a name that comes from a file.
    /// - Returns: whether it was not there.
    @discardableResult
    package static func make(
        _ path: String, isPrivate: Bool = false, followsLinks: Bool = true
    ) throws(ScrubError) -> Bool {
        guard mkdir(path, isPrivate ? 0o700 : 0o777) != 0 else { return true }
        let reason = Errno(rawValue: errno)
        var facts = stat()
        let isKnown = followsLinks ? stat(path, &facts) == 0 : lstat(path, &facts) == 0
        if reason == .fileExists, isKnown, facts.st_mode & S_IFMT == S_IFDIR { return false }
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
}
