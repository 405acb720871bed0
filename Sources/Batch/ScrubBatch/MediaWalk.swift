package import ScrubFileIO
internal import ScrubBase

/// A file that a walk found and that has not been opened yet.
package struct FoundFile: Hashable, Sendable {
    /// The path to open.
    package let path: String
    /// The folder of its results, below the folder of all results: the file's own path below its root.
    package let place: String
    package let facts: FileFacts
    /// The manifest's facts about it.
    package var promised: Promise?

    package init(path: String, place: String, facts: FileFacts, promised: Promise? = nil) {
        (self.path, self.place, self.facts, self.promised) = (path, place, facts, promised)
    }

    /// The facts of a file that are known before it is opened, because it was opened before.
    package struct Promise: Hashable, Sendable {
        package var key: String?
        /// The predicted seconds on one processor.
        package var seconds: Double?

        package init(key: String?, seconds: Double?) { (self.key, self.seconds) = (key, seconds) }
    }
}

/// Finds files below folders.
///
/// Names that begin with a dot are skipped, as are folders of pictures that servers keep beside films
/// (`NAME.trickplay`) and the results themselves. A link to a file counts as a file; links to folders are not followed,
/// and no folder is walked twice. Use from one thread. Memory: the files of one folder, and the inode numbers of all
/// folders.
package struct MediaWalk {
    /// Folders to skip, by device and inode number.
    private var visited: Set<[UInt64]> = []
    private let leftOut: Set<[UInt64]>
    /// The folders and files that could not be read.
    private(set) var problems: [ScrubError] = []

    /// - Parameter leftOut: folders to skip, such as the folder of results.
    init(leavingOut leftOut: [String]) {
        self.leftOut = Set(leftOut.compactMap { FileFacts(path: $0).map { [$0.device, $0.inode] } })
    }

    /// Walks a folder.
    ///
    /// - Parameters:
    ///   - prefix: the prefix of places, empty or with a trailing slash.
    ///   - visit: receives each file, folder by folder, in byte order of the names; false ends the walk.
    mutating func walk(
        _ root: String, prefix: String, visit: (FoundFile) throws(ScrubError) -> Bool
    ) throws(ScrubError) {
        var stack = [(root, prefix)]
        while let (folder, prefix) = stack.popLast() {
            guard let facts = FileFacts(path: folder), facts.kind == .folder else {
                guard folder != root else {
                    throw ScrubError(
                        .noInput, "does not exist or is not a folder", file: root, advice: "specify a folder of films")
                }
                continue
            }
            let number = [facts.device, facts.inode]
            if leftOut.contains(number) {
                guard folder == root else { continue }
                throw ScrubError(
                    .usage, "contains the films, but is also the folder for the results", file: root,
                    advice: "use a separate folder for the results with --to, such as one next to or inside this one")
            }
            guard visited.insert(number).inserted else { continue }
            let names: [String]
            do throws(ScrubError) { names = try Folder.sortedNames(in: folder) } catch {
                // The root itself must exist: an empty mount point is not an empty library.
                guard folder != root else { throw error }
                problems.append(error)
                continue
            }
            var below: [(String, String)] = []
            for name in names where !MediaWalk.isPassedOver(name) {
                let path = MediaWalk.path(of: name, in: folder)
                guard var facts = FileFacts(path: path, followsLinks: false) else { continue }
                if facts.kind == .link {
                    guard let target = FileFacts(path: path), target.kind == .file else { continue }
                    facts = target
                }
                switch facts.kind {
                case .file: guard try visit(FoundFile(path: path, place: prefix + name, facts: facts)) else { return }
                case .folder where !MediaWalk.isPassedOver(folder: name): below.append((path, prefix + name + "/"))
                default: break
                }
            }
            stack += below.reversed()
        }
    }

    /// Whether files with this name are skipped.
    static func isPassedOver(_ name: String) -> Bool { name.utf8.first == UInt8(ascii: ".") }

    /// Whether folders with this name are skipped.
    static func isPassedOver(folder name: String) -> Bool { isPassedOver(name) || name.hasSuffix(".trickplay") }

    static func path(of name: String, in folder: String) -> String { folder == "/" ? "/" + name : folder + "/" + name }

    /// Suffixes of films. A file with one of these that is not a film is reported as broken; other files are skipped.
    private static let suffixes: Set<String> = [
        "mp4", "m4v", "mov", "qt", "mkv", "webm", "mk3d", "avi", "divx", "flv", "f4v", "ts", "m2ts", "mts", "mpg",
        "mpeg", "m2v",
        "vob", "wmv", "asf", "rm", "rmvb", "ogv", "ogm", "mxf", "3gp", "3g2", "dv", "y4m", "ivf", "h264", "264", "avc",
        "h265",
        "265", "hevc", "obu", "av1", "nut", "gxf", "wtv", "nsv", "ismv",
    ]

    /// Whether a name has a film's suffix.
    package static func promisesFilm(_ name: String) -> Bool {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return false }
        return suffixes.contains(String(Substring(name.utf8[name.utf8.index(after: dot)...])).lowercased())
    }
}
