internal import ScrubFileIO
internal import ScrubHashing
internal import ScrubBase
internal import ScrubMedia
internal import ScrubThumbnails
internal import ScrubStoryboards

/// Results where media servers look for them.
///
/// The record is authoritative here too, with the same content as in a folder of results. Beside films, it is in
/// `.scrub/NAME.EXT` in the film's own folder, and not in the library's root. It therefore moves with the film's folder
/// and is on the same disk as the pictures, so that one rename moves them there. Runs over the folder above or below
/// also find it. Servers ignore names that begin with a dot. The folder also contains everything that no server looks
/// for, such as manifests.
///
/// Files are removed or replaced only if a record of this film names them with exactly their current bytes.
struct ServerStore: ResultStore {
    /// The folder of records if they are not beside films.
    let folder: String
    let places: ServerLocations

    init(folder: String, _ places: ServerLocations) { (self.folder, self.places) = (folder, places) }

    var isOneDisk: Bool { !places.isBeside }

    /// Returns the folder of the record.
    func home(of file: FoundFile) -> String {
        places.isBeside ? "\(shelf(of: file))/\(file.path.lastPathComponent)" : folder + "/" + file.place
    }

    /// Returns the parent of the record's folder, in which results are made.
    private func shelf(of file: FoundFile) -> String {
        places.isBeside
            ? (Folder.folder(of: file.path) ?? ".") + "/" + ServerLocations.folderName
            : Folder.folder(of: folder + "/" + file.place) ?? "."
    }

    func workFolder(of file: FoundFile, key: String) -> String {
        "\(shelf(of: file))/\(BatchOutputNames.workName(file.place, of: key))"
    }

    func record(of file: FoundFile) -> BatchRecord? { BatchRecord.read(in: home(of: file)) }

    func holds(_ record: BatchRecord, of file: FoundFile, byHash: Bool) throws(ScrubError) -> Bool {
        let film = ServedFilm(places, file)
        // A place that was left to another program may be free by now, or may now have to be replaced.
        for name in record.left ?? [] {
            guard !places.replaces, let unit = film.unit(of: name) ?? film.unit(of: name + "/0.jpg"),
                FileFacts(path: unit.target, followsLinks: false) != nil
            else { return false }
        }
        let home = home(of: file)
        return record.files.allSatisfy { named in
            let path =
                film.unit(of: named.name).map { $0.target + named.name.dropFirst($0.name.count) }
                ?? home + "/" + named.name
            guard Folder.byteCount(of: path) == named.bytes else { return false }
            return !byHash || (try? ServerStore.hash(path)) == named.hash
        }
    }

    static func hash(_ path: String) throws(ScrubError) -> String {
        PlainText.hexadecimal(xxh3(try Folder.contents(of: path, limit: Int.max)))
    }

    /// Returns the record's mark, and a line for each place: whether it is the result's own or left to another program,
    /// its mark, and the place.
    func mark(of record: BatchRecord, of file: FoundFile) -> String? {
        guard let own = BatchOutputNames.mark(home(of: file)) else { return nil }
        let film = ServedFilm(places, file)
        let left = (record.left ?? []).compactMap { film.unit(of: $0) ?? film.unit(of: $0 + "/0.jpg") }
        return ([own] + film.units(of: record).map { line("=", $0) } + left.map { line("-", $0) })
            .joined(separator: "\n")
    }

    func isCurrent(_ mark: String?, of file: FoundFile) -> Bool {
        guard let lines = mark?.split(separator: "\n", omittingEmptySubsequences: false), let own = lines.first,
            own == (BatchOutputNames.mark(home(of: file)) ?? "")
        else { return false }
        let folder = Folder.folder(of: file.path) ?? "."
        return lines.dropFirst().allSatisfy { line in
            let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, parts[0] == "=" || !places.replaces else { return false }
            let place = ServerStore.unescaped(parts[2])
            let target = place.utf8.first == UInt8(ascii: "/") ? place : folder + "/" + place
            return ServerStore.mark(target) == parts[1]
        }
    }

    private func line(_ kind: String, _ unit: ServedFilm.Unit) -> String {
        "\(kind) \(ServerStore.mark(unit.target)) \(ServerStore.escaped(unit.place))"
    }

    private static func mark(_ path: String) -> String {
        FileFacts(path: path, followsLinks: false).map { "\($0.inode)-\($0.modified)-\($0.byteCount)" } ?? "none"
    }

    private static func escaped(_ text: String) -> String {
        text.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\\\")
            .split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\\n")
    }

    private static func unescaped(_ text: Substring) -> String {
        var (plain, isEscaped) = ("", false)
        for character in text.unicodeScalars {
            if isEscaped {
                plain.unicodeScalars.append(character == "n" ? "\n" : character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else {
                plain.unicodeScalars.append(character)
            }
        }
        return plain
    }

    func obstacle(to asset: VideoAsset, of file: FoundFile) throws(ScrubError) -> ResultObstacle? {
        let above = Folder.folder(of: file.path) ?? "."
        if places.isBeside, !Folder.isWritable(above) {
            throw ScrubError(
                .inputOutput, "the film's folder is not writable", file: file.path,
                advice: "make the folder writable, or omit --beside and specify a folder for the results with --to")
        }
        guard !places.replaces, places.sets.profiles.allSatisfy({ [.jellyfin, .plex].contains($0) }) else { return nil }
        let film = ServedFilm(places, file)
        let owned = OwnedFiles(self, film)
        let units = try expected(film, asset)
        guard !units.isEmpty, units.allSatisfy({ owned.state(of: $0, new: [:]) == .strange }) else { return nil }
        return ResultObstacle(
            reason: ServerStore.reason(units),
            mark: ([BatchOutputNames.mark(home(of: file)) ?? ""] + units.map { line("-", $0) }).joined(separator: "\n"))
    }

    static func reason(_ units: [ServedFilm.Unit]) -> String {
        "pictures from another program already exist and were left unchanged: \(units.map(\.target).joined(separator: ", ")) (--replace overwrites them)"
    }

    /// Returns the expected files and their places, as far as they are known before anything is made.
    private func expected(_ film: ServedFilm, _ asset: VideoAsset) throws(ScrubError) -> [ServedFilm.Unit] {
        var names: [String] = []
        if places.sets.profiles.contains(.jellyfin), places.isBeside {
            names.append("jellyfin/\(film.base).trickplay/\(try asset.trickplayWidth()) - 10x10/0.jpg")
        }
        if places.sets.profiles.contains(.plex) {
            if places.plexMedia != nil { names.append("plex/" + ServerLocations.plexFile) }
            if places.isBeside, case .every(let interval) = places.sets.request.positions, interval.denominator == 1 {
                names.append(
                    "plex/" + Storyboard.BIF.embyName(base: film.base, width: 320, interval: Int(interval.numerator)))
            }
        }
        return names.compactMap(film.unit)
    }

    func sweep(_ files: [FoundFile], _ locks: LockTable, now: Int64) {
        // Runs over a folder above or below use other locks.
        let own = places.isBeside ? Set(files.map { BatchOutputNames.lock($0.place) }) : nil
        for shelf in Set(files.map(shelf)) { BatchOutputNames.sweep(shelf, locks, now: now, own: own) }
    }
}
