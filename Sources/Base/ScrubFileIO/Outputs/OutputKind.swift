/// The kind of an output. An earlier run's file is replaced only by an output of the same kind.
package enum OutputKind: String, Sendable, CaseIterable {
    /// A single picture file: a frame, a poster, a contact sheet, a placeholder.
    case picture
    /// A file of a set: sheets, indexes, manifests, posters with their list.
    case set
    /// A plot of measurements.
    case plot
    /// A list of frames for another program.
    case frameList = "frames"
    /// Pictures as a byte stream.
    case stream
    /// The times of a stream's pictures.
    case times
    /// A movie of copied key pictures.
    case movie
    /// A list of videos.
    case filmList = "films"
    /// A log of JSON lines about videos. Each run appends lines.
    case log
    /// The state of a run, for metrics collectors.
    case metrics
    /// A thumbnail in the cache that file managers share, where programs replace each other's older thumbnails.
    case sharedThumbnail = "thumbnail"

    /// Whether files of this kind are recognized by their first bytes. An output of such a kind never replaces a
    /// non-empty file of another kind: its path is most likely a typo.
    var isKnownByContents: Bool { self == .log || self == .metrics }

    /// Returns whether a file that begins with the given bytes is of this kind, for kinds that are recognized by
    /// contents.
    func begins(_ head: [UInt8]) -> Bool {
        switch self {
        case .metrics: return head.starts(with: "# HELP scrub_".utf8)
        case .log:
            // A line may be longer than the bytes that were read; its first keys are enough.
            let line = String(decoding: head.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
            if line.hasPrefix(#"{"summary":{"files":"#) { return true }
            guard line.hasPrefix(#"{"file":"#) else { return false }
            // A full disk may have truncated the file's only line.
            let isTorn = line.utf8.count == head.count && !line.hasSuffix("}")
            return isTorn || line.contains(#","place":"#) && line.contains(#","status":"#)
        default: return false
        }
    }
}
