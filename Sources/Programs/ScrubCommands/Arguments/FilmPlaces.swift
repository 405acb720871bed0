#if CommandLine
internal import Scrub
internal import ScrubBase

/// The places of several films' outputs in one folder: each has its film's name, and no two have the same.
///
/// A name is the film's without its suffix; with it where two films differ in that alone; with a number behind it, in
/// the order of the films, where both have the very same name in different folders. Capital letters make no difference,
/// as on some file systems.
struct FilmPlaces {
    /// A name for each film, in their order.
    let names: [String]
    private var place = 0

    init(_ files: [MediaName]) {
        let whole = files.map { FilmPlaces.fileName($0.shown.mediumName) }
        let short = whole.map { FilmPlaces.fileName(FilmPlaces.withoutSuffix($0)) }
        let counts = Dictionary(short.map { ($0.lowercased(), 1) }, uniquingKeysWith: +)
        let wanted = zip(whole, short).map { counts[$1.lowercased()] == 1 ? $1 : $0 }
        // A number that is added must not make another film's name.
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

    /// Returns the place of the next film's output: what was said for a single film, and its name in that folder for
    /// one of several; `nil` without an output.
    mutating func next(in output: String?) -> String? {
        defer { place += 1 }
        guard names.count > 1, let output else { return output }
        return path(place, in: output)
    }

    /// Returns the next film's name in a folder, also if it is the only film.
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

    /// No output may be the folder itself, or the one above.
    private static func fileName(_ name: String) -> String { ["", ".", ".."].contains(name) ? "film" : name }
}
#endif
