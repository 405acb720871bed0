#if CommandLine
internal import ScrubBatchLogic
internal import ScrubFileIO
internal import Foundation
internal import ScrubLibAV
internal import Scrub
internal import ScrubBase
internal import ScrubBatch

/// A list of films that was given instead of a root.
enum BatchManifestFile {
    /// Whether a file is a list: not a container or picture that libavformat recognizes, and without a film's suffix.
    /// The list's reader reports other files.
    static func isList(_ path: String) throws(ScrubError) -> Bool {
        if MediaWalk.promisesFilm(path) { return false }
        let file = try FileSource(path: path)
        let head = try file.read(at: 0, count: Int(min(Int64(ContainerProbe.byteCount), file.byteCount)))
        return ContainerProbe.container(of: head) == nil && !ContainerProbe.isPicture(head)
    }

    /// Returns the films of a list.
    ///
    /// - Parameter shard: the shard whose films to return; `nil` for all. Only the list decides, so all machines that
    ///   have it get the same result.
    /// - Returns: the existing films, and the missing ones, which standard error lists.
    /// - Throws: `noInput` if none exists: in that case, the disk is missing and not the films.
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
            // The facts about another file with that name do not apply to this one.
            if entry.byteCount == nil || entry.byteCount == facts.byteCount {
                film.promised = FoundFile.Promise(key: entry.key, seconds: entry.cost)
            }
            films.append(film)
        }
        guard let first = absent.first else { return (films, []) }
        // A shard may have only a few films, all of them gone; the disk is there if any other film in the list is.
        let isAnyThere =
            !films.isEmpty
            || shard != nil
                && manifest.entries.contains { FileFacts(path: self.path($0, in: folder))?.kind == .file }
        guard isAnyThere else {
            throw ScrubError(
                .noInput,
                "none of the list's \(Amount.of(manifest.entries.count, "film")) can be found; one of them is \(first.path)",
                file: path,
                advice:
                    "check that the disk with the films is mounted; relative paths are resolved against the list's folder"
            )
        }
        Terminal.complain(
            "\(path): \(Amount.of(absent.count, "film")) from the list \(absent.count == 1 ? "is" : "are") missing")
        return (films, absent)
    }

    /// Returns the path of a film in a list that is in a folder.
    private static func path(_ entry: BatchManifest.Entry, in folder: String?) -> String {
        entry.isAbsolute ? entry.file : (folder.map { $0 + "/" } ?? "") + entry.file
    }
}

extension BatchSources {
    /// Returns this run's part of the films; `nil` for all.
    static func shard(_ word: String?) throws(ScrubError) -> Shard? {
        try Shard.choice(word: word, environment: ProcessInfo.processInfo.environment)
    }
}
#endif
