/// The kind of an output. Only an output of the same kind replaces an earlier run's file.
package enum OutputKind: String, Sendable, CaseIterable {
    /// A picture in its own file: a frame, a poster, a contact sheet, a placeholder.
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
    /// Lines of JSON about films. Runs append lines to it.
    case log
    /// The state of a run for collectors.
    case metrics
    /// A thumbnail in the cache that file managers share. There, each program replaces older thumbnails of any other.
    case sharedThumbnail = "thumbnail"

    /// Whether files of the kind are recognized by their first bytes. An output of such a kind never replaces a
    /// non-empty file of another kind: its path is most likely a typing error.
    var isKnownByContents: Bool { self == .log || self == .metrics }

    /// Whether a file that begins with some bytes is of this kind, for kinds that are recognized by contents.
    func begins(_ head: [UInt8]) -> Bool {
        switch self {
        case .metrics: return head.starts(with: "# HELP scrub_".utf8)
        case .log:
            // A line may be longer than the bytes that were read; its first keys are enough.
            let line = String(decoding: head.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
            if line.hasPrefix(#"{"summary":{"files":"#) { return true }
            guard line.hasPrefix(#"{"file":"#) else { return false }
            // A full disk may have truncated the only line.
            let isTorn = line.utf8.count == head.count && !line.hasSuffix("}")
            return isTorn || line.contains(#","place":"#) && line.contains(#","status":"#)
        default: return false
        }
    }
}
