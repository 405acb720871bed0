internal import Batching
internal import FileIO
internal import Foundation
internal import LibAV
internal import Scrub
internal import ScrubBase
internal import ScrubBatch

/// A list of films that was named in a root's place.
enum BatchManifestFile {
    /// Whether a file is a list: no container that libavformat knows, no film by its name, and no byte 0, which no list has.
    static func isList(_ path: String) throws(ScrubError) -> Bool {
        if MediaWalk.promisesFilm(path) { return false }
        let file = try FileSource(path: path)
        let head = try file.read(at: 0, count: Int(min(Int64(ContainerProbe.byteCount), file.byteCount)))
        return !head.contains(0) && ContainerProbe.container(of: head) == nil
    }

    /// The films of a list. Those that are not there any more are left out, with a word.
    ///
    /// - Parameter shard: whose part is wanted; `nil` for all. The list alone decides, so all machines that have it come to the same.
    static func films(of path: String, _ shard: Shard?) throws(ScrubError) -> [FoundFile] {
        let manifest: BatchManifest
        do throws(ScrubError) {
            manifest = try BatchManifest(try Folder.contents(of: path, limit: 4 << 30))
        } catch {
            throw error.inFile(path)
        }
        let folder = Folder.folder(of: path)
        var missing = 0
        var films: [FoundFile] = []
        for entry in manifest.entries(of: shard) {
            let name =
                entry.file.utf8.first == UInt8(ascii: "/") ? entry.file : (folder.map { $0 + "/" } ?? "") + entry.file
            guard let facts = FileFacts(path: name), facts.kind == .file else {
                missing += 1
                continue
            }
            var film = FoundFile(path: name, place: entry.place, facts: facts)
            // What was said of another file of that name is no word about this one.
            if entry.byteCount == nil || entry.byteCount == facts.byteCount {
                film.promised = FoundFile.Promise(key: entry.key, seconds: entry.cost)
            }
            films.append(film)
        }
        if missing > 0 { Terminal.say("\(path): \(Amount.of(missing, "film")) of the list cannot be found") }
        return films
    }
}

extension BatchSources {
    /// Which part of the films is this run's; `nil` for all.
    static func shard(_ word: String?) throws(ScrubError) -> Shard? {
        try Shard.choice(word: word, environment: ProcessInfo.processInfo.environment)
    }
}
