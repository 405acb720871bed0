internal import Glibc
internal import ScrubBase

/// The marks of outputs on file systems without extended attributes, such as those of memory cards. They are stored as
/// lines in a text file of the user, `$XDG_STATE_HOME/scrub/outputs` or `~/.local/state/scrub/outputs`, one for each
/// mark and path.
///
/// The file can be deleted at any time. The outputs then count as files of other programs. The file is at most 1 MiB in
/// size.
///
/// Thread safety: safe from any thread, and for several processes.
enum OutputRegistry {
    private static let byteLimit = 1 << 20

    private static var path: String? {
        let environment = { (name: String) -> String? in
            unsafe getenv(name).map { unsafe String(systemName: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        if let home = environment("XDG_STATE_HOME") { return home + "/scrub/outputs" }
        return environment("HOME").flatMap { $0 == "/" ? nil : $0 + "/.local/state/scrub/outputs" }
    }

    /// Returns a mark's line for a path; `nil` if a line cannot contain the path or its folder does not exist.
    private static func line(_ mark: String, _ target: String) -> String? {
        guard let folder = Folder.resolved(Folder.folder(of: target) ?? "."),
            !target.utf8.contains(UInt8(ascii: "\n")), !folder.utf8.contains(UInt8(ascii: "\n"))
        else { return nil }
        return mark + " " + folder + "/" + target.lastPathComponent
    }

    /// Adds the mark of a path. If the file cannot be written, only the mark is lost.
    static func add(_ mark: String, of target: String) {
        guard let path, let line = line(mark, target), let folder = Folder.folder(of: path),
            (try? Folder.make(folder, isPrivate: true)) != nil
        else { return }
        let lines = lines
        if lines.reduce(0, { $0 + $1.utf8.count + 1 }) > byteLimit {
            let kept = lines.suffix(lines.count / 2).map { $0 + "\n" }.joined()
            try? AtomicFile.write(Array(kept.utf8), to: .kept(path), isPrivate: true)
        }
        try? LineLog(.kept(path)).append(line)
    }

    /// Returns whether the mark was added for a path.
    static func has(_ mark: String, of target: String) -> Bool {
        guard let line = line(mark, target) else { return false }
        return lines.contains(line)
    }

    /// The file's lines. Anything other than a regular file of this user counts as empty.
    private static var lines: [String] {
        guard let path, let folder = Folder.folder(of: path), CacheDirectory.distrust(of: folder) == nil,
            CacheDirectory.distrust(ofFile: path, in: folder) == nil,
            let bytes = try? Folder.contents(of: path, limit: byteLimit * 2)
        else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
