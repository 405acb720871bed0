internal import Glibc

extension ScrubError {
    /// What the caller can do about the failure: the ``advice`` if there is one; otherwise, the general remedy for
    /// failures of this kind. It is never empty.
    ///
    /// Like ``cause``, this is an English clause without a full stop.
    public var remedy: String { remedyWording.description }

    /// The ``remedy``, for any interface.
    package var remedyWording: Wording {
        if let adviceWording { return adviceWording }
        if case .errno(let number)? = systemError, let known = remedy(errno: number) { return known }
        return code.remedy
    }

    /// Returns the remedy for a system error; `nil` if the code's general remedy is the best one.
    private func remedy(errno number: Int32) -> Wording? {
        // Writing fails for different reasons than reading.
        let isRead = code == .noInput
        switch number {
        case ENOENT where isRead: return missingRemedy
        case ENOENT: return "check that the folders in its path exist"
        case ENOTDIR: return "part of the path before the last '/' is a file, not a folder: check the path"
        case EISDIR: return "specify a file inside it"
        case EEXIST: return "this name is already taken: choose another one"
        case ELOOP: return "the path contains a link that cannot be followed: specify the target file"
        case ENAMETOOLONG: return "use a shorter name"
        case EACCES, EPERM:
            return isRead
                ? "you do not have permission to read it: change its permissions, or ask the owner"
                : "you do not have permission to write there: choose another location, or change the permissions"
        case EROFS: return "choose a writable location"
        case ENOSPC, EDQUOT: return "free some space, or choose another location"
        case EMFILE, ENFILE: return "close some files, or raise the limit on open files (ulimit -n)"
        case ENOMEM: return "close other programs, or make this one use less memory"
        case EPIPE: return "keep the program that reads the output running until it has read everything"
        default: return nil
        }
    }

    /// The remedy for a missing file. Some of the names that people type are not file names.
    private var missingRemedy: Wording {
        guard let file else { return code.remedy }
        if file == "-" { return "standard input is not supported: save the video to a file first" }
        let scheme = file.prefix { $0 != ":" }
        if scheme.count < file.count, file.dropFirst(scheme.count).hasPrefix("://") {
            return scheme == "file"
                ? "write only the path, without file://"
                : "addresses must begin with http:// or https://; for any other address, download the file first"
        }
        return "check the name and the folder"
    }
}
