internal import CScrubSparseFiles
internal import ScrubFileIO
internal import Glibc
internal import ScrubBase

/// The folder of the catalogue and the data files, with their naming scheme.
///
/// `media-1/catalogue.sqlite`, `media-1/create.lock`, `media-1/opening.lock`, `media-1/data-EPOCH/AB/ID.GENERATION`. An
/// epoch is a catalogue's unique name, so the files of a lost catalogue are never mistaken for those of the next one,
/// which numbers its media again. Other names belong to other programs and are never touched.
struct MediaFolder: Sendable {
    /// The path, absolute or as the caller wrote it.
    let path: String

    static let name = CacheDirectory.mediaFolder

    var catalogue: String { path + "/catalogue.sqlite" }
    /// The new path of an unusable catalogue.
    var damagedCatalogue: String { path + "/catalogue.damaged" }
    var lock: String { path + "/create.lock" }
    /// The file whose bytes are locked while an address is being opened (``OpeningClaim``).
    var openings: String { path + "/opening.lock" }

    /// Creates the folder if necessary, and checks that it belongs to this user and is on this machine.
    init(cacheDirectory: String) throws(ScrubError) {
        path = cacheDirectory + "/" + Self.name
        // Another user with write access to it could replace the folder.
        if let distrust = CacheDirectory.distrust(of: cacheDirectory) { throw distrust }
        try Folder.make(path, isPrivate: true, followsLinks: false)
        let opened = try Folder.openPrivate(path)
        defer { close(opened) }
        guard scrub_is_remote(opened) != 1 else {
            throw ScrubError(
                .unavailable, "the media cache cannot be on a network file system", file: path,
                advice: "set SCRUB_CACHE_DIR to a folder on a local disk")
        }
        try checkFiles()
    }

    /// Rejects anything in the place of the catalogue's files that is not a regular file of this user. SQLite would
    /// wait for a named pipe, and follow a link.
    func checkFiles() throws(ScrubError) {
        for file in ["", "-wal", "-shm", "-journal"].map({ catalogue + $0 }) + [lock, openings] {
            if let distrust = CacheDirectory.distrust(ofFile: file, in: path) { throw distrust }
        }
    }

    func dataFolder(epoch: String) -> String { "\(path)/data-\(epoch)" }

    /// Returns the folder of a medium's files. There are 256 folders, so that none becomes large.
    func folder(epoch: String, id: Int64) -> String {
        dataFolder(epoch: epoch) + "/" + PlainText.hexadecimal([UInt8(truncatingIfNeeded: id)])
    }

    func data(epoch: String, id: Int64, generation: Int64) -> String {
        folder(epoch: epoch, id: id) + "/\(id).\(generation)"
    }

    /// Creates the folder of a medium's files.
    func makeFolder(epoch: String, id: Int64) throws(ScrubError) {
        try Folder.make(folder(epoch: epoch, id: id), isPrivate: true, followsLinks: false)
    }

    /// A data file that was found.
    struct DataFile {
        let path: String
        let epoch: String
        let id: Int64
        let generation: Int64
    }

    /// Returns whether a text is an epoch: 16 hexadecimal digits. An epoch from the catalogue becomes part of paths.
    static func isEpoch(_ text: String) -> Bool {
        text.utf8.count == 16 && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }

    /// The epochs with data.
    var epochs: [String] {
        Folder.list(path).compactMap { name in
            guard name.hasPrefix("data-") else { return nil }
            let epoch = String(name.dropFirst(5))
            return Self.isEpoch(epoch) ? epoch : nil
        }
    }

    /// Returns all data files of an epoch, ignoring other files.
    func dataFiles(epoch: String) -> [DataFile] {
        Folder.list(dataFolder(epoch: epoch)).flatMap { group -> [DataFile] in
            guard group.utf8.count == 2, UInt8(group, radix: 16) != nil else { return [] }
            let folder = dataFolder(epoch: epoch) + "/" + group
            return Folder.list(folder).compactMap { name in
                let numbers = name.split(separator: ".", omittingEmptySubsequences: false)
                guard numbers.count == 2, let id = Int64(numbers[0]), let generation = Int64(numbers[1]),
                    name == "\(id).\(generation)"
                else { return nil }
                return DataFile(path: folder + "/" + name, epoch: epoch, id: id, generation: generation)
            }
        }
    }

    /// Removes the empty folders of an epoch.
    func removeEmptyFolders(epoch: String) {
        for group in Folder.list(dataFolder(epoch: epoch)) where group.utf8.count == 2 {
            Folder.removeEmpty(dataFolder(epoch: epoch) + "/" + group)
        }
        Folder.removeEmpty(dataFolder(epoch: epoch))
    }
}
