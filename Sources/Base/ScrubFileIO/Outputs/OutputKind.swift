/// What an output is. An earlier run's file is replaced by an output of the same kind alone.
package enum OutputKind: String, Sendable, CaseIterable {
    /// A picture in a file of its own: a frame, a poster, a contact sheet, a placeholder.
    case picture
    /// A file of a set: sheets, indexes, manifests, posters with their list.
    case set
    /// A drawing of measurements.
    case plot
    /// A list of frames for another program.
    case frameList = "frames"
    /// Pictures as a stream of bytes.
    case stream
    /// The times of a stream's pictures.
    case times
    /// A movie of copied key pictures.
    case movie
    /// A list of films.
    case filmList = "films"
    /// Lines of JSON about films, to which lines are added.
    case log
    /// The state of a run for collectors.
    case metrics
    /// A thumbnail in the cache that file managers share, where each program replaces older ones of all others.
    case sharedThumbnail = "thumbnail"

    /// Whether files of the kind are known by their own first bytes. Only such files are written then, whatever may be
    /// replaced: what is said to be a log and is not one is a slip of the pen.
    var isKnownByContents: Bool { self == .log || self == .metrics }

    /// Whether a file that begins with some bytes is of this kind; for kinds that are known by their contents.
    func begins(_ head: [UInt8]) -> Bool {
        switch self {
        case .metrics: return head.starts(with: "# HELP scrub_".utf8)
        case .log:
            // One line may be longer than what was read; its first keys are enough.
            let line = String(decoding: head.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
            if line.hasPrefix(#"{"summary":{"files":"#) { return true }
            guard line.hasPrefix(#"{"file":"#) else { return false }
            // A full disk may have cut the only line off.
            let isTorn = line.utf8.count == head.count && !line.hasSuffix("}")
            return isTorn || line.contains(#","place":"#) && line.contains(#","status":"#)
        default: return false
        }
    }
}
