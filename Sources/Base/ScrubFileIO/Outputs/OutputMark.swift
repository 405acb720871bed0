/// A mark on a file that this library wrote: an extended attribute (xattr(7)). The file's contents are not marked.
///
/// The mark contains the kind of output and the file's size and modification time when it was written. It becomes
/// invalid when another program changes the file. A copy made by another program has no mark. The mark moves with the
/// file.
enum OutputMark {
    private static let name = "user.scrub.output"
    private static let longest = 200

    private static func text(_ kind: OutputKind, _ facts: FileFacts) -> String {
        "1 \(kind.rawValue) \(facts.byteCount) \(facts.modified)"
    }

    /// Marks a complete file.
    ///
    /// - Parameters:
    ///   - path: the file's path or its descriptor's path.
    ///   - target: the file's final path. ``OutputRegistry`` stores the mark of a file that cannot have attributes.
    static func put(_ kind: OutputKind, on path: String, for target: String) {
        guard let facts = FileFacts(path: path) else { return }
        let text = text(kind, facts)
        if !setAttribute(name, of: path, Array(text.utf8)) { OutputRegistry.add(text, of: target) }
    }

    /// Returns whether a file is unchanged since it was written as an output of the given kind.
    static func isThere(_ kind: OutputKind, on path: String, _ facts: FileFacts) -> Bool {
        let text = text(kind, facts)
        guard let value = attribute(name, of: path, limit: longest) else { return OutputRegistry.has(text, of: path) }
        return value.elementsEqual(text.utf8)
    }
}
