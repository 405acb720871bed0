internal import Glibc

extension ScrubError {
    /// The step that the caller can take, never empty: the ``advice``, or the remedy for all failures of this kind.
    ///
    /// One clause without a full stop, in English, as ``cause`` is.
    public var remedy: String { remedyWording.description }

    /// The ``remedy``, for each face.
    package var remedyWording: Wording {
        if let adviceWording { return adviceWording }
        if case .errno(let number)? = systemError, let known = remedy(errno: number) { return known }
        return code.remedy
    }

    /// Returns the remedy for a refusal by the system; `nil` if nothing better is known than for the code.
    private func remedy(errno number: Int32) -> Wording? {
        // Writing fails for other reasons than reading.
        let isRead = code == .noInput
        switch number {
        case ENOENT where isRead: return missingRemedy
        case ENOENT: return "check the folders in its name"
        case ENOTDIR: return "a part of the name before the last '/' is a file: check the name"
        case EISDIR: return "name a file in it"
        case EEXIST: return "something else has this name already: choose another one"
        case ELOOP: return "a link in the name leads back to itself: name the file that is meant"
        case ENAMETOOLONG: return "use a shorter name"
        case EACCES, EPERM:
            return isRead
                ? "you may not read it: change its permissions, or ask its owner"
                : "you may not write there: choose another place, or change its permissions"
        case EROFS: return "choose a place that can be written to"
        case ENOSPC, EDQUOT: return "free some space, or choose another place"
        case EMFILE, ENFILE: return "close some files, or raise how many may be open (ulimit -n)"
        case ENOMEM: return "close other programs, or lower the memory that this one may take"
        case EPIPE: return "let the program that reads it go on until everything is read"
        default: return nil
        }
    }

    /// The remedy for a missing file: some names that people type are not file names.
    private var missingRemedy: Wording {
        guard let file else { return code.remedy }
        if file == "-" { return "standard input is not read: save it to a file first" }
        let scheme = file.prefix { $0 != ":" }
        if scheme.count < file.count, file.dropFirst(scheme.count).hasPrefix("://") {
            return scheme == "file"
                ? "write the path alone, without file://"
                : "addresses begin with http:// or https://; fetch others first"
        }
        return "check the name and the folder"
    }
}
