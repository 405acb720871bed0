#if CommandLine
internal import ScrubFileIO
internal import Scrub

/// A folder of posters with `posters.json`, which has their facts, and by which they are replaced.
struct PosterFolder {
    private let output: OutputFolder
    private static let listName = "posters.json"
    private static let explanationNames = ["explanation.svg", "explanation.json"]

    /// - Throws: `unavailable` when another run writes into it.
    init(path: String, waits: Bool) throws(ScrubError) { output = try OutputFolder(path: path, waits: waits) }

    /// The instructions that could not be followed, a sentence each.
    var warnings: [String] { output.warnings }

    /// Returns the final path of a file's name.
    func path(of name: String) -> String { output.path + "/" + name }

    /// Writes a file that gets its name with all others.
    func write(_ bytes: [UInt8], _ name: String) throws(ScrubError) {
        try AtomicFile.write(bytes, to: output.workPath + "/" + name)
    }

    /// Gives the files their names, and removes those of an earlier run that are no more.
    ///
    /// - Parameter list: the content of `posters.json`.
    func commit(list: String) throws(ScrubError) {
        if let bytes = try? Folder.contents(of: path(of: PosterFolder.listName), limit: 16 << 20) {
            let earlier = String(decoding: bytes, as: UTF8.self)
            // Only names that this command gives may be removed.
            output.replace(
                earlier.matches(of: /"file":"[^"]*?(poster-\d+-frame-\d+\.(?:jpg|png|webp|avif))"/).map {
                    String($0.output.1)
                },
                in: output.path)
            output.replace(PosterFolder.explanationNames.filter { earlier.contains("\"\($0)\"") }, in: output.path)
        }
        try write(Array((list + "\n").utf8), PosterFolder.listName)
        try output.commit()
    }

    /// The names of the files that `--explain` adds, for the list.
    static var explanations: JSONText.Value { .array(explanationNames.map { .string($0) }) }
}
#endif
