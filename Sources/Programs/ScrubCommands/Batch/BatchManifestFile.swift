#if CommandLine
internal import ScrubBatchLogic
internal import ScrubFileIO
internal import Foundation
internal import ScrubLibAV
internal import Scrub
internal import ScrubBase
internal import ScrubBatch

/// A list of films that was named in a root's place.
enum BatchManifestFile {
    /// Whether a file is a list: neither a container nor a picture that libavformat knows, and not a film by its name.
    /// The list's reader tells about other files.
    static func isList(_ path: String) throws(ScrubError) -> Bool {
        if MediaWalk.promisesFilm(path) { return false }
        let file = try FileSource(path: path)
        let head = try file.read(at: 0, count: Int(min(Int64(ContainerProbe.byteCount), file.byteCount)))
        return ContainerProbe.container(of: head) == nil && !ContainerProbe.isPicture(head)
    }

    /// Returns the films of a list.
    ///
    /// - Parameter shard: whose part is wanted; `nil` for all. The list alone decides, so all machines that have it
    ///   come to the same.
    /// - Returns: those that are there, and those that are not, which standard error lists.
    /// - Throws: `noInput` when none is there: then it is the disk that is missing, and no film.
    static func films(of path: String, _ shard: Shard?) throws(ScrubError) -> (there: [FoundFile], absent: [FoundFile])
    {
        let manifest: BatchManifest
        do throws(ScrubError) {
            manifest = try BatchManifest(try Folder.contents(of: path, limit: 4 << 30))
        } catch {
            throw error.inFile(path)
        }
        let folder = Folder.folder(of: path)
        var absent: [FoundFile] = []
        var films: [FoundFile] = []
        for entry in manifest.entries(of: shard) {
            let name = self.path(entry, in: folder)
            guard let facts = FileFacts(path: name), facts.kind == .file else {
                absent.append(FoundFile(path: name, place: entry.place, facts: .ofNothing))
                continue
            }
            var film = FoundFile(path: name, place: entry.place, facts: facts)
            // The facts of another file of that name do not apply to this one.
            if entry.byteCount == nil || entry.byteCount == facts.byteCount {
                film.promised = FoundFile.Promise(key: entry.key, seconds: entry.cost)
            }
            films.append(film)
        }
        guard let first = absent.first else { return (films, []) }
        // A shard may have but a few, and these be gone; the disk is there when any other film of the list is.
        let isAnyThere =
            !films.isEmpty
            || shard != nil
                && manifest.entries.contains { FileFacts(path: self.path($0, in: folder))?.kind == .file }
        guard isAnyThere else {
            throw ScrubError(
                .noInput,
                "none of \(Amount.of(manifest.entries.count, "film")) of the list is there, such as \(first.path)",
                file: path,
                advice:
                    "see whether the disk with the films is mounted, and where the list's relative paths begin: in its own folder"
            )
        }
        Terminal.complain(
            "\(path): \(Amount.of(absent.count, "film")) of the list \(absent.count == 1 ? "is" : "are") not there")
        return (films, absent)
    }

    /// Returns the path of a film that a list in a folder names.
    private static func path(_ entry: BatchManifest.Entry, in folder: String?) -> String {
        entry.isAbsolute ? entry.file : (folder.map { $0 + "/" } ?? "") + entry.file
    }
}

extension BatchSources {
    /// Returns the part of the films that is this run's; `nil` for all.
    static func shard(_ word: String?) throws(ScrubError) -> Shard? {
        try Shard.choice(word: word, environment: ProcessInfo.processInfo.environment)
    }
}
#endif
