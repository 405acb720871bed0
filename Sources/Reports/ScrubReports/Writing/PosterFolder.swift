internal import ScrubBase
internal import ScrubFileIO

/// A folder of posters with `posters.json`, which has their facts and determines which files are replaced.
struct PosterFolder {
    private let output: OutputFolder
    private static let listName = "posters.json"
    private static let explanationNames = ["explanation.svg", "explanation.json"]

    /// The files in an earlier run's list, limited to names that this command uses.
    private let earlier: [String]

    /// - Throws: `unavailable` if another run is writing to it.
    init(path: String, replacesFiles: Bool, waits: Bool) throws(ScrubError) {
        output = try OutputFolder(path: path, replacesFiles: replacesFiles, waits: waits)
        guard let bytes = try? Folder.contents(of: path + "/" + PosterFolder.listName, limit: 16 << 20),
            bytes.starts(with: #"{"file":"#.utf8)
        else {
            earlier = []
            return
        }
        let list = String(decoding: bytes, as: UTF8.self)
        let posters = list.matches(of: /"file":"[^"]*?(poster-\d+-frame-\d+\.(?:jpg|png|webp|avif))"/).map {
            String($0.output.1)
        }
        earlier = posters + PosterFolder.explanationNames.filter { list.contains("\"\($0)\"") }
        output.recognize(earlier + (list.contains(#""posters":["#) ? [PosterFolder.listName] : []), in: path)
    }

    /// Checks that files may be written under their names.
    ///
    /// - Throws: `usage` if a name belongs to a file that must not be replaced.
    func check(_ posters: [String], explains: Bool) throws(ScrubError) {
        let names = posters + [PosterFolder.listName] + (explains ? PosterFolder.explanationNames : [])
        try output.check(names, in: output.path)
    }

    /// The instructions that could not be followed, one sentence each.
    var warnings: [String] { output.warnings }

    /// Returns the final path of a file's name.
    func path(of name: String) -> String { output.path + "/" + name }

    /// Writes a file, which gets its name together with all the others.
    func write(_ bytes: [UInt8], _ name: String) throws(ScrubError) {
        try AtomicFile.write(bytes, to: .staged(output.workPath + "/" + name))
    }

    /// Gives the files their names, and removes an earlier run's files that are no longer listed.
    ///
    /// - Parameter list: the content of `posters.json`.
    func commit(list: String) throws(ScrubError) {
        output.replace(earlier, in: output.path)
        try write(Array((list + "\n").utf8), PosterFolder.listName)
        try output.commit()
    }

    /// The names of the files that `--explain` adds, for the list.
    static var explanations: JSONText.Value { .array(explanationNames.map { .string($0) }) }
}
