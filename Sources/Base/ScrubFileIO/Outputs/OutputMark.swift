/// A note on a file that this library wrote it: an extended attribute (xattr(7)), beside its bytes, which are the
/// formats' alone.
///
/// It says the kind of output, and size and time of change when it was written. So it means nothing any more once
/// another program has changed the file, and a copy by another program has none. It moves with the file.
enum OutputMark {
    private static let name = "user.scrub.output"
    private static let longest = 200

    private static func text(_ kind: OutputKind, _ facts: FileFacts) -> String {
        "1 \(kind.rawValue) \(facts.byteCount) \(facts.modified)"
    }

    /// Marks a file that is whole.
    ///
    /// - Parameters:
    ///   - path: a name of it, or of its descriptor.
    ///   - target: the name that it gets. ``OutputMemory`` keeps the mark of a file that can have no attribute.
    static func put(_ kind: OutputKind, on path: String, for target: String) {
        guard let facts = FileFacts(path: path) else { return }
        let text = text(kind, facts)
        if !setAttribute(name, of: path, Array(text.utf8)) { OutputMemory.add(text, of: target) }
    }

    /// Whether the file of a name is as an output of a kind was written.
    static func isThere(_ kind: OutputKind, on path: String, _ facts: FileFacts) -> Bool {
        let text = text(kind, facts)
        guard let value = attribute(name, of: path, limit: longest) else { return OutputMemory.has(text, of: path) }
        return value.elementsEqual(text.utf8)
    }
}
