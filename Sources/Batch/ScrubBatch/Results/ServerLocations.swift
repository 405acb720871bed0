internal import ScrubFileIO
package import ScrubBase
package import ScrubThumbnails

/// Results where media servers themselves look for them: beside the films, and in Plex's own folder.
package struct ServerLocations: Hashable, Sendable {
    /// Whether sets are beside the films (Jellyfin's folder, Emby's BIF file), with their records in a `.scrub` folder
    /// there.
    package var isBeside: Bool
    /// The absolute path of Plex's `Media` folder; `nil` without Plex.
    package var plexMedia: String?
    /// Whether other programs' pictures are replaced.
    package var replaces = false
    /// The thumbnail sets of each film.
    package var sets: ThumbnailSets.Options

    /// - Throws: `usage` if no requested result has such a place, `noInput` if Plex's folder is not a folder.
    package init(isBeside: Bool, plexMedia: String?, sets: ThumbnailSets.Options) throws(ScrubError) {
        (self.isBeside, self.sets) = (isBeside, sets)
        self.plexMedia = plexMedia.map(Folder.absolute)
        let wanted: [ThumbnailSets.Profile] = isBeside ? [.jellyfin, .plex] : [.plex]
        guard sets.profiles.contains(where: wanted.contains) else {
            throw ScrubError(
                .usage, "none of the profiles has a standard location that a media server reads",
                advice: isBeside
                    ? "use --profile jellyfin or plex (Emby reads the same BIF file), or omit --beside"
                    : "use --profile plex with --plex-media")
        }
        if let plexMedia, FileFacts(path: plexMedia + "/localhost")?.kind != .folder {
            throw ScrubError(
                .noInput, "is not Plex's Media folder: it has no subfolder 'localhost'", file: plexMedia,
                advice: "specify the Media folder in the server's data folder, '.../Plex Media Server/Media'")
        }
    }

    /// The name of the folder beside films that keeps their records.
    package static let folderName = ".scrub"

    /// The places, which together with the work determine the results' bytes and names.
    var name: String { "servers\(isBeside ? " beside" : "")\(plexMedia == nil ? "" : " plex")" }

    /// Returns the work without the parts that no server looks for.
    package func fitting(_ work: BatchWork) -> BatchWork {
        var fitted = work
        fitted.name += " " + name
        fitted.keeps = { [isBeside, isInPlex = plexMedia != nil] name in
            guard name.hasPrefix("plex/"), name.hasSuffix(".bif") else { return true }
            return name == "plex/" + ServerLocations.plexFile ? isInPlex : isBeside
        }
        return fitted
    }

    static let plexFile = "index-sd.bif"
}

/// The facts about a film that determine the places of its pictures.
struct ServedFilm {
    let places: ServerLocations
    let file: FoundFile
    /// The folder that it is in, and its name without its suffix.
    let (folder, base): (String, String)
    /// Plex's folder for the film; `nil` if Plex was not requested, or the film cannot be read.
    let plexFolder: String?

    init(_ places: ServerLocations, _ file: FoundFile) {
        (self.places, self.file) = (places, file)
        folder = Folder.folder(of: file.path) ?? "."
        base = file.path.mediumBaseName
        plexFolder = places.plexMedia.flatMap { media in
            (try? PlexLocation.hash(ofFile: file.path)).map { media + "/" + PlexLocation.folder(hash: $0) }
        }
    }

    /// A folder of sheets, or a file, that is moved as a whole to a place other than beside the record.
    struct Unit: Hashable {
        /// Its name below the folder in which results are made.
        let name: String
        let target: String
        /// The target as in marks: relative to the film's folder, or absolute.
        let place: String
    }

    /// Returns the unit that a file of a result belongs to; `nil` for one that stays with its record.
    ///
    /// No name in a record leads to another film's pictures.
    func unit(of name: String) -> Unit? {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else { return nil }
        if parts.count == 4, parts[0] == "jellyfin", places.isBeside {
            guard parts[1] == base + ".trickplay" else { return nil }
            return beside("\(parts[1])/\(parts[2])", in: "jellyfin")
        }
        guard parts.count == 2, parts[0] == "plex" else { return nil }
        if parts[1] == ServerLocations.plexFile {
            return plexFolder.map { folder in
                let target = folder + "/" + ServerLocations.plexFile
                return Unit(name: name, target: target, place: target)
            }
        }
        guard places.isBeside, isEmbyName(parts[1]) else { return nil }
        return beside(String(parts[1]), in: "plex")
    }

    private func beside(_ place: String, in profile: String) -> Unit {
        Unit(name: profile + "/" + place, target: folder + "/" + place, place: place)
    }

    /// `NAME-WIDTH-SECONDS.bif`
    private func isEmbyName(_ name: Substring) -> Bool {
        guard name.hasPrefix(base + "-"), name.hasSuffix(".bif") else { return false }
        let numbers = name.dropFirst(base.count + 1).dropLast(4).split(
            separator: "-", omittingEmptySubsequences: false)
        return numbers.count == 2 && numbers.allSatisfy { !$0.isEmpty && $0.allSatisfy(\.isNumber) }
    }

    /// Returns the units of a record's files, each once.
    func units(of record: BatchRecord) -> [Unit] {
        var found: [Unit] = []
        for file in record.files {
            if let unit = unit(of: file.name), !found.contains(unit) { found.append(unit) }
        }
        return found
    }

    /// Returns the unit that a mark names by its place.
    func target(ofPlace place: String) -> String {
        place.utf8.first == UInt8(ascii: "/") ? place : folder + "/" + place
    }
}
