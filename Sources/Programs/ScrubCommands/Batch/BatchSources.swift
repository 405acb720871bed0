#if CommandLine
internal import ScrubBatchLogic
internal import ScrubFileIO
internal import Glibc
internal import Scrub
internal import ScrubBase
internal import ScrubBatch

/// The folders, films and lists that were named.
struct BatchSources {
    let found: [BatchSource]

    /// - Throws: `noInput` for a name that does not exist, `usage` for folders whose results would conflict.
    init(_ names: [String], _ shard: Shard? = nil) throws(ScrubError) {
        var sources: [BatchSource] = []
        var prefixes: Set<String> = []
        for name in names {
            guard let facts = FileFacts(path: name) else {
                throw ScrubError(
                    .noInput, "does not exist", file: name, advice: "specify a folder, a film, or a list of films")
            }
            InputFileRegistry.note(path: name)
            switch facts.kind {
            case .folder:
                var prefix = ""
                if names.count > 1 {
                    // Results of several folders are kept separate.
                    let last = (Folder.resolved(name) ?? name).pathComponents.last ?? "root"
                    prefix = last + "/"
                    guard prefixes.insert(prefix).inserted else {
                        throw ScrubError(
                            .usage,
                            "two of the folders are named \(last), so their results would go to the same folder",
                            file: name,
                            advice: "specify their parent folder, or run each folder with a separate --to")
                    }
                }
                sources.append(.folder(name, prefix: prefix))
            default: sources += try BatchSources.files(name, facts, shard)
            }
        }
        found = sources
    }

    /// Checks that results and films do not conflict.
    ///
    /// - Throws: `usage` if the results of a folder would be in the same folder.
    static func check(_ found: [BatchSource], apartFrom folder: String) throws(ScrubError) {
        for case .folder(let path, let prefix) in found {
            let results = prefix.isEmpty ? folder : folder + "/" + prefix.dropLast()
            guard let place = Folder.resolved(results), place == Folder.resolved(path) else { continue }
            throw ScrubError(
                .usage,
                "its results would be written into the same folder, and each would have the same path as its film",
                file: path,
                advice: "specify a different folder for the results with --to, such as one next to it")
        }
    }

    /// Returns a film, or the films of a list.
    private static func files(
        _ name: String, _ facts: FileFacts, _ shard: Shard?
    ) throws(ScrubError) -> [BatchSource] {
        guard facts.kind == .file, try BatchManifestFile.isList(name) else {
            let place = name.lastPathComponent
            if let shard, ShardAssignment.shard(ofKey: place, count: shard.count) != shard.index { return [] }
            return [.files([FoundFile(path: name, place: place, facts: facts)])]
        }
        let (there, absent) = try BatchManifestFile.films(of: name, shard)
        return [.files(there), .absent(absent)]
    }
}
#endif
