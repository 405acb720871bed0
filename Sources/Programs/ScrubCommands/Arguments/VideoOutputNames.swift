#if CommandLine
internal import Scrub
internal import ScrubBase

/// The output names of several films in one folder. Each is named after its film, and all names differ.
///
/// A name is the film's name without its suffix. If two films differ only in the suffix, it is included. If films in
/// different folders have the same name, a number is appended in the order of the films. Names are compared without
/// case, because some file systems ignore it.
struct VideoOutputNames {
    /// A name for each film, in order.
    let names: [String]
    private var place = 0

    init(_ files: [MediaName]) {
        let whole = files.map { VideoOutputNames.fileName($0.shown.mediumName) }
        let short = whole.map { VideoOutputNames.fileName(VideoOutputNames.withoutSuffix($0)) }
        let counts = Dictionary(short.map { ($0.lowercased(), 1) }, uniquingKeysWith: +)
        let wanted = zip(whole, short).map { counts[$1.lowercased()] == 1 ? $1 : $0 }
        // A name with a number must not be the name of another film.
        var (taken, names) = (Set(wanted.map { $0.lowercased() }), [String]())
        var first: Set<String> = []
        for name in wanted {
            guard !first.insert(name.lowercased()).inserted else {
                names.append(name)
                continue
            }
            var number = 2
            while !taken.insert("\(name)-\(number)".lowercased()).inserted { number += 1 }
            names.append("\(name)-\(number)")
        }
        self.names = names
    }

    /// Returns the path of the next film's output: the given path for a single film, or a path in that folder for one
    /// of several; `nil` without an output.
    mutating func next(in output: String?) -> String? {
        defer { place += 1 }
        guard names.count > 1, let output else { return output }
        return path(place, in: output)
    }

    /// Returns the path of the next film's output in a folder, even for a single film.
    mutating func nextName(in folder: String) -> String {
        defer { place += 1 }
        return path(place, in: folder)
    }

    private func path(_ place: Int, in folder: String) -> String {
        folder + (folder.utf8.last == UInt8(ascii: "/") ? "" : "/") + names[place]
    }

    private static func withoutSuffix(_ name: String) -> String {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.utf8.startIndex else { return name }
        return String(name[..<dot])
    }

    /// An output must not be the folder itself or its parent.
    private static func fileName(_ name: String) -> String { ["", ".", ".."].contains(name) ? "film" : name }
}
#endif
