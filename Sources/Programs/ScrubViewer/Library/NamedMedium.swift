#if Viewer
internal import ScrubFileIO
internal import ScrubHashing
internal import Scrub
internal import ScrubBase
internal import ScrubIndex

/// A name that was given when the server started. Requests may only be for these names.
struct NamedMedium: Sendable {
    /// The kind of the medium's location.
    enum Place: Sendable {
        /// A file or an address, as typed.
        case named(String)
        /// A file below a folder, by its path from there; no link on the way is followed.
        case below(ConfinedFolder, String)
    }

    /// The name in requests. It does not reveal where the medium is, and stays the same across runs.
    let id: String
    /// The name that people see: the file's own name.
    let name: String
    let place: Place

    private init(_ place: Place, key: String, name: String) {
        id = String(PlainText.hexadecimal(sha256(Array(("scrub viewer " + key).utf8)).prefix(8)))
        (self.place, self.name) = (place, SystemName.unicode(name))
    }

    /// Returns its bytes.
    ///
    /// - Throws: as for every file; names in errors do not include the server's folders.
    func source(_ options: VideoAsset.OpenOptions, _ network: NetworkOptions) throws(ScrubError) -> MediaSource {
        switch place {
        case .named(let name): try MediaSource(at: name, cache: options.cache, network: network)
        case .below(let folder, let name): MediaSource(try folder.open(name))
        }
    }

    /// Returns the named media, with folders replaced by the videos in them.
    ///
    /// - Throws: `noInput` for a folder that cannot be read or contains no videos; a missing file is not an error yet.
    static func list(_ names: [String]) throws(ScrubError) -> [NamedMedium] {
        var (found, known) = ([NamedMedium](), Set<String>())
        for name in names {
            for medium in try list(name) where known.insert(medium.id).inserted { found.append(medium) }
        }
        return found
    }

    private static func list(_ name: String) throws(ScrubError) -> [NamedMedium] {
        guard !name.isNetworkAddress else { return [NamedMedium(.named(name), key: name, name: name.mediumName)] }
        let path = Folder.resolved(name) ?? name
        guard let folder = try? ConfinedFolder(path: name) else {
            return [NamedMedium(.named(name), key: path, name: name.mediumName)]
        }
        let files = try Folder.files(in: name).filter(isVideo).prefix(mostFiles)
        guard !files.isEmpty else {
            throw ScrubError(
                .noInput, "contains no videos", file: name,
                advice: "if the videos have unusual suffixes, specify the files themselves")
        }
        return files.map { NamedMedium(.below(folder, $0), key: path + "/" + $0, name: $0) }
    }

    /// The maximum number of files from one folder.
    private static let mostFiles = 4096

    private static func isVideo(_ name: String) -> Bool {
        guard let point = name.lastIndex(of: "."), name.lastPathComponent.first != "." else { return false }
        return suffixes.contains(name[name.index(after: point)...].lowercased())
    }

    /// The suffixes of videos' names, for whole folders.
    private static let suffixes: Set<String> = [
        "3g2", "3gp", "asf", "avi", "dv", "f4v", "flv", "gif", "h264", "hevc", "ivf", "m2t", "m2ts", "m2v", "m4v",
        "mj2", "mjpeg",
        "mkv", "mov", "mp4", "mpeg", "mpg", "mts", "mxf", "nut", "obu", "ogm", "ogv", "rm", "rmvb", "ts", "vob", "webm",
        "wmv",
        "y4m",
    ]
}
#endif
